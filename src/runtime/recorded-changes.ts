// Decision 130.

import type { BatchRecord, Document, Progress } from '../ports/documents.ts'
import { LOG_START, type Position } from '../ports/event-store.ts'
import type { ChangedDocument, Freshness, Interest } from '../ports/freshness.ts'
import { recentChanges } from '../ports/recent-changes.ts'
import { estimateBytes } from '../ports/size.ts'

/** The most changed documents that are taken in at once, and the most of one collection that are fetched. */
const MAX_CHANGED = 5_000
const MAX_FETCHED = 500

/** Fetches documents of a collection: whole, or their indexed fields. Those that do not exist are left out. */
export type FetchChanged = (collection: string, ids: readonly string[], whole: boolean) => Promise<ReadonlyMap<string, Document>>

export type RecordedChanges = Pick<Freshness, 'changes'> & {
  readonly generation: (collection: string) => number
  readonly attend: (interest: Interest) => void
  /** Takes in the changes that moved checkpoints from some positions to others. */
  readonly take: (from: ReadonlyMap<string, Position>, progress: Progress) => Promise<void>
}

/** Tells whether moves lead from one position to another. No path begins at the beginning of the log, since a rebuild does. */
const isPathBetween = (
  from: Position,
  to: Position,
  moves: readonly { readonly from: Position | undefined; readonly to: Position }[],
): boolean => {
  if (from === LOG_START) return false
  const reached = new Set<Position | undefined>([from])
  for (const move of moves.toSorted((a, b) => (a.to < b.to ? -1 : 1))) if (reached.has(move.from)) reached.add(move.to)
  return reached.has(to)
}

/**
 * Returns the ids of the documents that changed while checkpoints moved, by collection; undefined if a move of one of them is not recorded.
 * Leaves out records of moves beyond `positions`. If two workers wrote one shard, the records of both count.
 */
export const readChangesBetween = (
  from: ReadonlyMap<string, Position>,
  { positions, records }: Progress,
): ReadonlyMap<string, ReadonlySet<string>> | undefined => {
  if (records === undefined) return undefined
  const moves = Map.groupBy(
    records.flatMap((record) => record.moves),
    ({ name }) => name,
  )
  for (const name of new Set([...from.keys(), ...positions.keys()])) {
    const [before, now] = [from.get(name) ?? LOG_START, positions.get(name) ?? LOG_START]
    if (before !== now && !isPathBetween(before, now, moves.get(name) ?? [])) return undefined
  }
  const isSeen = ({ moves: batchMoves }: BatchRecord) =>
    batchMoves.some(({ name, to }) => to <= (positions.get(name) ?? LOG_START) && to > (from.get(name) ?? LOG_START))
  const changed = new Map<string, Set<string>>()
  let count = 0
  for (const { ids } of records.filter(isSeen))
    for (const [collection, changedIds] of ids) {
      const known = changed.get(collection) ?? new Set()
      changed.set(collection, known)
      for (const id of changedIds) known.add(id)
      count += changedIds.length
      if (count > MAX_CHANGED) return undefined
    }
  return changed
}

const areShardsApart = (positions: ReadonlyMap<string, Position>): boolean => new Set(positions.values()).size > 1

/**
 * Follows the changes that the workers record. `inLogOrder` are the collections of which readers see nothing that is not settled: a shard
 * that catches up shows more of them, although none of their documents changes.
 */
export const openRecordedChanges = (fetch: FetchChanged, inLogOrder: readonly string[]): RecordedChanges => {
  const recent = recentChanges()
  const interests: Interest[] = []

  /** Fetches some documents as far as caches can use them. */
  const fetchUsed = async (collection: string, ids: ReadonlySet<string>): Promise<readonly ChangedDocument[] | undefined> => {
    const cached = new Set([...ids].filter((id) => interests.some(({ holds }) => holds(collection, id))))
    const isFollowed = interests.some(({ follows }) => follows(collection))
    const used = isFollowed ? ids : cached
    if (used.size > MAX_FETCHED) return undefined
    const needsWhole = cached.size > 0
    const found = used.size === 0 ? new Map<string, Document>() : await fetch(collection, [...used], needsWhole)
    return [...ids].map((id): ChangedDocument => {
      const document = found.get(id)
      if (!used.has(id)) return { id, document: () => undefined, known: 'nothing' }
      return { id, document: () => document, ...(document !== undefined && !needsWhole && { known: 'indexed' }) }
    })
  }

  return {
    generation: recent.generation,
    changes: recent.since,
    attend: (interest) => void interests.push(interest),
    take: async (from, progress) => {
      const changed = readChangesBetween(from, progress)
      if (changed === undefined) return recent.end()
      const fetched = await Promise.all([...changed].map(async ([name, ids]) => [name, await fetchUsed(name, ids)] as const))
      for (const [collection, documents] of fetched) {
        if (documents === undefined) recent.end(collection)
        else for (const one of documents) recent.add(collection, one, Math.ceil(estimateBytes(one.document() ?? null) / 2))
      }
      if (areShardsApart(from)) for (const collection of inLogOrder) recent.touch(collection)
    },
  }
}
