// Decision 127.

import { setImmediate } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Disclosed, discloseEvents, type Reader } from '../../../disclosure/disclosure.ts'
import { Account } from '../../../domain/account.ts'
import { Comment } from '../../../domain/comment.ts'
import { LinkFlair } from '../../../domain/flair.ts'
import { AccountId, CommentId, LinkId } from '../../../domain/ids.ts'
import { Images } from '../../../domain/images.ts'
import { Link } from '../../../domain/link.ts'
import { Moderators } from '../../../domain/moderators.ts'
import { Report } from '../../../domain/report.ts'
import { SubsiteRules } from '../../../domain/rules.ts'
import { Shelf } from '../../../domain/shelf.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { Vote } from '../../../domain/vote.ts'
import { timeOf } from '../../../history/milestones.ts'
import type { NumberedEvent, StreamEvents } from '../../../history/stream-events.ts'
import { LOG_START, type Position, type RecordedEvent } from '../../../ports/event-store.ts'
import { accountsById } from '../../../queries/accounts.ts'
import { entriesBeside } from '../../../queries/mod-log.ts'
import type { OrderedSource } from '../../../queries/ordered-source.ts'
import { openReading } from '../../../queries/reading.ts'
import { type ThingEventKind, thingEventsBeside } from '../../../queries/thing-events.ts'
import { thingsById } from '../../../queries/things.ts'
import { type Context, type Need, section, type Uses } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, optional, replaceRefusal } from '../../contract/params.ts'
import { type LogPlace, logPlace } from '../../contract/place-params.ts'
import { refuseRule, refuseWithoutHistory } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../../contract/schemas/things.ts'
import { list } from '../../things/listing.ts'
import { readerFor } from './disclosed-pages.ts'
import { eventFields, eventRecord } from './event-lines.ts'
import { namesIn, namesShape } from './event-names.ts'
import { accountOfActor, filterParams, isOf, mayBeOf } from './filters.ts'

/** The subject of a question: its own streams, and the log of its moderators' acts. */
type Subject = { readonly name: string; readonly streams: readonly string[]; readonly subsite: string | undefined }

type ThingParams = { readonly thing: string }

const streamsOf = (name: string, ...aggregates: readonly { readonly category: string }[]): readonly string[] =>
  aggregates.map(({ category }) => `${category}-${name}`)

/** Returns a link, comment, subsite or account that the viewer may see. */
const subjectSeen: Need<Subject, ThingParams, Viewer> = async (context) => {
  const { documents, viewer, params } = context
  const { thing: name } = params
  if (AccountId.is(name)) {
    const account = (await accountsById(documents, [name])).get(name)
    return account && !account.deleted ? E.right({ name, streams: streamsOf(name, Account), subsite: undefined }) : refuseRule('NOT_FOUND')
  }
  const isPost = LinkId.is(name) || CommentId.is(name)
  const subsite = isPost ? (await thingsById(documents, [name])).get(name)?.subsite : name
  const read = openReading(context, viewer)
  if (subsite !== undefined) await read.loadSubsites([subsite])
  if (subsite === undefined || read.subsite(subsite) === undefined) return refuseRule('NOT_FOUND')
  if (!read.mayView(subsite)) return refuseRule('FORBIDDEN')
  if (!isPost) return E.right({ name, streams: streamsOf(name, Subsite, SubsiteRules, Moderators, Images), subsite: undefined })
  return E.right({ name, streams: LinkId.is(name) ? streamsOf(name, Link, LinkFlair) : streamsOf(name, Comment), subsite })
}

/** Returns the numbered streams. Events have numbers only if a history is kept. */
const requireStreams: Need<StreamEvents, unknown, Viewer, Uses<'streamEvents'>> = ({ streamEvents }) =>
  streamEvents ? E.right(streamEvents) : refuseWithoutHistory()

/** The bounds and the filters of the events that are asked for. */
type Chosen = {
  readonly params: {
    readonly type: ReadonlySet<string> | undefined
    readonly since: LogPlace | undefined
    readonly until: LogPlace | undefined
  }
  readonly actor: string | undefined
}

/** Tells whether the time of an event is within bounds. It is asked for only where a bound is a time. */
const isWithin = (since: LogPlace | undefined, until: LogPlace | undefined, readTime: () => number): boolean =>
  (since === undefined || 'n' in since || readTime() >= since.time) && (until === undefined || 'n' in until || readTime() < until.time)

/** Tells whether an event is asked for, by what the reader may read of it alone. */
const isChosen = ({ params: { type, since, until }, actor }: Chosen, event: Omit<Disclosed, 'n'>): boolean =>
  isOf(type, actor, event) && isWithin(since, until, () => event.at)

