import * as E from 'fp-ts/lib/Either.js'
import type { Anchor } from '../../../ports/documents.ts'
import { type ModLogEntry, type ModLogFilter, matches, modLogEntries, modLogEntry, modLogOf } from '../../../queries/mod-log.ts'
import { walk } from '../../../queries/ordered-source.ts'
import type { Context, Uses } from '../../contract/endpoint.ts'
import { followerOf, type StreamPart } from '../../contract/followers.ts'
import type { Reply } from '../../contract/handler-response.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { notSuspended } from '../../needs/facts.ts'
import { selectModerated } from '../../needs/listed-links.ts'
import { mayViewSubsite } from '../../things/access.ts'
import { modActionName, modLogRecords } from '../../things/log-entries.ts'
import { lastEventId, serverSentEvent } from '../../wire/event-stream.ts'

type StreamContext = Context & Uses<'history' | 'followers' | 'viewerNow'>

/** The most entries that are sent at once. */
const MAX_ENTRIES = 100

/** The anchor before every entry of a log: an order that descends ends there. */
const OLDEST: Anchor = ['', '']

/** Returns the subsites whose logs are asked for, as the viewer may read them now; undefined if the viewer may not any more. */
const stillReadable = async (context: StreamContext): Promise<readonly string[] | undefined> => {
  const subsites = await selectModerated(context, 'subsites')
  if (E.isLeft(subsites) || E.isLeft(await notSuspended(context, 'active'))) return undefined
  const isOfPath = context.site.kind === 'subsite' || context.site.kind === 'several'
  if (!isOfPath) return subsites.right
  const views = await Promise.all(subsites.right.map((subsite) => mayViewSubsite(context, subsite)))
  return views.every(Boolean) ? subsites.right : undefined
}

/** Returns the place of the client's last entry, or of the newest one if it names none. */
const findBeginning = async (context: StreamContext, filter: ModLogFilter): Promise<E.Either<Refusal, Anchor>> => {
  const name = (lastEventId(context.headers) ?? context.page.before)?.toLowerCase()
  const source = modLogOf(context, filter)
  if (name === undefined) {
    const [newest] = (await walk(source, 1, undefined)).items
    return E.right(newest ? source.keyOf(newest) : OLDEST)
  }
  const id = /^modaction_(.+)$/.exec(name)?.[1]
  const known = id === undefined ? undefined : await modLogEntry(context.documents, id, filter)
  if (!known) return refuseRule('NOT_FOUND')
  return filter.subsites.includes(known.entry.subsite) ? E.right(known.anchor) : refuseRule('FORBIDDEN')
}

/**
 * Returns the next entries, oldest first, and the anchor after which the next look begins. An entry without numbers yet waits for them, and
 * all after it wait, too.
 */
const entriesAfter = async (context: StreamContext, filter: ModLogFilter, after: Anchor) => {
  const source = modLogOf(context, filter)
  const visible = (places: readonly ModLogEntry[]) => places.filter((place) => matches(place, filter))
  const walked = await walk(source, MAX_ENTRIES, { before: after }, visible)
  const places = walked.items.toReversed()
  const records = await modLogRecords(context, await modLogEntries(context.documents, places))
  const unnumbered = context.history ? records.findIndex(({ data }) => data.k === null) : -1
  const shown = unnumbered < 0 ? places : places.slice(0, unnumbered)
  // the last entry that was read: the filter may have left it out, and those without numbers are read again
  const lastRead = unnumbered < 0 && walked.hidden === 'before' ? walked.before : shown.at(-1)
  return {
    shown: shown.map(({ id }, at) => ({ id, record: records[at] })),
    end: lastRead && source.keyOf(lastRead),
    isAll: unnumbered >= 0 || walked.before === undefined,
  }
}

/**
 * Streams the entries of a moderation log as they are made, each once and in order, after the client's last one. The permission to read
 * them is checked each time.
 */
export const modLogStream = async (context: StreamContext, filter: ModLogFilter): Promise<E.Either<Refusal, Reply>> => {
  const { followers, viewerNow, headers, viewer: first } = context
  const past = filter.since !== undefined ? 'since' : filter.until !== undefined ? 'until' : filter.upTo && 'at'
  if (past) return E.left({ code: 'BAD_REQUEST', field: past, text: 'This parameter cannot be used with Accept: text/event-stream.' })
  const beginning = await findBeginning(context, filter)
  if (E.isLeft(beginning)) return beginning
  const follower = followerOf(context)
  const refused = followers.refusal(follower)
  if (refused) return E.left(refused)
  let after = beginning.right
  const look = async (): Promise<StreamPart> => {
    const viewer = await viewerNow(headers)
    if (viewer === undefined || viewer.account !== first.account || viewer.via !== first.via) return { text: '', next: 'end' }
    const now = { ...context, viewer: { ...viewer, ...(first.within && { within: first.within }) } }
    const subsites = await stillReadable(now)
    if (subsites === undefined) return { text: '', next: 'end' }
    const { shown, end, isAll } = await entriesAfter(now, { ...filter, subsites }, after)
    after = end ?? after
    return { text: shown.map(({ id, record }) => serverSentEvent(modActionName(id), record)).join(''), next: isAll ? 'wait' : 'more' }
  }
  return E.right({ kind: 'stream', body: followers.follow(follower, look), fleeting: true })
}
