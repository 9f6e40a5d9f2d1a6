import { type ModLogDocument, modLog } from '../../projections/mod-log.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { MINUTE } from '../domain/time.ts'
import { type DocumentStore, type FieldOf, getOne } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import type { Freshness } from '../ports/freshness.ts'
import { inLogOrder, listingIndex, selectBy, type Where } from '../ports/indexed.ts'
import { keyBy, mergeSources, type OrderedSource } from './ordered-source.ts'

/** One moderator, the service itself (null), or everybody who acted as admin. */
export type Actor = { readonly mod: AccountId | null } | { readonly isAdmin: true }

/** Undefined matches everything, an empty list nothing. */
export type ModLogFilter = {
  readonly subsites: readonly SubsiteId[]
  readonly actions: readonly string[] | undefined
  readonly actors: readonly Actor[] | undefined
  /** The fullname of the target. */
  readonly target: string | undefined
  /** Milliseconds since 1970: entries are not before `since`, and before `until`. */
  readonly since: number | undefined
  readonly until: number | undefined
  /** A place in the log after which entries are left out, and the time of its last event. */
  readonly upTo?: { readonly position: Position; readonly at: number } | undefined
}

type LogReads = { readonly documents: DocumentStore; readonly freshness: Pick<Freshness, 'settled'> }

/** An entry as the indexes have it: its position and the fields of filters. */
export type ModLogEntry = Pick<ModLogDocument, 'id' | 'position' | 'at' | 'action' | 'mod' | 'isAdmin'>

/** The order of the log: no later event moves an entry. */
const AS_LOGGED = ['-position', '-id'] as const
/** The order for windows of time: in the log's own order an event may come after a later one. */
const BY_TIME = ['-at', '-position', '-id'] as const

/** Declares the indexes of the log's entries with these fields, in both orders. */
const bothOrders = <const Within extends FieldOf<ModLogDocument>>(...within: readonly Within[]) => {
  const fields = ['id', 'position', 'at', 'action', 'mod', 'isAdmin'] as const
  return { logged: inLogOrder(modLog, within, AS_LOGGED, fields), timed: listingIndex(modLog, within, BY_TIME, fields) }
}
type BothOrders<Within extends FieldOf<ModLogDocument>> = ReturnType<typeof bothOrders<Within>>

const ALL = bothOrders('subsite')
const ON_TARGET = bothOrders('subsite', 'targetId')
const OF_ACTION = bothOrders('subsite', 'action')
const BY_MOD = bothOrders('subsite', 'mod')
const BY_MOD_OF_ACTION = bothOrders('subsite', 'mod', 'action')
const BY_ADMINS = bothOrders('subsite', 'isAdmin')
const BY_ADMINS_OF_ACTION = bothOrders('subsite', 'isAdmin', 'action')

const ENTRIES_PER_READ = 200

/** The entries on one thing, newest first. */
export const ENTRIES_ON_THING = ON_TARGET.logged({})

/** Returns some entries on a thing in the order of the log, right after a position of the log or right before it. */
export const entriesBeside = async (
  documents: DocumentStore,
  { subsite, target }: { readonly subsite: SubsiteId; readonly target: string },
  side: 'after' | 'before',
  position: Position,
  limit: number,
): Promise<readonly ModLogEntry[]> => {
  // the index descends; no id is less than the empty one, and none is greater than this
  const page = side === 'before' ? { limit, after: [position, ''] } : { limit, before: [position, '~'] }
  return (await selectBy(documents, ENTRIES_ON_THING, { subsite, targetId: target }, page)).toReversed()
}

export const modLogOrder = ({ since, until }: Pick<ModLogFilter, 'since' | 'until'>): readonly string[] =>
  since === undefined && until === undefined ? AS_LOGGED : BY_TIME

const slices = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / ENTRIES_PER_READ) }, (_, n) => ids.slice(n * ENTRIES_PER_READ, (n + 1) * ENTRIES_PER_READ))

/** Reads entries by one of two indexes. */
type ListingBy = <Within extends FieldOf<ModLogDocument>>(
  listing: BothOrders<Within>,
  where: Where<ModLogDocument, Within>,
) => OrderedSource<ModLogEntry>

