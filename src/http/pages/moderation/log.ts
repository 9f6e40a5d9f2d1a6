import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type Around, type Body, pageFor, type Shown, type Wire } from '../page.ts'
import { dateFilters, filterForm, filtersIn, textFilter, typeFilter } from '../parts/filters.ts'
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

/** Further looks from an entry: all about its target, the acts on the account of its author, and its proof. */
const tools = ({ id, subsite, target_fullname: target, target_author: who, k }: LogEntry): Html => {
  const about = (value: string) => url(`/s/${subsite}/about/log?${new URLSearchParams({ target: value })}`)
  const isThing = target !== null && !target.startsWith('t2_')
  return html`<span class="tools">${renderIf(target, (value) => html`<a href="${about(value)}">all about it</a>`)}${
    isThing && who !== '' && !who.startsWith('[') ? html`<a href="${about(`u/${who}`)}">acts on u/${who}</a>` : undefined
  }${k === null ? undefined : html`<a href="${url(`/history/proof/${id}`)}" download>proof</a>`}</span>`
}

/** Renders an entry, with its subsite in the log of several. */
const entryRow = (entry: LogEntry, { subsite }: Around): Html =>
  html`<li class="entry ${toneOfAction(entry)}" id="${entry.id}"><div><p>${sentence(entry)}${subsite ? undefined : html` <a class="meta" href="${url(`/s/${entry.subsite}/about/log`)}">/s/${entry.subsite}</a>`}</p>${changesTable(entry.changes.map(inWords))}</div><p class="side">${time(entry.created_utc)}${tools(entry)}</p></li>
`

const filters = { type: 'act', mod: 'moderator', target: 'about', since: 'from', until: 'to' }

const logFilters = ({ at }: Around): Html =>
  filterForm(at, filters, 'entries', [
    typeFilter(at, 'Act', logActions),
    textFilter(at, 'mod', 'Moderator'),
    textFilter(at, 'target', 'About', 't5_… or a name'),
    ...dateFilters(at, 'To'),
  ])

/** Says why there are no entries. The author of what was acted on is no target. */
const describeNothing = ({ at }: Around): string => {
  if (filtersIn(at, filters).length === 0) return 'No moderator has acted here yet.'
  const target = at.query.get('target') ?? ''
  return target === '' || /^t[145]_/.test(target)
    ? 'Nothing matches.'
    : 'Nothing matches: no such act on the account itself. Acts on what it posted are found by the fullnames of its posts.'
}

const entryList = (log: Log, around: Around): Html => {
  const entries = log.data.children.map(({ data }) => data)
  if (entries.length === 0) return html`<p class="empty">${describeNothing(around)}</p>`
  return html`${listByDay(
    entries,
    ({ created_utc }) => created_utc,
    (entry) => entryRow(entry, around),
  )}${pager(log.data, around)}`
}

const toLogTitle = ({ subsite }: Around): string => subsite?.title || subsite?.display_name || 'the subsites that you moderate'

export const logPage = pageFor('GET [/s/{sub}]/about/log', {
  title: (shown: Shown<Log>) => `Moderation log of ${toLogTitle(shown)}`,
  tab: () => 'log',
  feed: true,
  main: (shown) => html`<h1 class="page">Moderation log</h1>
<p class="meta wide">Every act of a moderator in <b>${toLogTitle(shown)}</b>, newest first, with things as they were then. Nothing is ever taken out. The file of a proof shows nothing by itself: <a href="/docs/verifying">verify it elsewhere</a>.</p>
${logFilters(shown)}
${entryList(shown.body, shown)}`,
})
