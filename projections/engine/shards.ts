import type { Logged, Stored } from '../../src/domain/events.ts'
import { prefixes } from '../../src/domain/ids.ts'
import type { Readers } from './batch.ts'
import { PARTITION_COUNT, partitionOf, partitionOfPart } from './partitions.ts'
import type { Projection } from './projection.ts'
import { checkpointOf } from './sets.ts'

/** The number of shards, one for each partition. Changing it, or the shard of any document, rebuilds every read model. */
export const SHARD_COUNT = PARTITION_COUNT

const VOTED_ON = [prefixes.link, prefixes.comment].map((prefix) => `${prefix}_`)

/** The hash is FNV-1a, mixed once more since ids differ in their last letters. */
const hashOf = (document: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < document.length; i++) hash = Math.imul(hash ^ document.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> (32 - Math.log2(SHARD_COUNT))
}

/**
 * Returns the shard of a document, whatever its collection. A part of a divided document, and a document whose id ends in a link or comment
 * (`<account>.<thing>`), is in the shard of that partition.
 */
export const shardOf = (document: string): number => {
  const end = document.lastIndexOf('.') + 1
  if (VOTED_ON.some((prefix) => document.startsWith(prefix, end))) return partitionOf(document)
  return partitionOfPart(document) ?? hashOf(document)
}

/** Returns the name of a set of versions whose read models are stored in shards. */
export const shardSetOf = (projections: readonly Projection[]): string => checkpointOf(projections, `read-models-of-${SHARD_COUNT}`)

/** Returns the checkpoints of a set of versions, one for each shard. */
export const shardsOfSet = (set: string): readonly string[] => Array.from({ length: SHARD_COUNT }, (_, shard) => `${set}.${shard}`)

/** Returns the name of the workers that share the shards of a set. */
export const workersOfSet = (set: string): string => `projections.${set}`

export const workersOf = (projections: readonly Projection[]): string => workersOfSet(shardSetOf(projections))

/** Returns the checkpoints of these versions, one for each shard, shared by all collections. */
export const shardCheckpoints = (projections: readonly Projection[]): readonly string[] => shardsOfSet(shardSetOf(projections))

/** Returns the shards that must apply some events before a response shows them: those of the documents they touch. Undefined means all. */
export const shardsTouchedBy = (readers: Readers, events: readonly Stored[]): ReadonlySet<number> | undefined => {
  const shards = new Set<number>()
  try {
    // the ids of documents do not depend on positions
    for (const event of events)
      for (const { read, inLogOrder } of readers.get(event.type) ?? [])
        for (const { id } of read(event as Logged)) {
          if (inLogOrder) return undefined
          shards.add(shardOf(id))
        }
    return shards
  } catch {
    return undefined // the worker parks it; callers wait for all shards
  }
}