/** Tells whether the number of an event is asked for. */
const isNumberChosen = ({ params: { since, until } }: Chosen, n: number): boolean =>
  (since === undefined || 'time' in since || n > since.n) && (until === undefined || 'time' in until || n <= until.n)

/** Tells whether an event may be asked for, by its stored form. */
const mayBeChosen = ({ params: { type, since, until }, actor }: Chosen, event: RecordedEvent): boolean =>
  mayBeOf(type, actor, event) && isWithin(since, until, () => timeOf(event))

/** The positions of the log between which the numbers that are asked for lie: after one, up to the other. */
type NumberBounds = { readonly after: Position; readonly upTo: Position | undefined }

/** Returns the positions of the events that `since` and `until` name by number. */
const boundsOf = async ({ places, freshness }: Context & Uses<'places'>, { params: { since, until } }: Chosen): Promise<NumberBounds> => {
  const positionOf = async (place: LogPlace | undefined) =>
    place && 'n' in place && place.n >= 0 ? ((await places?.ofNumber(place.n))?.position ?? freshness.position()) : undefined
  return { after: (await positionOf(since)) ?? LOG_START, upTo: await positionOf(until) }
}

type ThingContext = Context & { readonly kept: StreamEvents; readonly subject: Subject }

/** The categories of streams on which accounts record their acts on a thing, each on streams of its own. */
const givers = [Vote, Shelf, Report]

/**
 * Returns the acts on a thing that a reader may read: one's own streams, and kinds of events on streams of all. Others are never looked at,
 * nor counted.
 */
const givenTo = async ({ read, suspended, readsOwn }: Reader, { name, subsite }: Subject): Promise<Given> => {
  if (subsite === undefined) return { streams: [], kinds: [] }
  await read.loadSubsites([subsite])
  const { account } = read.viewer
  const readable = account === undefined ? [] : givers.filter(({ category }) => readsOwn(category))
  return {
    streams: readable.flatMap((giver) => streamsOf(`${account}.${name}`, giver)),
    kinds: read.moderates(subsite) && !suspended ? ['gilding', 'report'] : ['gilding'],
  }
}
type Given = { readonly streams: readonly string[]; readonly kinds: readonly ThingEventKind[] }

/** An event, with its number if that is known. */
type FoundEvent = RecordedEvent & { readonly n?: number }

/**
 * Lists the events of the subject's streams, and acts of accounts and moderators on it on others, oldest first. Only those that the read
 * models show already are listed, none of them before the bounds, and onwards none beyond them.
 */
const eventsOf = (
  { documents, freshness, kept: events, subject }: ThingContext,
  given: Given,
  bounds: NumberBounds,
): OrderedSource<FoundEvent> => ({
  keyOf: ({ position }) => [position],
  find: async ({ limit, after, before }) => {
    const side = before ? 'before' : 'after'
    const anchor = String((before ?? after)?.[0] ?? LOG_START)
    const position = before || anchor > bounds.after ? anchor : bounds.after
    const isBounded = (event: RecordedEvent) =>
      event.position > bounds.after && (before !== undefined || bounds.upTo === undefined || event.position <= bounds.upTo)
    const shown = freshness.settled?.() ?? freshness.position()
    const { name: target, streams, subsite } = subject
    const found = await events[side]([...streams, ...given.streams], position, limit)
    const entries = subsite === undefined ? [] : await entriesBeside(documents, { subsite, target }, side, position, limit)
    const others = await thingEventsBeside(documents, { thing: target, kinds: given.kinds }, side, position, limit)
    const known = new Set(found.map(({ id }) => id))
    const acts = await events.acts(entries.map(({ id }) => id).filter((id) => !known.has(id)))
    const all = [...found, ...acts, ...(await events.at(others.filter(({ id }) => !known.has(id))))]
      .filter((event) => event.position <= shown && isBounded(event))
      .toSorted((one, other) => (one.position < other.position ? -1 : 1))
    return before ? all.slice(-limit) : all.slice(0, limit)
  },
})

const number = (description: string) => shape.integer(4711, description)
const eventThing = thingShape(
  'event',
  shape.component('ThingEvent', () =>
    shape.recordSchema({
      ...eventFields(),
      cause: shape.orNull(number('The number of the event that it followed from, if you may read of that.')),
      consequences: { ...shape.listOf(number('A number.')), description: 'The numbers of the events on this page that followed from it.' },
      names: namesShape,
    }),
  ),
)

/** Events that are opened and judged without a pause for other requests. */
const JUDGED_AT_ONCE = 50

