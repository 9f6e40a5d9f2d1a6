// Decisions 44 and 132.

import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Logged } from '../../src/domain/events.ts'
import { Vote } from '../../src/domain/vote.ts'
import { type CheckpointMove, type Collection, collectionKey, type Document, type VersionedDocument } from '../../src/ports/documents.ts'
import { type EventStore, type LeftOut, LOG_START, type LogBatch, type Position, type RecordedEvent } from '../../src/ports/event-store.ts'
import { bytesOf } from '../../src/ports/size.ts'
import { readersOf } from './batch.ts'
import type { Feed } from './feed.ts'
import { sweptOf } from './leftovers.ts'
import { openPace, sumBytes } from './pace.ts'
import { byKey, type ParkedDocument, type ParkedDocuments, PoisonEvent } from './parked.ts'
import { endingsOf } from './partitions.ts'
import { load, openProjecting } from './projecting.ts'
import type { Projection } from './projection.ts'
import { retryParked } from './retry-parked.ts'
import { type Ports, readParked } from './runner.ts'
import { SHARD_COUNT, shardCheckpoints, shardOf } from './shards.ts'

/**
 * The number of events in one batch, if there are so many; also the number of documents cached between batches, which no other worker
 * writes.
 */
export const MAX_BATCH_EVENTS = 5_000
/** A batch that failed is retried in parts, down to this size, since a batch too large for the store would fail again. */
const MIN_BATCH_EVENTS = 500
const MAX_CACHED_DOCUMENTS = 20_000
const MAX_CACHED_BYTES = 32 * 1024 * 1024
/**
 * The number of events whose documents are loaded together. How large those are is known only afterwards. The store takes as many ids in a
 * call.
 */
const STEP_EVENTS = 1_000
/** The most bytes in memory at once. A batch that reaches them is written before it is complete. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024
/** The number of events opened without a pause while a batch is written. The calls that write it wait for their turn meanwhile. */
const AHEAD_EVENTS = 100
/** Milliseconds that a turn waits for events. */
const TURN_WAIT_MS = 250

/** The position of a shard's checkpoint, and how far the log was read after it without finding an event of the shard. */
type ShardPosition = { readonly stored: Position | undefined; readonly read: Position }

/** Returns the events that change no document of some shards: votes on things of other partitions. */
export const foreignTo = (shards: ReadonlySet<number>): LeftOut | undefined =>
  shards.size === SHARD_COUNT ? undefined : { category: Vote.category, except: endingsOf(shards) }

export type Turn = 'moved' | 'waited' | 'fenced'

export type ShardedRunner = {
  /** The position of each shard that this runner works on. */
  readonly places: () => ReadonlyMap<number, Position>
  /** The number of parked documents, as far as this runner knows. */
  readonly parked: () => number
  readonly events: () => number
  /**
   * Projects events for the shards that are furthest behind. It writes nothing more once `isCurrent` returns false. A second call must wait
   * until the first has resolved.
   */
  readonly turn: (shards: ReadonlySet<number>, isCurrent?: () => boolean) => Promise<Turn>
  /** Drops everything cached: after a fault, or if other workers may have written meanwhile. */
  readonly forget: () => void
}

type CachedDocument = VersionedDocument<Document>

