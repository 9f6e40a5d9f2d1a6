import type { AnyBulkWriteOperation, Db } from 'mongodb'
import type { CheckpointMove } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { callStore, isDuplicate } from './errors.ts'

/** The time for which a checkpoint is assumed to be where this process moved it. The next move finds out whether it is. */
const OWN_MOVE_MS = 500

type Checkpoint = { readonly _id: string; readonly position: Position }

/**
 * Returns the writes that move checkpoints. Nearly always all of them move from one position to another; then one statement does it, which
 * the driver does not repeat.
 */
const movesOf = (alike: readonly CheckpointMove[]): readonly AnyBulkWriteOperation<Checkpoint>[] =>
  alike.length > 1 && alike[0]?.from !== undefined
    ? [
        {
          updateMany: {
            filter: { _id: { $in: alike.map(({ name }) => name) }, position: alike[0].from },
            update: { $set: { position: alike[0].to } },
          },
        },
      ]
    : alike.map(({ name, from, to }) =>
        from === undefined
          ? { insertOne: { document: { _id: name, position: to } } }
          : { updateOne: { filter: { _id: name, position: from }, update: { $set: { position: to } } } },
      )

/** Keeps the positions of read models, by the names of their checkpoints. */
export const openCheckpoints = (db: Db) => {
  const checkpoints = db.collection<Checkpoint>('checkpoints')
  const own = new Map<string, { readonly position: Position; readonly at: number }>()

  const some = async (names: readonly string[]): Promise<ReadonlyMap<string, Position>> => {
    const found = await callStore('read', () => checkpoints.find({ _id: { $in: [...names] } }, { maxTimeMS: READ_TIMEOUT_MS }).toArray())
    return new Map(found.map(({ _id, position }) => [_id, position]))
  }

  const moveAll = async (moves: readonly CheckpointMove[]): Promise<'written' | 'fenced'> => {
    const operations = [...Map.groupBy(moves, ({ from, to }) => `${from} ${to}`).values()].flatMap(movesOf)
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
    some,
    /** Tells whether each checkpoint is where it must be moved from. It does not ask about those that this process moved there just now. */
    stand: async (moves: readonly CheckpointMove[]): Promise<boolean> => {
      const since = performance.now() - OWN_MOVE_MS
      const isOwn = ({ name, from }: CheckpointMove) => own.get(name)?.position === from && (own.get(name)?.at ?? since) > since
      if (moves.every(isOwn)) return true
      const found = await some(moves.map(({ name }) => name))
      return moves.every(({ name, from }) => found.get(name) === from)
    },
    /** Moves checkpoints. Returns `fenced` if one of them is elsewhere. The caller must wrap this in a call that classifies its failure. */
    move: async (moves: readonly CheckpointMove[]): Promise<'written' | 'fenced'> => {
      for (const { name } of moves) own.delete(name)
      const outcome = await moveAll(moves)
      if (outcome === 'written') for (const { name, to } of moves) own.set(name, { position: to, at: performance.now() })
      return outcome
    },
    delete: async (name: string): Promise<void> => {
      own.delete(name)
      await checkpoints.deleteOne({ _id: name })
    },
  }
}
