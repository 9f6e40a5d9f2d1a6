// Decision 44.

import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Logged } from '../../src/domain/events.ts'
import type { CheckpointMove, Collection, Document, VersionedDocument } from '../../src/ports/documents.ts'
import { LOG_START, type LogBatch, type Position, type RecordedEvent } from '../../src/ports/event-store.ts'
import { bytesOf } from '../../src/ports/size.ts'
import { collectionKey, type ParkedDocuments, readersOf } from './batch.ts'
import type { Feed } from './feed.ts'
import { sweptOf } from './leftovers.ts'
import { addedBy, openPace } from './pace.ts'
import { type ParkedDocument, PoisonEvent } from './parked.ts'
import { load, openProjecting } from './projecting.ts'
import type { Projection } from './projection.ts'
import { type Ports, readParked } from './runner.ts'
import { shardCheckpoints, shardOf } from './shards.ts'

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
/** The most bytes in memory at once. A batch that comes to more is written as far as it has come. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024
/** The number of events opened without a pause while a batch is written. The calls that write it wait for their turn meanwhile. */
const AHEAD_EVENTS = 100
/** Milliseconds that a turn waits for events. */
const TURN_WAIT_MS = 250

/** The position of a shard's checkpoint, and how far the log was read after it without finding an event. */
type ShardPosition = { readonly stored: Position | undefined; readonly read: Position }

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

