import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type At, ask, type Body, pageFor, type Wire } from '../page.ts'
import { dateFilters, filterForm, filtersIn, textFilter, typeFilter } from '../parts/filters.ts'
import { changesTable, listByDay } from '../parts/log.ts'
import { count, time } from '../parts/time.ts'
import { eventAddress, follow, withheldLine } from './event-parts.ts'
import { changesOf, eventSentence, eventTypes, toneOfEvent } from './event-sentences.ts'

type Line = Body<'GET /history/events'>[number]
type Event = Wire<'HistoryEvent'>
/** An event with the withheld ones right before it. */
type Row = { readonly event: Event; readonly gap: number }

const filters = { type: 'event', subsite: 'subsite', actor: 'who', thing: 'thing', since: 'from', until: 'before' }

const seconds = ({ event: { at } }: Pick<Row, 'event'>): number => Math.floor(at / 1000)

const rowsOf = (lines: readonly Line[]): { readonly rows: readonly Row[]; readonly gap: number } => {
  const rows: Row[] = []
  let gap = 0
  for (const line of lines)
    if (line.kind === 'withheld') gap = line.to - line.from + 1
    else if (line.kind === 'event') {
      rows.push({ event: line, gap })
      gap = 0
    }
  return { rows, gap }
}

const gapLine = (gap: number): Html | undefined =>
  gap === 0 ? undefined : html`<p class="meta">${count(gap, 'event')} of which you may read nothing</p>`

/** Returns the thing, subsite or account whose history an event is in. */
const subjectOf = ({ data, by }: Event): string | undefined => {
  const { target } = data
  const id = target !== null && typeof target === 'object' && 'id' in target ? target.id : undefined
  return [id, data.thing, data.comment, data.link, data.subsite, data.account, by?.account].find(
    (one): one is string => typeof one === 'string' && /^t[1245]_\w+$/.test(one),
  )
}

const eventRow = ({ event, gap }: Row): Html => {
  const shown = { ...event, names: event.names ?? {} }
  return html`<li class="entry ${toneOfEvent(shown)}" id="event-${event.n}"><div>${gapLine(gap)}<p>${eventSentence(shown)}</p>
${changesTable(changesOf(shown))}</div>
<p class="side">${time(seconds({ event }))}<span class="tools"><a href="${eventAddress(event.n)}">event ${event.n}</a>${renderIf(subjectOf(event), (name) => html`<a href="${url(`/history/things/${name}`)}">history</a>`)}</span></p></li>
`
}

/** Shows an event as programs get it, on a page with one. */
const recordOf = ({ names: _names, ...event }: Event): Html =>
  html`<section class="card"><h2>As it is told to programs</h2>
${withheldLine(event.withheld)}<div class="md"><pre><code>${JSON.stringify(event, null, 2)}</code></pre></div>
<p class="meta"><a href="${url(`/history/schemas/${event.type}/${event.meta?.schema ?? 1}`)}">What its fields mean</a></p></section>`

const eventFilters = (at: At): Html =>
  filterForm(at, filters, 'events', [
    typeFilter(at, 'Event', eventTypes.toSorted()),
    textFilter(at, 'subsite', 'Subsite'),
    textFilter(at, 'actor', 'Who'),
    textFilter(at, 'thing', 'Thing', 't5_… or t1_…'),
    ...dateFilters(at, 'Before'),
  ])

/** Returns the address of the same question with another beginning. */
const addressAfter = ({ path, query }: At, since: number): string => {
  const next = new URLSearchParams([...query].filter(([, value]) => value !== ''))
  next.set('since', String(since))
  return `${path}?${next}`
}

const isOne = ({ query }: At): boolean =>
  /^\d+$/.test(query.get('until') ?? '') && Number(query.get('since')) + 1 === Number(query.get('until'))

export const eventsPage = pageFor('GET /history/events', {
  also: (lines, { query }) => {
    const named = new URLSearchParams(query)
    named.set('names', 'true')
    const hasEvents = lines.some(({ kind }) => kind === 'event')
    return { named: hasEvents ? ask('GET /history/events', `/history/events?${named}`) : undefined }
  },
  title: ({ at }) => (isOne(at) ? `Event ${at.query.get('until')}` : 'Events'),
  robots: 'none',
  main: ({ body, also, at }) => {
    const lines = also.named ?? body
    const { rows, gap } = rowsOf(lines)
    const end = lines.findLast((line) => line.kind === 'end')
    const [first] = rows
    if (isOne(at)) {
      const n = Number(at.query.get('until'))
      return html`<h1 class="page">Event ${n}</h1>
<p class="meta wide"><a href="${url('/history')}">Of the whole history</a></p>
${first === undefined ? html`<p class="empty">You may read nothing of this event.</p>` : html`${listByDay(rows, seconds, eventRow)}${recordOf(first.event)}`}
<nav class="pages" aria-label="Further pages">${n === 0 ? undefined : html`<a class="button" rel="prev" href="${eventAddress(n - 1)}">Event before</a>`}<a class="button" rel="next" href="${eventAddress(n + 1)}">Event after</a></nav>`
    }
    const next = end?.next ?? -1
    return html`<h1 class="page">Events</h1>
<p class="meta wide">Everything that happened here, oldest first, as far as you may read it. <a href="${url('/history')}">What this is</a></p>
${eventFilters(at)}
${rows.length === 0 ? html`<p class="empty">${filtersIn(at, filters).length === 0 || gap > 0 ? 'Nothing here that you may read.' : 'Nothing matches.'}</p>` : listByDay(rows, seconds, eventRow)}${rows.length === 0 ? undefined : gapLine(gap)}${
  end?.more === true
    ? html`<nav class="pages" aria-label="Further pages"><a class="button" rel="next" href="${url(addressAfter(at, next))}">Next page</a></nav>`
    : at.query.get('until')
      ? undefined
      : follow(addressAfter(at, next), addressAfter(at, next))
}`
  },
})