/** Folds the log into its shards, without votes of other partitions. A newly acquired shard is first brought to the position of the others. */
export const openShardedRunner = (
  {
    events: log,
    documents,
    open,
    onParked,
  }: Pick<Ports, 'documents' | 'open' | 'onParked'> & { readonly events: Pick<EventStore, 'readAll'> },
  feed: Feed,
  projections: readonly Projection[],
): ShardedRunner => {
  const checkpointNames = shardCheckpoints(projections)
  const readers = readersOf(projections)
  const cachedDocuments = new LRUCache<string, CachedDocument>({
    max: MAX_CACHED_DOCUMENTS,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ document }, key) => 100 + key.length + bytesOf(document),
  })
  const pace = openPace(STEP_EVENTS)
  let shardPositions = new Map<number, ShardPosition>()
  let subscribed: ReadonlySet<number> = new Set()
  let knownParked: Map<string, ParkedDocument> | undefined
  let sweptUpTo: ReadonlyMap<string, Position> = new Map()
  let projectedCount = 0
  /** True if documents changed outside of batches. The next batch has no record, so that everybody who caches documents reads them again. */
  let hasUnrecorded = false
  let batchLimit = MAX_BATCH_EVENTS
  let batchAhead: { readonly from: Position; readonly batch: Promise<LogBatch> } | undefined
  const openedAhead = new WeakMap<RecordedEvent, Logged>()

  const memoryKey = (collection: Collection<Document>, id: string) => `${collectionKey(collection)} ${id}`

  const forget = (): void => {
    shardPositions = new Map()
    knownParked = undefined
    cachedDocuments.clear()
    batchLimit = Math.max(MIN_BATCH_EVENTS, Math.floor(batchLimit / 4))
  }

  /** Subscribes anew if the shards are others than before. Batches that were read ahead for the old shards lack events of the new ones. */
  const subscribeFor = async (shards: ReadonlySet<number>): Promise<void> => {
    if (shards.size === subscribed.size && [...shards].every((shard) => subscribed.has(shard))) return
    const reading = batchAhead
    batchAhead = undefined
    await reading?.batch.catch(() => undefined) // the feed has one reader at a time
    await feed.leaveOut(foreignTo(shards))
    subscribed = new Set(shards)
  }

  /** Reads the positions of newly acquired shards, and drops those of lost ones. Their parked documents are tried again. */
  const adoptShards = async (shards: ReadonlySet<number>, isCurrent: (() => boolean) | undefined): Promise<void> => {
    const acquired = [...shards].filter((shard) => !shardPositions.has(shard))
    shardPositions = new Map([...shardPositions].filter(([shard]) => shards.has(shard)))
    await subscribeFor(shards)
    if (acquired.length === 0) return
    cachedDocuments.clear() // the memory of a shard ends with its lease
    const stand = await documents.checkpoints(acquired.map((shard) => checkpointNames[shard] ?? ''))
    const findCover = (document: string) => {
      const name = checkpointNames[shardOf(document)] ?? ''
      const at = acquired.includes(shardOf(document)) ? stand.get(name) : undefined
      return at === undefined ? undefined : { name, at }
    }
    const entries = await readParked(documents)
    const stillParked = await retryParked({ events: log, documents, open }, projections, {
      entries,
      findCover,
      ...(isCurrent && { isCurrent }),
    })
    knownParked = byKey(stillParked)
    hasUnrecorded ||= entries.some((entry) => !stillParked.includes(entry))
    sweptUpTo = await sweptOf(documents, projections)
    for (const shard of acquired) {
      const stored = stand.get(checkpointNames[shard] ?? '')
      shardPositions.set(shard, { stored, read: stored ?? LOG_START })
    }
  }

  const loadStates = async (collection: Collection<Document>, ids: readonly string[]): Promise<ReadonlyMap<string, CachedDocument>> => {
    const found = new Map<string, CachedDocument>()
    const unknown: string[] = []
    for (const id of ids) {
      const remembered = cachedDocuments.get(memoryKey(collection, id))
      if (remembered) found.set(id, remembered)
      else unknown.push(id)
    }
    for (const [id, versioned] of await load(documents, collection, unknown)) found.set(id, versioned)
    return found
  }

  /** Returns the next events for the shards furthest behind, none beyond the position of this runner's other shards. */
  const readBatch = async (from: Position, ceiling: Position | undefined): Promise<LogBatch> => {
    const first = await feed.next(from, TURN_WAIT_MS)
    const events = [...first.events]
    let position = first.position
    let bytes = sumBytes(events)
    while (events.length > 0 && events.length < batchLimit && bytes < MAX_BATCH_BYTES && (ceiling === undefined || position < ceiling)) {
      const more = await feed.next(position, 0)
      if (more.position === position) break
      events.push(...more.events)
      bytes += sumBytes(more.events)
      position = more.position
    }
    return ceiling === undefined || position <= ceiling
      ? { events, position }
      : { events: events.filter((event) => event.position <= ceiling), position: ceiling }
  }

  /** Reads and opens the next events while a batch is written. An event that cannot be opened is left to its own turn. */
  const readAhead = async (from: Position): Promise<LogBatch> => {
    const batch = await readBatch(from, undefined)
    for (let at = 0; at < batch.events.length; at += AHEAD_EVENTS) {
      const slice = batch.events.slice(at, at + AHEAD_EVENTS)
      const opened = await open(slice).catch(() => [])
      for (const [i, event] of opened.entries()) openedAhead.set(slice[i] as RecordedEvent, event)
      await setImmediate()
    }
    return batch
  }

  const openOnce: typeof open = async (recorded) => {
    const known = recorded.map((event) => openedAhead.get(event)).filter((event) => event !== undefined)
    return known.length === recorded.length ? known : open(recorded)
  }

  /**
   * Returns the next batch for the shards furthest behind. Events that were read ahead for other shards, or before shards were acquired or
   * lost, are read again.
   */
  const nextBatch = async (from: Position, ceiling: Position | undefined): Promise<LogBatch> => {
    const reading = batchAhead
    batchAhead = undefined
    // waits even if the result is not used: the feed has one reader at a time; a lasting fault shows again
    const batch = await reading?.batch.catch(() => undefined)
    return batch && reading?.from === from && ceiling === undefined ? batch : readBatch(from, ceiling)
  }

  /** Returns how far shards are after a batch. That is not beyond the last event of the log: it would seem to be another one. */
  const lastUpTo = async (position: Position, received: Position = LOG_START): Promise<Position> => {
    if (received >= position) return received
    const newest = await feed.head()
    return newest < position ? newest : position
  }

  /** Folds as many events of a batch as memory allows. Returns their number, and the documents that they change. */
  const foldEvents = async (group: ReadonlyMap<number, ShardPosition>, events: LogBatch['events'], parked: ParkedDocuments) => {
    const isOurs = (id: string, key: string, at: Position) => group.has(shardOf(id)) && at > (sweptUpTo.get(key) ?? LOG_START)
    const after = group.values().next().value?.read ?? LOG_START
    const projecting = openProjecting({
      open: openOnce,
      projections,
      readers,
      known: parked,
      loadSome: loadStates,
      pace,
      after,
      isOurs: isOurs,
    })
    let taken = 0
    while (taken < events.length && projecting.bytes() < MAX_BATCH_BYTES) {
      const step = events.slice(taken, taken + pace.events())
      await projecting.step(step)
      taken += step.length
    }
    return { projecting, taken }
  }

  /** Begins to read the events after a batch, while that is written. Its fault shows when the batch is taken. */
  const beginReadAhead = (from: Position): void => {
    batchAhead = { from, batch: readAhead(from) }
    batchAhead.batch.catch(() => undefined)
  }

  /** Projects a batch. Every shard's checkpoint moves with every batch, whether the batch touched the shard or not. */
  const project = async (
    group: ReadonlyMap<number, ShardPosition>,
    { events, position }: LogBatch,
    isCurrent: (() => boolean) | undefined,
  ): Promise<Turn> => {
    const before: ParkedDocuments = knownParked ?? new Map()
    const { projecting, taken } = await foldEvents(group, events, before)
    const isWhole = taken === events.length
    const to = isWhole ? await lastUpTo(position, events.at(-1)?.position) : (events[taken - 1]?.position ?? position)
    if (events.length === 0 && [...group.values()].every(({ stored = LOG_START }) => stored >= to)) {
      for (const [shard, { stored }] of group) shardPositions.set(shard, { stored, read: position })
      return 'moved'
    }
    const { changes, parking, news } = projecting.result()
    const moves = [...group].map(([shard, { stored }]): CheckpointMove => ({ name: checkpointNames[shard] ?? '', from: stored, to }))
    if (group.size === shardPositions.size && isWhole && taken >= MIN_BATCH_EVENTS) beginReadAhead(position)
    // a server finds documents fastest in the order of their ids
    const inIdOrder = changes.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const [lowest = LOG_START] = moves.flatMap(({ from }) => from ?? []).sort()
    const rewritten = hasUnrecorded ? undefined : projecting.writtenBeyond(lowest)
    if ((await documents.write([...inIdOrder, ...parking], moves, isCurrent, rewritten)) === 'fenced') {
      forget()
      return 'fenced'
    }
    hasUnrecorded = false
    for (const { collection, id, position: at, document } of changes)
      cachedDocuments.set(memoryKey(collection, id), { position: at, document })
    for (const [id, entry] of news) if (!before.has(id)) onParked?.(new PoisonEvent(entry))
    knownParked = new Map([...before, ...news])
    for (const shard of group.keys()) shardPositions.set(shard, { stored: to, read: isWhole ? position : to })
    projectedCount += taken
    batchLimit = Math.min(MAX_BATCH_EVENTS, batchLimit * 2)
    return 'moved'
  }

  return {
    places: () => new Map([...shardPositions].map(([shard, { read }]) => [shard, read])),
    parked: () => knownParked?.size ?? 0,
    events: () => projectedCount,
    forget,
    turn: async (shards, isCurrent) => {
      await adoptShards(shards, isCurrent)
      const reads = [...new Set([...shardPositions.values()].map(({ read }) => read))].sort()
      const [lowest, ceiling] = reads
      if (lowest === undefined) return 'waited'
      const batch = await nextBatch(lowest, ceiling)
      const group = new Map([...shardPositions].filter(([, { read }]) => read === lowest))
      return batch.events.length === 0 && batch.position === lowest ? 'waited' : project(group, batch, isCurrent)
    },
  }
}