/** Folds the log into its shards. A newly acquired shard is first brought to the position of the others. */
export const openShardedRunner = (
  { documents, open, onParked }: Pick<Ports, 'documents' | 'open' | 'onParked'>,
  feed: Feed,
  projections: readonly Projection[],
): ShardedRunner => {
  const names = shardCheckpoints(projections)
  const readers = readersOf(projections)
  const memory = new LRUCache<string, CachedDocument>({
    max: MAX_CACHED_DOCUMENTS,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ document }, key) => 100 + key.length + bytesOf(document),
  })
  const pace = openPace(STEP_EVENTS)
  let places = new Map<number, ShardPosition>()
  let known: Map<string, ParkedDocument> | undefined
  let swept: ReadonlyMap<string, Position> = new Map()
  let done = 0
  let most = MAX_BATCH_EVENTS
  let ahead: { readonly from: Position; readonly batch: Promise<LogBatch> } | undefined
  const openedAhead = new WeakMap<RecordedEvent, Logged>()

  const memoryKey = (collection: Collection<Document>, id: string) => `${collectionKey(collection)} ${id}`

  const forget = (): void => {
    places = new Map()
    known = undefined
    memory.clear()
    most = Math.max(MIN_BATCH_EVENTS, Math.floor(most / 4))
  }

  /** Reads the positions of newly acquired shards, and drops those of lost ones. */
  const adopt = async (shards: ReadonlySet<number>): Promise<void> => {
    const given = [...shards].filter((shard) => !places.has(shard))
    places = new Map([...places].filter(([shard]) => shards.has(shard)))
    if (given.length === 0) return
    memory.clear() // the memory of a shard ends with its lease
    const stand = await documents.checkpoints(given.map((shard) => names[shard] ?? ''))
    known = new Map((await readParked(documents)).map((entry) => [entry.id, entry]))
    swept = await sweptOf(documents, projections)
    for (const shard of given) {
      const stored = stand.get(names[shard] ?? '')
      places.set(shard, { stored, read: stored ?? LOG_START })
    }
  }

  const loaded = async (collection: Collection<Document>, ids: readonly string[]): Promise<ReadonlyMap<string, CachedDocument>> => {
    const found = new Map<string, CachedDocument>()
    const unknown: string[] = []
    for (const id of ids) {
      const remembered = memory.get(memoryKey(collection, id))
      if (remembered) found.set(id, remembered)
      else unknown.push(id)
    }
    for (const [id, versioned] of await load(documents, collection, unknown)) found.set(id, versioned)
    return found
  }

  /** Returns the next events for the shards furthest behind, none beyond the position of this runner's other shards. */
  const gather = async (from: Position, ceiling: Position | undefined): Promise<LogBatch> => {
    const first = await feed.next(from, TURN_WAIT_MS)
    const events = [...first.events]
    let position = first.position
    let bytes = addedBy(events)
    while (events.length > 0 && events.length < most && bytes < MAX_BATCH_BYTES && (ceiling === undefined || position < ceiling)) {
      const more = await feed.next(position, 0)
      if (more.position === position) break
      events.push(...more.events)
      bytes += addedBy(more.events)
      position = more.position
    }
    return ceiling === undefined || position <= ceiling
      ? { events, position }
      : { events: events.filter((event) => event.position <= ceiling), position: ceiling }
  }

  /** Reads and opens the next events while a batch is written. An event that cannot be opened is left to its own turn. */
  const readAhead = async (from: Position): Promise<LogBatch> => {
    const batch = await gather(from, undefined)
    for (let at = 0; at < batch.events.length; at += AHEAD_EVENTS) {
      const some = batch.events.slice(at, at + AHEAD_EVENTS)
      const opened = await open(some).catch(() => [])
      for (const [i, event] of opened.entries()) openedAhead.set(some[i] as RecordedEvent, event)
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
    const reading = ahead
    ahead = undefined
    // waits even if the result is not used: the feed has one reader at a time; a lasting fault shows again
    const batch = await reading?.batch.catch(() => undefined)
    return batch && reading?.from === from && ceiling === undefined ? batch : gather(from, ceiling)
  }

  /** Projects a batch. Every shard's checkpoint moves with every batch, whether the batch touched the shard or not. */
  const project = async (
    group: ReadonlyMap<number, ShardPosition>,
    { events, position }: LogBatch,
    isCurrent: (() => boolean) | undefined,
  ): Promise<Turn> => {
    const before: ParkedDocuments = known ?? new Map()
    const mine = (id: string, key: string, at: Position) => group.has(shardOf(id)) && at > (swept.get(key) ?? LOG_START)
    const projecting = openProjecting({ open: openOnce, projections, readers, known: before, loadSome: loaded, pace, mine })
    let taken = 0
    while (taken < events.length && projecting.bytes() < MAX_BATCH_BYTES) {
      const step = events.slice(taken, taken + pace.events())
      await projecting.step(step)
      taken += step.length
    }
    const to = events[taken - 1]?.position ?? position // the position of an event, which means something to every reader of the log
    const { changes, parking, news } = projecting.result()
    const moves = [...group].map(([shard, { stored }]): CheckpointMove => ({ name: names[shard] ?? '', from: stored, to }))
    if (group.size === places.size && taken === events.length && taken >= MIN_BATCH_EVENTS) {
      ahead = { from: position, batch: readAhead(position) }
      ahead.batch.catch(() => undefined)
    }
    // a server finds documents fastest in the order of their ids
    const inIdOrder = changes.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if ((await documents.write([...inIdOrder, ...parking], moves, isCurrent)) === 'fenced') {
      forget()
      return 'fenced'
    }
    for (const { collection, id, position: at, document } of changes) memory.set(memoryKey(collection, id), { position: at, document })
    for (const [id, entry] of news) if (!before.has(id)) onParked?.(new PoisonEvent(entry))
    known = new Map([...before, ...news])
    for (const shard of group.keys()) places.set(shard, { stored: to, read: taken < events.length ? to : position })
    done += taken
    most = Math.min(MAX_BATCH_EVENTS, most * 2)
    return 'moved'
  }

  return {
    places: () => new Map([...places].map(([shard, { read }]) => [shard, read])),
    parked: () => known?.size ?? 0,
    events: () => done,
    forget,
    turn: async (shards, isCurrent) => {
      await adopt(shards)
      const reads = [...new Set([...places.values()].map(({ read }) => read))].sort()
      const [lowest, ceiling] = reads
      if (lowest === undefined) return 'waited'
      const batch = await nextBatch(lowest, ceiling)
      const group = new Map([...places].filter(([, { read }]) => read === lowest))
      if (batch.events.length > 0) return project(group, batch, isCurrent)
      for (const [shard, { stored }] of group) places.set(shard, { stored, read: batch.position })
      return batch.position === lowest ? 'waited' : 'moved'
    },
  }
}