/** Returns the parts of the log that hold all matches. The store takes one membership condition per query. */
const toSources = (
  { subsites, actions, actors = [], target, since, until }: ModLogFilter,
  by: ListingBy,
): readonly OrderedSource<ModLogEntry>[] => {
  const time = { ...(since !== undefined && { gte: since }), ...(until !== undefined && { lt: until }) }
  const timed = Object.keys(time).length === 0 ? {} : { at: time }
  return slices(subsites).flatMap((slice): readonly OrderedSource<ModLogEntry>[] => {
    const [only, ...others] = slice
    const isOne = only !== undefined && others.length === 0
    const where = { subsite: isOne ? only : { in: slice }, ...timed }
    if (target !== undefined) return [by(ON_TARGET, { ...where, targetId: target })]
    const [first, ...more] = actions ?? []
    const action = more.length === 0 ? first : isOne ? { in: [...new Set(actions)] } : undefined
    if (actors.length === 0) return [action === undefined ? by(ALL, where) : by(OF_ACTION, { ...where, action })]
    return actors.map((actor) => {
      if ('mod' in actor)
        return action === undefined ? by(BY_MOD, { ...where, ...actor }) : by(BY_MOD_OF_ACTION, { ...where, ...actor, action })
      return action === undefined ? by(BY_ADMINS, { ...where, ...actor }) : by(BY_ADMINS_OF_ACTION, { ...where, ...actor, action })
    })
  })
}

const isBy = (entry: ModLogEntry, actor: Actor): boolean => ('mod' in actor ? entry.mod === actor.mod : entry.isAdmin)

/** Tells whether an entry meets the conditions of a filter that no index has. In a window of time few entries are after `upTo`. */
export const matches = (entry: ModLogEntry, { actions, actors, upTo }: ModLogFilter): boolean =>
  (upTo === undefined || entry.position <= upTo.position) &&
  (actions === undefined || actions.includes(entry.action)) &&
  (actors === undefined || actors.some((actor) => isBy(entry, actor)))

/** The time by which events in the log may be out of order, since each is within five minutes of the clock. */
const TIMES_OUT_OF_ORDER_MS = 10 * MINUTE

/** Ends the window of a filter soon after `upTo`, so that no later entries are read. */
const boundFilter = (filter: ModLogFilter): ModLogFilter => {
  const { since, until, upTo } = filter
  if (upTo === undefined || modLogOrder(filter) !== BY_TIME) return filter
  return { ...filter, since, until: Math.min(until ?? Number.MAX_SAFE_INTEGER, upTo.at + TIMES_OUT_OF_ORDER_MS + 1) }
}

/** Limits the settled position to `upTo`. */
const limitSettled = ({ settled }: LogReads['freshness'], { upTo }: ModLogFilter): LogReads['freshness'] => {
  if (upTo === undefined) return settled ? { settled } : {}
  return { settled: () => (settled && settled() < upTo.position ? settled() : upTo.position) }
}

const sourceOf = ({ documents, freshness }: LogReads, filter: ModLogFilter): OrderedSource<ModLogEntry> => {
  const order = modLogOrder(filter)
  const keyOf = keyBy<ModLogEntry>(order)
  const listLog: ListingBy = ({ logged, timed }, where) => ({
    keyOf,
    find: (page) => selectBy(documents, order === BY_TIME ? timed : logged(limitSettled(freshness, filter)), where, page),
  })
  return mergeSources(toSources(boundFilter(filter), listLog), order)
}

/**
 * Lists the moderation log of some subsites, newest first, without repetitions or gaps, also for clients that follow it. `matches` applies
 * the filters that no index has.
 */
export const modLogOf = (read: LogReads, filter: ModLogFilter): OrderedSource<ModLogEntry> =>
  [filter.subsites, filter.actions, filter.actors].some((list) => list?.length === 0)
    ? { find: async () => [], keyOf: keyBy(modLogOrder(filter)) }
    : sourceOf(read, filter)

export const modLogEntries = async (documents: DocumentStore, entries: readonly ModLogEntry[]): Promise<readonly ModLogDocument[]> => {
  const found = await documents.getMany(
    modLog,
    entries.map(({ id }) => id),
  )
  return entries.flatMap(({ id }) => found.get(id) ?? [])
}

/** Returns the entry of an id, and the anchor of a filtered page that starts or ends there. */
export const modLogEntry = async (documents: DocumentStore, id: string, window: Pick<ModLogFilter, 'since' | 'until'>) => {
  const entry = await getOne(documents, modLog, id)
  return entry && { entry, anchor: keyBy<ModLogDocument>(modLogOrder(window))(entry) }
}
