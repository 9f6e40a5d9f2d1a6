import { type Html, html, renderEach, renderIf } from '../../wire/html.ts'
import { pageFor, type Wire } from '../page.ts'
import { author, pager } from '../parts/rows.ts'
import { count, date, time } from '../parts/time.ts'
import { adminHead } from './tabs.ts'

type SiteLogEntry = Wire<'SiteAction'>
/** Renders the words of an act after the name of its actor. */
type Say = (entry: SiteLogEntry) => Html

const SERVICE = '[service]'

const account: Say = ({ target_author: name }) => author(name)

/** The end of a suspension: a time, or none. */
const sayEnd = (value: string | number | null): string => (typeof value === 'number' ? ` until ${date(value)}` : ' for good')

const saySuspension: Say = (entry) => {
  const [change] = entry.changes
  const words = change === undefined ? '' : sayEnd(change.after)
  return change?.before === null || change === undefined
    ? html`suspended ${account(entry)}${words}`
    : html`changed the suspension of ${account(entry)}: now${words}`
}

/** Every act has a sentence: a new one does not compile without it. */
const sentences: { readonly [Action in SiteLogEntry['action']]: Say } = {
  suspenduser: saySuspension,
  unsuspenduser: (entry) =>
    entry.mod === SERVICE ? html`the suspension of ${account(entry)} ran out` : html`lifted the suspension of ${account(entry)}`,
  eraseuser: (entry) => html`erased an account and everything that it wrote: ${account(entry)}`,
  erasemessage: (entry) =>
    html`erased a message by ${account(entry)} for good${renderIf(entry.description, (reason) => html`, because of ‘${reason}’`)}`,
  grantcredits: (entry) => {
    const [change] = entry.changes
    const [before, after] = [Number(change?.before ?? 0), Number(change?.after ?? 0)]
    return html`granted ${account(entry)} ${count(after - before, 'credit')}: now ${count(after, 'credit')}`
  },
  givegold: (entry) => {
    const [months] = entry.changes
    if (months) return html`gave ${account(entry)} gold for ${count(Number(months.after), 'month')}`
    return html`gilded ${entry.target_fullname.startsWith('t1_') ? 'a comment' : 'a link'} by ${account(entry)}`
  },
  addadmin: (entry) => html`${account(entry)} is an admin`,
  removeadmin: (entry) => html`${account(entry)} is an admin no more`,
}

const actor = ({ mod }: SiteLogEntry): Html => (mod === SERVICE ? html`<b class="service">The service:</b>` : author(mod))

/** Acts that take something away, and those that give it back, for the edge of an entry. The sentence says it as well. */
const tones: Readonly<Partial<Record<SiteLogEntry['action'], 'stern' | 'kind'>>> = {
  suspenduser: 'stern',
  eraseuser: 'stern',
  erasemessage: 'stern',
  removeadmin: 'stern',
  unsuspenduser: 'kind',
  grantcredits: 'kind',
  givegold: 'kind',
}

const row = (entry: SiteLogEntry): Html =>
  html`<li class="entry ${tones[entry.action] ?? 'plain'}" id="${entry.id}"><div><p>${actor(entry)} ${sentences[entry.action](entry)}</p></div><p class="side">${time(entry.created_utc)}</p></li>
`

export const siteLogPage = pageFor('GET /api/v1/site/log', {
  title: () => 'The log of the site',
  robots: 'none',
  tab: () => 'admin',
  main: (shown) => {
    const entries = shown.body.data.children.map(({ data }) => data)
    return html`${adminHead('/admin/log', 'The log of the site')}
<p class="meta wide">What admins did to accounts and messages, the newest first. What they did in a subsite is in its moderation log. How many entries there are is public, so that none can be taken out unseen.</p>
${entries.length === 0 ? html`<p class="empty">No admin has acted yet.</p>` : html`<ol class="log">${renderEach(entries, row)}</ol>`}
${pager(shown.body.data, shown)}`
  },
})
