import type { Db } from 'mongodb'
import type { CheckpointMove } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { calling, isDuplicate } from './errors.ts'

type Checkpoint = { readonly _id: string; readonly position: Position }

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
      const operations = moves.map(({ name, from, to }) =>
        from === undefined
          ? { insertOne: { document: { _id: name, position: to } } }
          : { updateOne: { filter: { _id: name, position: from }, update: { $set: { position: to } } } },
      )
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
