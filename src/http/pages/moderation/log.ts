import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type Around, type Body, pageFor, type Shown, type Wire } from '../page.ts'
import { changesTable, listByDay } from '../parts/log.ts'
import { pager } from '../parts/rows.ts'
import { count, time } from '../parts/time.ts'
import { type LogEntry, logActions, sentence, toneOfAction } from './sentences.ts'

type Log = Body<'GET [/s/{sub}]/about/log'>
type Value = Wire<'ModActionChange'>['before']

const valueText = (value: Value): string => {
  if (value === null || value === '') return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.join(', ')
  return typeof value === 'object' ? `a text of ${count(value.bytes, 'byte')}` : String(value)
}

const inWords = ({ field, before, after }: LogEntry['changes'][number]) => ({
  field,
  before: valueText(before),
  after: valueText(after),
})

/** Further looks from an entry: all about its target, all about the author of that, and its proof. */
const tools = ({ id, subsite, target_fullname: target, target_author: who, k }: LogEntry): Html => {
  const about = (value: string) => url(`/s/${subsite}/about/log?${new URLSearchParams({ target: value })}`)
  const isThing = target !== null && !target.startsWith('t2_')
  return html`<span class="tools">${renderIf(target, (value) => html`<a href="${about(value)}">all about it</a>`)}${
    isThing && who !== '' && !who.startsWith('[') ? html`<a href="${about(`u/${who}`)}">log of ${who}</a>` : undefined
  }${k === null ? undefined : html`<a href="${url(`/history/proof/${id}`)}" download>proof</a>`}</span>`
}

const entryRow = (entry: LogEntry): Html =>
  html`<li class="entry ${toneOfAction(entry)}" id="${entry.id}"><div><p>${sentence(entry)}</p>${changesTable(entry.changes.map(inWords))}</div><p class="side">${time(entry.created_utc)}${tools(entry)}</p></li>
`

/** An act to choose. The browser sends its name, as there is no other value. */
const actOption = (action: string, chosen: string | null): Html =>
  action === chosen ? html`<option selected>${action}</option>` : html`<option>${action}</option>`

const filters = ['type', 'mod', 'target', 'since', 'until'] as const
const dates = ['since', 'until'] as const
const names: Readonly<Record<(typeof filters)[number], string>> = {
  type: 'act',
  mod: 'moderator',
  target: 'about',
  since: 'from',
  until: 'to',
}

/** The filters in the address of the page, in words. */
const filtersIn = ({ query }: Around['at']): readonly string[] =>
  filters.flatMap((name) => (query.get(name) ? [`${names[name]}: ${query.get(name)}`] : []))

const dateField = ({ query }: Around['at'], name: (typeof dates)[number], label: string): Html => {
  const value = query.get(name) ?? ''
  return html`<label>${label} <input type="date" name="${name}" value="${/^\d{4}-\d\d-\d\d$/.test(value) ? value : ''}"></label>`
}

const filterForm = ({ at }: Around): Html => {
  const { query, path } = at
  const active = filtersIn(at)
  return html`<form class="filters" action="${url(path)}"><label>Act <select name="type"><option value="">all</option>${logActions.map((action) => actOption(action, query.get('type')))}</select></label>
<label>Moderator <input type="text" name="mod" value="${query.get('mod') ?? ''}" autocomplete="off" size="14"></label>
<label>About <input type="text" name="target" value="${query.get('target') ?? ''}" placeholder="t5_… or u/name" autocomplete="off" size="14"></label>
${dateField(at, 'since', 'From')}
${dateField(at, 'until', 'To')}
<button type="submit" class="button">Filter</button></form>
${active.length === 0 ? undefined : html`<p class="meta">Only entries with ${active.join(', ')}. <a href="${url(path)}">Show all</a></p>`}`
}

const entryList = (log: Log, around: Around): Html => {
  const entries = log.data.children.map(({ data }) => data)
  if (entries.length === 0)
    return html`<p class="empty">${filtersIn(around.at).length === 0 ? 'No moderator has acted here yet.' : 'Nothing matches.'}</p>`
  return html`${listByDay(entries, ({ created_utc }) => created_utc, entryRow)}${pager(log.data, around)}`
}

const toLogTitle = ({ subsite }: Around): string => subsite?.title || subsite?.display_name || 'the subsites that you moderate'

export const logPage = pageFor('GET [/s/{sub}]/about/log', {
  title: (shown: Shown<Log>) => `Moderation log of ${toLogTitle(shown)}`,
  tab: () => 'log',
  feed: true,
  main: (shown) => html`<h1 class="page">Moderation log</h1>
<p class="meta wide">Every act of a moderator in <b>${toLogTitle(shown)}</b>, newest first, with things as they were then. Nothing is ever taken out. The file of a proof shows nothing by itself: <a href="/docs/verifying">verify it elsewhere</a>.</p>
${filterForm(shown)}
${entryList(shown.body, shown)}`,
})
