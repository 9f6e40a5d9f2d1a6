// Decision 128.

import { setImmediate } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import type { NumberedEvents } from '../../../history/numbered-events.ts'
import { type Need, section, type Uses } from '../../contract/endpoint.ts'
import { followerOf, type StreamPart } from '../../contract/followers.ts'
import { describeParam, flag, strictInteger, withDefault } from '../../contract/params.ts'
import type { LogPlace } from '../../contract/place-params.ts'
import { refuseRule, refuseWithoutHistory } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import { EVENT_STREAM, lastEventId, markPassed, serverSentEvent, wantsEventStream } from '../../wire/event-stream.ts'
import { disclosePage, type PagesContext, readsMore, SHARED_MS } from './disclosed-pages.ts'
import { type EventLines, linesOrEvents, partAfter } from './event-lines.ts'
import { namesIn } from './event-names.ts'
import { type EventFilter, eventFilter, filterParams } from './filters.ts'

const MAX_LINES = 1_000
/** The most bytes of a page, and of a stream's part. */
const MAX_PAGE_BYTES = 1024 * 1024
const MAX_PART_BYTES = 64 * 1024
/** The events that one page is looked for in, however few of them pass the filters. */
const MAX_EXAMINED_EVENTS = 5_000
/** The parts of the log, each of 256 events or a MiB, that one page is looked for in. */
const MAX_EXAMINED_PARTS = 24

/** Returns the numbered events. Nothing is numbered if no history is kept. */
const requireNumbered: Need<NumberedEvents, unknown, Viewer, Uses<'numberedEvents'>> = ({ numberedEvents }) =>
  numberedEvents ? E.right(numberedEvents) : refuseWithoutHistory()

const params = {
  ...filterParams,
  limit: describeParam(withDefault(strictInteger({ min: 1, max: MAX_LINES }), 100), 'The most lines of a page.'),
  names: describeParam(flag(), 'With the names of the accounts and subsites that each event of a page names; a stream has none.'),
}

/** Parameters that clients send with every request. */
const ofEveryRequest: ReadonlySet<string> = new Set(['raw_json', 'api_type', 'jsonp', 'min_position'])

/** Refuses a parameter that is not declared: a misspelt filter would otherwise be no filter. */
const requireDeclared: Need<true, unknown, Viewer> = ({ query }) => {
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(params, name) && !ofEveryRequest.has(name))
  return unknown === undefined ? E.right(true) : E.left({ code: 'BAD_REQUEST', field: unknown, text: 'there is no such parameter' })
}

/** The event to begin after, and the place to end at. */
type Asked = { readonly after: number; readonly until: LogPlace | undefined; readonly filter: EventFilter }

/**
 * Tells whether a number is beyond the last event. A follower would get nothing until later events have these numbers, and would miss
 * those.
 */
const isAhead = async ({ numbered: log }: PagesContext, after: number): Promise<boolean> => after >= 0 && after >= (await log.size())

/**
 * Returns the number to begin after; `fallback` if no place is asked for. A time means the first event of then or later that the reader may
 * read in part, so that nobody finds out by times when other events happened.
 */
const numberBefore = async (context: PagesContext, place: LogPlace | undefined, fallback: number): Promise<number> => {
  if (place === undefined) return fallback
  if ('n' in place) return place.n
  const first = await context.numbered.milestoneBefore(place.time)
  let after = first - 1
  while (after < first + MAX_EXAMINED_EVENTS) {
    const page = await disclosePage(context, context.viewer, after + 1)
    const at = page.findIndex((event) => event !== undefined && event.at >= place.time)
    if (at >= 0) return after + at
    if (page.length === 0) return after
    after += page.length
  }
  return after
}

/** Returns the client's place: a number that this endpoint gave as the id of an event. */
const lastNumberSeen: Need<number | undefined, unknown, Viewer> = ({ headers }) => {
  const id = wantsEventStream(headers) ? lastEventId(headers) : undefined
  if (id === undefined) return E.right(undefined)
  return /^\d{1,15}$/.test(id) ? E.right(Number(id)) : refuseRule('BAD_REQUEST')
}

type Lines = EventLines['lines']

/** Adds the names in each event of a page. */
const withNames = async (context: PagesContext, lines: Lines): Promise<Lines> => {
  const names = await namesIn(
    context,
    lines.flatMap(({ event }) => event ?? []),
  )
  let at = 0
  return lines.map((one) => (one.event ? { ...one, line: { ...one.line, names: names[at++] } } : one))
}

type PageBounds = { readonly limit: number; readonly names: boolean }

async function* pageOf(context: PagesContext, range: Asked, { limit, names }: PageBounds): AsyncGenerator<string> {
  const { viewer, numbered: log } = context
  let { after } = range
  let lines = 0
  let bytes = 0
  const last = after + MAX_EXAMINED_EVENTS
  let isEnd = false
  for (let parts = 0; !isEnd && lines < limit && bytes < MAX_PAGE_BYTES && after < last && parts < MAX_EXAMINED_PARTS; parts += 1) {
    // stores in this process give no other request a turn
    await setImmediate()
    const part = await partAfter(context, viewer, { ...range, after })
    let text = ''
    let { passed } = part
    const shown = names ? await withNames(context, part.lines.slice(0, limit - lines)) : part.lines
    for (const [at, { n, line }] of shown.entries()) {
      text += `${JSON.stringify(line)}\n`
      lines += 1
      if ((lines < limit && bytes + text.length < MAX_PAGE_BYTES) || at === part.lines.length - 1) continue
      passed = n
      break
    }
    if (text !== '') yield text
    bytes += text.length
    isEnd = part.isEnd && passed === part.passed
    if (passed === after) break
    after = passed
  }
  const more = !isEnd && after + 1 < (await log.size())
  yield `${JSON.stringify({ kind: 'end', next: after, more })}\n`
}

