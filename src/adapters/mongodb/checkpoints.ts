import type { AnyBulkWriteOperation, Db } from 'mongodb'
import type { CheckpointMove } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { calling, isDuplicate } from './errors.ts'

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

  return {
    one: async (name: string): Promise<Position | undefined> =>
      (await calling('read', () => checkpoints.findOne({ _id: name }, { maxTimeMS: READ_TIMEOUT_MS })))?.position,
    some: async (names: readonly string[]): Promise<ReadonlyMap<string, Position>> => {
      const found = await calling('read', () => checkpoints.find({ _id: { $in: [...names] } }, { maxTimeMS: READ_TIMEOUT_MS }).toArray())
      return new Map(found.map(({ _id, position }) => [_id, position]))
    },
    /** Fenced where one of them stands elsewhere. Belongs within a call that says what its failure means. */
    move: async (moves: readonly CheckpointMove[]): Promise<'written' | 'fenced'> => {
      const operations = [...Map.groupBy(moves, ({ from, to }) => `${from} ${to}`).values()].flatMap(moving)
      if (operations.length === 0) return 'written'
      try {
        const { matchedCount, insertedCount } = await checkpoints.bulkWrite(operations, { ordered: false })
        return matchedCount + insertedCount === moves.length ? 'written' : 'fenced'
      } catch (error) {
        if (isDuplicate(error)) return 'fenced'
        throw error
      }
    },
    delete: async (name: string): Promise<void> => {
      await checkpoints.deleteOne({ _id: name })
    },
  }
}
