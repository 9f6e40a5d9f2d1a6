// Decision 45.

import type { DocumentStore } from '../../src/ports/documents.ts'
import { LOG_START, type Position } from '../../src/ports/event-store.ts'
import { ANY_COLLECTION, parked } from './parked.ts'
import type { Projection } from './projection.ts'
import { readParked } from './runner.ts'
import { checkpointOf, collectionsOf, keysOf, listSets, sets } from './sets.ts'
import { SHARD_COUNT, shardCheckpoints, shardSetOf, shardsOfSet } from './shards.ts'

// Leftovers: tombstones of deleted documents, collections and checkpoints of earlier versions.

/** The most tombstones of one collection that a round deletes. */
const SWEEP_ROUND = 1_000

export const sweptName = (key: string): string => `swept-${key}`

/**
 * Returns the position up to which each collection was swept, by the collection's key. The sweeping process had applied every event up to
 * there. A rebuild from the beginning of the log must skip those events, since the tombstones that prevented applying them again may be
 * gone.
 */
export const sweptOf = async (documents: DocumentStore, projections: readonly Projection[]): Promise<ReadonlyMap<string, Position>> => {
  const keys = keysOf(projections)
  const found = await documents.checkpoints(keys.map(sweptName))
  return new Map(keys.flatMap((key) => (found.has(sweptName(key)) ? [[key, found.get(sweptName(key)) ?? LOG_START]] : [])))
}

/** Forgets how far these collections were swept. This must accompany forgetting their documents. */
export const forgetSwept = async (documents: DocumentStore, keys: readonly string[]): Promise<void> => {
  for (const key of keys) await documents.clear([], sweptName(key))
}

/**
 * Creates the checkpoints of these projections' shards at the log's beginning, unless they exist. Tombstones of events that the shards may
 * still have to apply are not swept, so this happens before anything is read.
 */
export const registerShards = async (documents: DocumentStore, projections: readonly Projection[]): Promise<void> => {
  const id = shardSetOf(projections)
  const document = { id, collections: keysOf(projections) }
  const names = shardCheckpoints(projections)
  for (;;) {
    const existing = await documents.checkpoints(names)
    const moves = names.filter((name) => !existing.has(name)).map((name) => ({ name, from: undefined, to: LOG_START }))
    if ((await documents.write([{ collection: sets, id, position: LOG_START, document }], moves)) === 'written') return
  }
}

/** Returns the lowest position of all shards of every set of read models, current or not; undefined if there is none. */
const lowestOfAll = async (documents: DocumentStore): Promise<Position | undefined> => {
  const lowest: Position[] = []
  for (const { id } of await listSets(documents)) {
    const positions = await documents.checkpoints(shardsOfSet(id))
    if (positions.size > 0) lowest.push(positions.size < SHARD_COUNT ? LOG_START : ([...positions.values()].sort()[0] ?? LOG_START))
  }
  return lowest.sort()[0]
}

export type Sweeper = {
  /** Reads how far every shard is. Nothing is swept before this was called. */
  readonly look: () => Promise<void>
  /** Deletes tombstones, a limited number of each collection, and returns how many. */
  readonly sweep: (limit?: number) => Promise<number>
}

type Look = { readonly at: number; readonly lowest: Position }

/**
 * Deletes tombstones that every shard of every set passed at least `minAgeMs` ago. A write that was under way when a shard passed a
 * tombstone has ended by then, or is never sent.
 */
export const openSweeper = (
  documents: DocumentStore,
  projections: readonly Projection[],
  minAgeMs: number,
  now: () => number = () => performance.now(),
): Sweeper => {
  let looks: readonly Look[] = []
  return {
    look: async () => {
      const lowest = (await lowestOfAll(documents)) ?? LOG_START
      const at = now()
      if (looks.at(-1)?.lowest !== lowest) looks = [...looks, { at, lowest }]
      const last = looks.findLastIndex((look) => look.at <= at - minAgeMs)
      looks = looks.slice(Math.max(0, last)) // the last look that is old enough allows the most to be swept
    },
    sweep: async (limit = SWEEP_ROUND) => {
      const [oldest] = looks
      return oldest && oldest.at <= now() - minAgeMs ? sweepUpTo(documents, projections, oldest.lowest, limit) : 0
    },
  }
}

/** Records how far it sweeps, then reads the checkpoints again: a new set either has its checkpoints by then, or reads the record later. */
const sweepUpTo = async (
  documents: DocumentStore,
  projections: readonly Projection[],
  passed: Position,
  limit: number,
): Promise<number> => {
  const lowest = (await lowestOfAll(documents)) ?? LOG_START
  const upTo = passed < lowest ? passed : lowest
  if (upTo === LOG_START) return 0
  const swept = await sweptOf(documents, projections)
  const moves = keysOf(projections)
    .filter((key) => (swept.get(key) ?? LOG_START) < upTo)
    .map((key) => ({ name: sweptName(key), from: swept.get(key), to: upTo }))
  if ((await documents.write([], moves)) === 'fenced') return 0 // another worker is sweeping
  if (((await lowestOfAll(documents)) ?? LOG_START) < upTo) return 0
  let removed = 0
  for (const { collection } of projections) removed += await documents.sweep(collection, upTo, limit)
  return removed
}

export type Leftovers = {
  /** Names of stored collections that no projection fills. */
  readonly collections: readonly string[]
  /** Sets of read models other than this version's whose checkpoints still exist, by the names of their checkpoints. */
  readonly sets: readonly string[]
}

/** Collections and checkpoints of earlier or later versions. */
export const leftoversOf = async (documents: DocumentStore, projections: readonly Projection[]): Promise<Leftovers> => {
  const currentSets = new Set([checkpointOf(projections), shardSetOf(projections)])
  const others: string[] = []
  for (const { id } of await listSets(documents))
    if (!currentSets.has(id) && (await documents.checkpoints([id, ...shardsOfSet(id)])).size > 0) others.push(id)
  return { collections: await documents.obsolete(collectionsOf(projections)), sets: others }
}

/**
 * Drops leftovers. No further collection is begun after `ms` milliseconds; the next call goes on. Checkpoints are dropped first, so that a
 * process of an earlier version rebuilds its collections instead of assuming that they exist.
 */
export const dropLeftovers = async (
  documents: DocumentStore,
  { collections, sets: others }: Leftovers,
  ms = Number.POSITIVE_INFINITY,
): Promise<void> => {
  const began = performance.now()
  for (const id of others) for (const name of [id, ...shardsOfSet(id)]) await documents.clear([], name)
  await forgetSwept(documents, collections)
  for (const name of collections) {
    await documents.drop(name)
    if (performance.now() - began > ms) return
  }
}

/** Deletes parked entries of collections that are gone, if they are before a position: the store takes a removal as a later change. */
export const forgetParked = async (documents: DocumentStore, projections: readonly Projection[], position: Position): Promise<void> => {
  const keys = new Set([...keysOf(projections), ANY_COLLECTION])
  const stale = (await readParked(documents)).filter(({ collection, last }) => !keys.has(collection) && last < position)
  const changes = stale.map(({ id }) => ({ collection: parked, id, position, document: undefined }))
  if (changes.length > 0) await documents.write(changes, [])
}
