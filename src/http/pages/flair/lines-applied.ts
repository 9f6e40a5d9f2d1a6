import { html, renderEach, url } from '../../wire/html.ts'
import type { FormAnswer } from '../page.ts'

type Line = {
  readonly ok: boolean
  readonly status: string
  readonly errors: Readonly<Record<string, string>>
  readonly warnings: Readonly<Record<string, string>>
}

/** The answer to the form that sets the flair of many users: what became of each line. */
export const linesApplied: FormAnswer<readonly Line[]> = {
  of: 'POST [/s/{sub}]/api/flaircsv',
  title: 'The lines and what became of them',
  main: (lines, { at }) => html`<section class="card"><h1 class="page">The lines and what became of them</h1>
${
  lines.length === 0
    ? html`<p class="empty">There was no line.</p>`
    : html`<ol class="links">${renderEach(
        lines,
        ({ status, errors, warnings }) =>
          html`<li class="single"><p>${status}</p>${[...Object.values(errors), ...Object.values(warnings)].map((reason) => html`<p class="reason">${reason}</p>`)}</li>`,
      )}</ol>`
}
<p><a class="button main" href="${url(at.back)}">Back to the flair</a></p></section>`,
}
