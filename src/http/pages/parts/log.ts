import { type Html, html, renderEach } from '../../wire/html.ts'

/** A field that an act changed, with its values in words. */
type ChangedWords = { readonly field: string; readonly before: string; readonly after: string }

/** Renders what an act changed as a table that opens. */
export const changesTable = (changes: readonly ChangedWords[]): Html | undefined =>
  changes.length === 0
    ? undefined
    : html`<details class="changes"><summary>before and after</summary><table><thead><tr><td></td><th scope="col">before</th><th scope="col">after</th></tr></thead><tbody>${changes.map(
        ({ field, before, after }) =>
          html`<tr><th scope="row">${field.replaceAll('_', ' ')}</th><td><del>${before}</del></td><td><ins>${after}</ins></td></tr>`,
      )}</tbody></table></details>`

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

const dayOf = (seconds: number): string => days.format(seconds * 1000)

/** Renders entries in their order, a list for each day. */
export const listByDay = <Entry>(
  entries: readonly Entry[],
  secondsOf: (entry: Entry) => number,
  row: (entry: Entry) => Html,
): readonly Html[] =>
  [...Map.groupBy(entries, (entry) => dayOf(secondsOf(entry)))].map(
    ([day, ofDay]) => html`<h2 class="day">${day}</h2>
<ol class="log">${renderEach(ofDay, row)}</ol>
`,
  )
