import type { Logged } from '../../src/domain/events.ts'
import type { Readers } from './batch.ts'
import type { Projection } from './projection.ts'
import { checkpointOf } from './sets.ts'

/** Changing this number rebuilds every read model. */
export const SHARD_COUNT = 16

/** Which shard a document belongs to, whatever its collection. FNV-1a, mixed once more since ids differ in their last letters. */
export const shardOf = (document: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < document.length; i++) hash = Math.imul(hash ^ document.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> (32 - Math.log2(SHARD_COUNT))
}

/** The name of a set of versions whose read models are stored in shards. */
export const shardSetOf = (projections: readonly Projection[]): string => checkpointOf(projections, `read-models-of-${SHARD_COUNT}`)

/** The checkpoints of such a set, one for each shard. */
export const shardsOfSet = (set: string): readonly string[] => Array.from({ length: SHARD_COUNT }, (_, shard) => `${set}.${shard}`)

/** The workers that share the shards of a set. */
export const workersOfSet = (set: string): string => `projections.${set}`

export const workersOf = (projections: readonly Projection[]): string => workersOfSet(shardSetOf(projections))

/** One for each shard, shared by all collections of these versions. */
export const shardCheckpoints = (projections: readonly Projection[]): readonly string[] => shardsOfSet(shardSetOf(projections))

/** The shards without which a response does not show some events: those of the documents they touch. Undefined: all. */
export const shardsTouchedBy = (readers: Readers, events: readonly Logged[]): ReadonlySet<number> | undefined => {
  const shards = new Set<number>()
  try {
    for (const event of events)
      for (const { read, inLogOrder } of readers.get(event.type) ?? [])
        for (const { id } of read(event)) {
          if (inLogOrder) return undefined
          shards.add(shardOf(id))
        }
    return shards
  } catch {
    return undefined // the worker parks it; callers wait for all shards
  }
}