/** The text of a part of the log, and the last number in it. */
type Sent = { readonly text: string | Buffer; readonly passed: number; readonly isEnd: boolean }

const sentAfter = async (context: PagesContext, viewer: Viewer, range: Asked): Promise<Sent> => {
  const part = await partAfter(context, viewer, range)
  let text = ''
  for (const { n, line } of part.lines) {
    text += serverSentEvent(n, line)
    if (text.length >= MAX_PART_BYTES && n < part.passed) return { text, passed: n, isEnd: false }
  }
  const { passed, isEnd } = part
  if (passed > (part.lines.at(-1)?.n ?? range.after)) text += markPassed(passed)
  if (isEnd) text += serverSentEvent(Math.max(passed, 0), { kind: 'end', next: passed, more: false })
  return { text, passed, isEnd }
}

type SharedSent = { readonly until: number; readonly sent: Promise<Sent> }
/** The texts that everybody gets after a number, once for all who follow without filters: as bytes, of which there is one copy. */
const shared = new WeakMap<NumberedEvents, LRUCache<number, SharedSent>>()
const MAX_SHARED_PARTS = 64

const sentToAll = async (context: PagesContext, viewer: Viewer, range: Asked): Promise<Sent> => {
  const { numbered: log } = context
  const parts = shared.get(log) ?? new LRUCache<number, SharedSent>({ max: MAX_SHARED_PARTS })
  shared.set(log, parts)
  const known = parts.get(range.after)
  if (known && known.until > performance.now()) return known.sent
  const make = async (): Promise<Sent> => {
    const part = await sentAfter(context, viewer, range)
    // forgets an empty part, since it may have events already
    if (part.passed === range.after) parts.delete(range.after)
    return { ...part, text: Buffer.from(part.text) }
  }
  const making = make()
  parts.set(range.after, { until: performance.now() + SHARED_MS, sent: making })
  making.catch(() => parts.delete(range.after))
  return making
}

/** Returns the look of a follower: each time it identifies the viewer anew, and reads the events that this viewer may read now. */
const openLook = (context: PagesContext & Uses<'viewerNow'>, range: Asked): (() => Promise<StreamPart>) => {
  const { viewer: first, viewerNow, headers, numbered: log } = context
  const isPlain = range.filter === undefined && range.until === undefined
  let { after } = range
  return async () => {
    const viewer = await viewerNow(headers)
    // an ended session or token ends the stream, so that nobody takes the public part for everything
    if (viewer === undefined || viewer.account !== first.account || viewer.via !== first.via) return { text: '', next: 'end' }
    const send = isPlain && !readsMore(viewer) ? sentToAll : sentAfter
    const { text, passed, isEnd } = await send(context, viewer, { ...range, after })
    const hasMoved = passed > after
    after = passed
    if (isEnd) return { text, next: 'end' }
    return { text, next: hasMoved && after + 1 < (await log.size()) ? 'more' : 'wait' }
  }
}

export const historyEvents = section('History').get('/history/events', {
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  answers: { 200: linesOrEvents, 204: noBody },
  summary: 'Everything that happened, in order, as far as you may read it: in pages, or as it happens.',
  notes: `Lines of JSON: \`event\` with what you may read of one, and \`withheld\` with the numbers of events of which you may read nothing; at last \`end\`, whose \`next\` is the \`since\` of the next page. With \`Accept: ${EVENT_STREAM}\` the same lines come as server-sent events, each with the number as its id, and go on as things happen: a client that broke off sends \`Last-Event-ID\` and has each event once. Events have their numbers, and come, within a second or two. What you may read is judged when it is read, by the facts of then: nobody is told who voted, reported, saved or subscribed; an account reads its own acts, a moderator what concerns the subsite, with a session or the scope \`history\` (and, for one's own settings, friends, inbox or reports, the scope of that). The fields are those of [the types of events](events.md). Filters find only what you may read, and then no gaps are named; a subsite that you may not view is 403. A parameter that is not listed here is 400. A page looks through ${MAX_EXAMINED_EVENTS} events, or ${MAX_EXAMINED_PARTS} MiB of them, so that it may have few lines, or none, and \`more\`. A token for some subsites cannot call it; follow the logs of these subsites instead. At most 20 streams of a caller, 100 of an address.`,
  params,
  uses: ['numberedEvents', 'openEvents', 'viewerNow', 'followers'],
  needs: { declaredOnly: requireDeclared, numbered: requireNumbered, filter: eventFilter, resumed: lastNumberSeen },
  handle: async (context) => {
    const { params, headers, numbered: log, filter, followers } = context
    const { since, until } = params
    if (!wantsEventStream(headers)) {
      const range = { after: await numberBefore(context, since, -1), until, filter }
      if (await isAhead(context, range.after)) return refuseRule('AHEAD_OF_LOG', 'since')
      const parts = pageOf(context, range, params)
      return { kind: 'parts', type: 'application/x-ndjson; charset=UTF-8', parts, headers: { 'Cache-Control': 'no-store' } }
    }
    const after = context.resumed ?? (await numberBefore(context, since, (await log.size()) - 1))
    if (await isAhead(context, after)) return refuseRule('AHEAD_OF_LOG')
    // a client that has it all does not ask again then
    if (until && 'n' in until && after >= until.n) return { kind: 'empty', status: 204 }
    const follower = followerOf(context)
    const refused = followers.refusal(follower)
    if (refused) return E.left(refused)
    return { kind: 'stream', body: followers.follow(follower, openLook(context, { after, until, filter })), fleeting: true }
  },
})
