import type { AnyBulkWriteOperation, Db } from 'mongodb'
import type { CheckpointMove } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { calling, isDuplicate } from './errors.ts'

/** Milliseconds for which a checkpoint is taken to stand where this process moved it; moving it on finds out whether it does. */
const OWN_MOVE_MS = 500

type Checkpoint = { readonly _id: string; readonly position: Position }

/** Checkpoints that stand at one position and move to another: nearly always all that move, then in one statement, which the driver does not repeat. */
const moving = (alike: readonly CheckpointMove[]): readonly AnyBulkWriteOperation<Checkpoint>[] =>
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

/** How far read models are, by the names of their checkpoints. */
export const openCheckpoints = (db: Db) => {
  const checkpoints = db.collection<Checkpoint>('checkpoints')
  const own = new Map<string, { readonly position: Position; readonly at: number }>()

  const some = async (names: readonly string[]): Promise<ReadonlyMap<string, Position>> => {
    const found = await calling('read', () => checkpoints.find({ _id: { $in: [...names] } }, { maxTimeMS: READ_TIMEOUT_MS }).toArray())
    return new Map(found.map(({ _id, position }) => [_id, position]))
  }

  const moveAll = async (moves: readonly CheckpointMove[]): Promise<'written' | 'fenced'> => {
    const operations = [...Map.groupBy(moves, ({ from, to }) => `${from} ${to}`).values()].flatMap(moving)
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
      (await calling('read', () => checkpoints.findOne({ _id: name }, { maxTimeMS: READ_TIMEOUT_MS })))?.position,
    some,
    /** Whether each stands where it is to be moved from. Not asked of those that this process moved there just now. */
    stand: async (moves: readonly CheckpointMove[]): Promise<boolean> => {
      const since = performance.now() - OWN_MOVE_MS
      const isOwn = ({ name, from }: CheckpointMove) => own.get(name)?.position === from && (own.get(name)?.at ?? since) > since
      if (moves.every(isOwn)) return true
      const found = await some(moves.map(({ name }) => name))
      return moves.every(({ name, from }) => found.get(name) === from)
    },
    /** Fenced where one of them stands elsewhere. Belongs within a call that says what its failure means. */
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
