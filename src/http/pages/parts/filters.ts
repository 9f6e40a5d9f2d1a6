import { type Html, html, url } from '../../wire/html.ts'
import type { At } from '../page.ts'

/** The names of the parameters that filter a page, with their words. */
export type FilterNames = Readonly<Record<string, string>>

/** Returns the words of a type: `link submitted` of `LinkSubmitted`. Types of acts are words already. */
const typeInWords = (type: string): string => type.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trimStart()

/** The filters in the address of a page, in words. */
export const filtersIn = ({ query }: At, names: FilterNames): readonly string[] =>
  Object.entries(names).flatMap(([name, words]) => {
    const value = query.get(name)
    return value ? [`${words}: ${name === 'type' ? typeInWords(value) : value}`] : []
  })

const option = (type: string, chosen: string | null): Html =>
  type === chosen
    ? html`<option value="${type}" selected>${typeInWords(type)}</option>`
    : html`<option value="${type}">${typeInWords(type)}</option>`

export const typeFilter = ({ query }: At, label: string, types: readonly string[]): Html =>
  html`<label>${label} <select name="type"><option value="">all</option>${types.map((type) => option(type, query.get('type')))}</select></label>
`

export const textFilter = ({ query }: At, name: string, label: string, example = ''): Html =>
  html`<label>${label} <input type="text" name="${name}" value="${query.get(name) ?? ''}" placeholder="${example}" autocomplete="off" size="14"></label>
`

/** The dates from which on and up to which, as the parameters `since` and `until`. The word for the last one says whether it is included. */
export const dateFilters = ({ query }: At, last: 'To' | 'Before'): readonly Html[] =>
  [['since', 'From'] as const, ['until', last] as const].map(([name, label]) => {
    const value = query.get(name) ?? ''
    return html`<label>${label} <input type="date" name="${name}" value="${/^\d{4}-\d\d-\d\d$/.test(value) ? value : ''}"></label>
`
  })

/** A form that filters a page, and says what is filtered. */
export const filterForm = (at: At, names: FilterNames, noun: string, fields: readonly Html[]): Html => {
  const active = filtersIn(at, names)
  return html`<form class="filters" action="${url(at.path)}">${fields}<button type="submit" class="button">Filter</button></form>
${active.length === 0 ? undefined : html`<p class="meta">Only ${noun} with ${active.join(', ')}. <a href="${url(at.path)}">Show all</a></p>`}`
}
