import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import { type AnyPage, type Around, type At, type Body, pageFor, type Wire } from '../page.ts'
import { choices, linkRow, pager } from '../parts/rows.ts'
import { subsiteList } from '../parts/subsites.ts'

const phraseIn = ({ query }: At): string => query.get('q') ?? ''

/** Returns the search with another value of a parameter, from its first page. */
const searchWith = ({ at }: Around, name: string, value: string): string => {
  const query = new URLSearchParams(at.query)
  for (const anchor of ['after', 'before', 'count']) query.delete(anchor)
  query.set(name, value)
  return `${at.path}?${query}`
}

const choiceOf = (around: Around, label: string, name: string, values: readonly string[], usual: string): Html =>
  choices(
    label,
    values.map((value) => ({ value, to: searchWith(around, name, value) })),
    around.at.query.get(name) ?? usual,
  )

const searchForm = ({ at, subsite }: Around): Html => {
  const within = at.query.get('restrict_sr')
  const isWithin = within === 'on' || within === 'true' || within === '1'
  return html`<form class="filters" role="search" aria-label="Search links" action="${url(at.path)}"><label>Words <input name="q" type="search" value="${phraseIn(at)}"></label>
${subsite && isWithin ? html`<label class="all"><input type="checkbox" name="restrict_sr" value="on" checked> only in ${subsite.display_name}</label>` : undefined}${
  subsite && !isWithin
    ? html`<label class="all"><input type="checkbox" name="restrict_sr" value="on"> only in ${subsite.display_name}</label>`
    : undefined
}
<button type="submit" class="button">Search</button></form>`
}

type Matches = Body<'GET [/s/{sub}]/search'>
type Thing = Wire<'LinkThing'> | Wire<'SubsiteThing'>

const isSubsite = (thing: Thing): thing is Wire<'SubsiteThing'> => thing.kind === 't4'
const isLink = (thing: Thing): thing is Wire<'LinkThing'> => thing.kind === 't5'

/** Renders the results: subsites before links, if both were searched. */
const matches = (body: Matches, around: Around): Html => {
  const listings = Array.isArray(body) ? body : [body]
  const things: readonly Thing[] = listings.flatMap(({ data }): readonly Thing[] => data.children)
  const last = listings.at(-1)
  const subsites = things.filter(isSubsite)
  if (things.length === 0) return html`<p class="empty">${phraseIn(around.at) === '' ? 'Type what you look for.' : 'Nothing matches.'}</p>`
  return html`${subsites.length === 0 ? undefined : subsiteList(subsites, around)}
${things.some(isLink) ? html`<ol class="links">${renderEach(things.filter(isLink), ({ data }) => linkRow(data, around))}</ol>` : undefined}
${last && pager(last.data, around)}`
}

export const searchPages: readonly AnyPage[] = [
  pageFor('GET [/s/{sub}]/search', {
    title: ({ at }) => (phraseIn(at) === '' ? 'Search' : `Search: ${phraseIn(at)}`),
    robots: 'none',
    feed: true,
    main: (shown) => html`<h1 class="page">Search</h1>
${searchForm(shown)}
${renderIf(
  phraseIn(shown.at),
  (
    phrase,
  ) => html`<div class="bar">${choiceOf(shown, 'Order', 'sort', ['relevance', 'hot', 'top', 'new', 'comments'], 'relevance')}${choiceOf(shown, 'Created within', 't', ['hour', 'day', 'week', 'month', 'year', 'all'], 'all')}</div>
<p class="meta"><a href="${url(`/subsites/search?q=${encodeURIComponent(phrase)}`)}">Subsites with these words</a></p>`,
)}
${matches(shown.body, shown)}`,
  }),
  pageFor('GET /subsites/search', {
    title: ({ at }) => (phraseIn(at) === '' ? 'Search subsites' : `Subsites: ${phraseIn(at)}`),
    tab: () => 'subsites',
    robots: 'none',
    main: (shown) => html`<h1 class="page">Search subsites</h1>
<form class="filters" role="search" aria-label="Search subsites" action="/subsites/search"><label>Words <input name="q" type="search" value="${phraseIn(shown.at)}"></label><button type="submit" class="button">Search</button></form>
${subsiteList(shown.body.data.children, shown)}${pager(shown.body.data, shown)}`,
  }),
]