/** Returns the disclosed parts of events. Each is judged once for a request. */
const openJudging = (context: ThingContext & Uses<'openEvents'>, reader: Reader) => {
  const { openEvents } = context
  const disclosedById = new Map<string, Disclosed>()
  /** The causes of events that are consequences, by their ids. */
  const causes = new Map<string, string>()
  const judgePart = async (
    events: readonly FoundEvent[],
    isWanted: (event: Omit<Disclosed, 'n'>) => boolean,
  ): Promise<readonly NumberedEvent[]> => {
    const opened = await openEvents(events)
    const judged = await discloseEvents(opened, reader)
    // an account can make any number of events of which others read nothing: their numbers are not looked up
    const selected = events.filter((_, at) => {
      const event = judged[at]
      return event !== undefined && isWanted(event)
    })
    const shown = await context.kept.findNumbered(selected)
    const numbers = new Map(shown.map(({ id, n }) => [id, n]))
    for (const [at, { id, meta }] of opened.entries()) {
      const [event, n] = [judged[at], numbers.get(id)]
      if (event && n !== undefined) disclosedById.set(id, { n, ...event })
      if (meta.causationId !== meta.commandId) causes.set(id, meta.causationId)
    }
    return shown
  }
  const judge = async (
    events: readonly FoundEvent[],
    isWanted: (event: Omit<Disclosed, 'n'>) => boolean = () => true,
  ): Promise<readonly NumberedEvent[]> => {
    const shown: NumberedEvent[] = []
    for (let at = 0; at < events.length; at += JUDGED_AT_ONCE) {
      if (at > 0) await setImmediate()
      shown.push(...(await judgePart(events.slice(at, at + JUDGED_AT_ONCE), isWanted)))
    }
    return shown
  }
  const present = async (items: readonly FoundEvent[]) => {
    const numbered = items.flatMap(({ n, ...event }) => (n === undefined ? [] : [{ ...event, n }]))
    const found = await Promise.all(
      numbered.map((event) => {
        const cause = causes.get(event.id)
        return cause === undefined || disclosedById.has(cause) ? undefined : context.kept.cause(cause, event)
      }),
    )
    await judge(found.filter((event) => event !== undefined))
    const causeOf = ({ id }: NumberedEvent): number | null => disclosedById.get(causes.get(id) ?? '')?.n ?? null
    const shown = numbered.flatMap((event) => {
      const disclosed = disclosedById.get(event.id)
      return disclosed ? [{ event, disclosed }] : []
    })
    const names = await namesIn(
      context,
      shown.map(({ disclosed }) => disclosed),
    )
    return shown.map(({ event, disclosed }, at) => {
      const consequences = numbered.filter((other) => causeOf(other) === event.n).map(({ n }) => n)
      return { kind: 'event', data: { ...eventRecord(disclosed), cause: causeOf(event), consequences, names: names[at] ?? {} } }
    })
  }
  return { judge, present }
}

export const historyOfThing = section('History').get('/history/things/{thing}', {
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  listing: { max: 100 },
  answers: { 200: listingShape(eventThing) },
  summary: 'What happened to a link, a comment, a subsite or an account, as far as you may read it, oldest first.',
  notes:
    'Who may read what is as for `/history/events`. Of a link and a comment: the events of its own, the acts of moderators on it, and that it was gilded, but not by whom; your own votes on it, that you saved, hid or reported it; reports on it for moderators of its subsite, without reporters, and for admins. For the votes of others admins have `/history/events` with `thing`. Of a subsite: its settings, rules, moderators and images; of an account: its own life. Numbers come within a second or two of an event, which is then shown. `after` and `before` are numbers of events. Filters find only what you may read.',
  params: {
    thing: describeParam(
      replaceRefusal(fullname('link', 'comment', 'subsite', 'account'), 'NOT_FOUND'),
      'the fullname of a link, comment, subsite or account',
    ),
    type: filterParams.type,
    actor: filterParams.actor,
    since: describeParam(optional(logPlace), 'After which event: its number, or a time from which on.'),
    until: filterParams.until,
  },
  uses: ['streamEvents', 'openEvents', 'places'],
  needs: { kept: requireStreams, subject: subjectSeen, actor: accountOfActor },
  handle: async (context) => {
    const { places, viewer, subject } = context
    const reader = await readerFor(context, viewer)
    const { judge, present } = openJudging(context, reader)
    return list({
      source: eventsOf(context, await givenTo(reader, subject), await boundsOf(context, context)),
      order: ['events'],
      visible: async (items) => {
        await setImmediate() // stores in this process give no other request a turn, and all of these may be passed over
        const perhaps = items.filter((event) => mayBeChosen(context, event))
        return (await judge(perhaps, (event) => isChosen(context, event))).filter(({ n }) => isNumberChosen(context, n))
      },
      nameOf: ({ n = 0 }) => String(n),
      anchor: async (name) => {
        const place = /^\d{1,15}$/.test(name) ? await places?.ofNumber(Number(name)) : undefined
        return place && { key: [place.position], viewable: true }
      },
      present,
      fleeting: true,
    })
  },
})
