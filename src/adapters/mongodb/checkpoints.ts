// Decision 130.

import type { AnyBulkWriteOperation, Db } from 'mongodb'
import type { BatchRecord, CheckpointMove, Progress } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { type BatchRow, toBatchRecord } from './batch-records.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { callStore, isDuplicate } from './errors.ts'

/** The time for which a checkpoint is assumed to be where this process moved it. The next move finds out whether it is. */
const OWN_MOVE_MS = 500

/** The record of a small batch, which is stored with the first checkpoint that the batch moved. */
type StoredBatch = Pick<BatchRow, 'names' | 'to' | 'ids'> & { readonly from: Position }

/** `last` is a batch that moved this checkpoint, if its `to` is still the position. */
export type Checkpoint = { readonly _id: string; readonly position: Position; readonly last?: StoredBatch }

/** The most ids of a batch that is stored with a checkpoint, and characters of them. Every read of the checkpoints receives them. */
const MAX_STORED_IDS = 40
const MAX_CHARACTERS_BESIDE = 2_000

/**
 * Returns the record of a batch that is stored with a checkpoint; undefined if it is too large, or its checkpoints move from several
 * positions.
 */
export const toStoredBatch = ({ names, from: [first, ...others], to, ids }: BatchRow): StoredBatch | undefined => {
  const all = Object.values(ids).flat()
  if (first === undefined || others.some((from) => from !== first)) return undefined
  if (all.length > MAX_STORED_IDS || all.reduce((sum, id) => sum + id.length, 0) > MAX_CHARACTERS_BESIDE) return undefined
  return { names, from: first, to, ids }
}

/**
 * Returns the positions of checkpoints. `records` are the batches that moved them from some positions; undefined if one of those moves is
 * not among the batches that are stored with the checkpoints.
 */
export const progressIn = (found: readonly Checkpoint[], beyond: ReadonlyMap<string, Position>): Progress => {
  const positions = new Map(found.map(({ _id, position }) => [_id, position]))
  const moved = [...beyond].filter(([name, from]) => positions.get(name) !== from)
  const hasMoved = (last: StoredBatch, [name, from]: readonly [string, Position]) =>
    last.from === from && last.to === positions.get(name) && last.names.includes(name)
  const used = found.flatMap(({ last }) => (last && moved.some((move) => hasMoved(last, move)) ? [last] : []))
  const isComplete = moved.every((move) => used.some((last) => hasMoved(last, move)))
  const toRecord = (last: StoredBatch): BatchRecord => toBatchRecord({ ...last, from: last.names.map(() => last.from) })
  return { positions, records: isComplete ? used.map(toRecord) : undefined }
}

/** Returns the writes that move checkpoints, all but the first of those that move from one position to another by one statement. */
const movesOf = (alike: readonly CheckpointMove[], last: StoredBatch | undefined): readonly AnyBulkWriteOperation<Checkpoint>[] => {
  const [first, ...others] = alike
  if (first === undefined) return []
  const { name, from, to } = first
  if (from === undefined) return alike.map((move) => ({ insertOne: { document: { _id: move.name, position: move.to } } }))
  const rest = { _id: { $in: others.map((move) => move.name) }, position: from }
  return [
    { updateOne: { filter: { _id: name, position: from }, update: { $set: { position: to, ...(last && { last }) } } } },
    ...(others.length > 0 ? [{ updateMany: { filter: rest, update: { $set: { position: to } } } }] : []),
  ]
}

/** Keeps the positions of read models, by the names of their checkpoints. */
export const openCheckpoints = (db: Db) => {
  const checkpoints = db.collection<Checkpoint>('checkpoints')
  const ownMoves = new Map<string, { readonly position: Position; readonly at: number }>()

  const rows = (names: readonly string[]): Promise<readonly Checkpoint[]> =>
    callStore('read', () => checkpoints.find({ _id: { $in: [...names] } }, { maxTimeMS: READ_TIMEOUT_MS }).toArray())
  const readPositions = async (names: readonly string[]): Promise<ReadonlyMap<string, Position>> =>
    new Map((await rows(names)).map(({ _id, position }) => [_id, position]))

  const moveAll = async (moves: readonly CheckpointMove[], batch: BatchRow | undefined): Promise<'written' | 'fenced'> => {
    const last = batch && toStoredBatch(batch)
    const alike = Map.groupBy(moves, ({ from, to }) => `${from} ${to}`).values()
    const operations = [...alike].flatMap((group) => movesOf(group, last))
    if (operations.length === 0) return 'written'
    try {
      const { matchedCount, insertedCount } = await checkpoints.bulkWrite(operations, { ordered: false })
      return matchedCount + insertedCount === moves.length ? 'written' : 'fenced'
    } catch (error) {
      if (isDuplicate(error)) return 'fenced'
      throw error
    }
  }

  return {
    one: async (name: string): Promise<Position | undefined> =>
      (await callStore('read', () => checkpoints.findOne({ _id: name }, { maxTimeMS: READ_TIMEOUT_MS })))?.position,
    some: readPositions,
    /** Returns checkpoints with the batches that are stored with them. */
    rows,
    /**
     * Tells whether each checkpoint is at the position that it must be moved from. It does not ask about those that this process moved
     * there just now.
     */
    stand: async (moves: readonly CheckpointMove[]): Promise<boolean> => {
      const since = performance.now() - OWN_MOVE_MS
      const isOwn = ({ name, from }: CheckpointMove) => ownMoves.get(name)?.position === from && (ownMoves.get(name)?.at ?? since) > since
      if (moves.every(isOwn)) return true
      const found = await readPositions(moves.map(({ name }) => name))
      return moves.every(({ name, from }) => found.get(name) === from)
    },
    /**
     * Moves checkpoints, and leaves the record of the batch with one of them if it is small. Returns `fenced` if one of them is elsewhere.
     * The caller must wrap this in a call that classifies its failure.
     */
    move: async (moves: readonly CheckpointMove[], batch?: BatchRow): Promise<'written' | 'fenced'> => {
      for (const { name } of moves) ownMoves.delete(name)
      const outcome = await moveAll(moves, batch)
      if (outcome === 'written') for (const { name, to } of moves) ownMoves.set(name, { position: to, at: performance.now() })
      return outcome
    },
    delete: async (name: string): Promise<void> => {
      ownMoves.delete(name)
      await checkpoints.deleteOne({ _id: name })
    },
  }
}
