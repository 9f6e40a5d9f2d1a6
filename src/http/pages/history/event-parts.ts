import { siteFiles } from '../../present/site-files.ts'
import { type Html, html, type Url, url } from '../../wire/html.ts'

/** Returns the address of the page of one event. */
export const eventAddress = (n: number): Url => url(`/history/events?since=${n - 1}&until=${n}`)

/** Names a field for people: `target.excerpt` is the excerpt of the target. */
const fieldInWords = (field: string): string =>
  field
    .split('.')
    .toReversed()
    .map((name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .join(' of the ')

/** Says which fields of an event its reader may not read. */
export const withheldLine = (withheld: readonly string[]): Html | undefined =>
  withheld.length === 0
    ? undefined
    : html`<p class="meta">Not for you to read, or not any more: ${withheld.map(fieldInWords).join(', ')}.</p>`

/**
 * Renders the way to what happens after the page was made: a link, which the script fills with the number of new events where a stream has
 * them.
 */
export const follow = (stream: string | undefined, later: string): Html => {
  const link = html`<a class="button" href="${url(later)}">Look for later events</a>`
  return stream === undefined
    ? html`<p class="pages">${link}</p>`
    : html`<p class="pages" data-follow="${stream}">${link}</p><script src="${url(siteFiles['history.js'].address)}" type="module"></script>`
}
