import { type AnyBulkWriteOperation, MongoBulkWriteError, type Collection as Stored } from 'mongodb'
import type { Change, Collection, Document } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { DUPLICATE_KEY } from './errors.ts'
import { indexedFields, valueAt } from './query.ts'
import { searchable } from './search.ts'

/** A document, or its tombstone; `tombstone` repeats the position for an index of tombstones only. */
export type Row = {
  readonly _id: string
  readonly position: Position
  readonly live?: true
  readonly tombstone?: Position
  readonly body?: Document
  /** Its words as they are in the index of a searchable collection. */
  readonly words?: readonly string[]
}

/** A row whose body is still as it came: most are cached, and to take one apart costs more than anything else of reading it. */
export type UnopenedRow = Pick<Row, '_id' | 'position'> & { readonly body?: Uint8Array }

/**
 * Changes in one call: few enough that one, journaled by a majority, ends well within the socket's limit also on a slow server; twice as many
 * after one that was quick, since each call costs as much as several changes.
 */
const FIRST_CHUNK = 50
export const MAX_CHUNK = 800
const QUICK_MS = 50
const SLOW_MS = 200
export const WRITES_IN_FLIGHT = 8

/** An array in an index would make many entries, and an object an entry that no query can name. */
export const indexable = ({ collection, document }: Change): void => {
  if (document === undefined) return
  for (const field of indexedFields(collection)) {
    const value = valueAt(document, field)
    if (typeof value === 'object' && value !== null)
      throw new Error(`${document.id}: the indexed field ${field} of ${collection.name} holds ${JSON.stringify(value)}`)
  }
}

const replacement = ({ collection, id, position, document }: Change): Row => {
  if (document === undefined) return { _id: id, position, tombstone: position }
  const words = searchable(collection, document)
  return { _id: id, position, live: true, body: document, ...(words !== undefined && { words }) }
}

/** A first write needs no guard: if its id is taken nevertheless, it fails like an upsert whose guard does not match. */
const guarded = (change: Change, upsert: boolean): AnyBulkWriteOperation<Row> =>
  change.fresh && upsert
    ? { insertOne: { document: replacement(change) } }
    : { replaceOne: { filter: { _id: change.id, position: { $lt: change.position } }, replacement: replacement(change), upsert } }

const send = async (rows: Stored<Row>, changes: readonly Change[], upsert: boolean): Promise<void> => {
  await rows.bulkWrite(
    changes.map((change) => guarded(change, upsert)),
    { ordered: false },
  )
}

/**
 * Which changes found their document at a higher or equal position, if that is the only error: an upsert whose guard
 * does not match tries to insert, and the id is taken. Only the index on `_id` is unique; another unique index would give the same error.
 */
const outrun = (changes: readonly Change[], error: unknown): readonly Change[] => {
  if (!(error instanceof MongoBulkWriteError) || error.code !== DUPLICATE_KEY || error.result.getWriteConcernError()) throw error
  const errors = [error.writeErrors].flat()
  if (errors.length === 0 || !errors.every(({ code, errmsg }) => code === DUPLICATE_KEY && errmsg?.includes('index: _id_'))) throw error
  return errors.map(({ index }) => changes[index]).filter((change) => change !== undefined)
}

const applyChunk = async (rows: Stored<Row>, changes: readonly Change[]): Promise<void> => {
  try {
    await send(rows, changes, true)
  } catch (error) {
    // Two first writes of one document may race, and the insert at the higher position may fail: without upsert the guard alone decides.
    await send(rows, outrun(changes, error), false)
  }
}

/** Applies every change whose position is greater than its document's; may be repeated, in any order, by several processes at once. */
export const openApplying = (rowsOf: (collection: Collection<Document>) => Stored<Row>) => {
  let size = FIRST_CHUNK

  const applyTimed = async (rows: Stored<Row>, chunk: readonly Change[]): Promise<void> => {
    const began = performance.now()
    await applyChunk(rows, chunk)
    const took = performance.now() - began
    if (took > SLOW_MS) size = Math.max(FIRST_CHUNK, Math.floor(chunk.length / 2))
    else if (took < QUICK_MS && chunk.length === size) size = Math.min(MAX_CHUNK, size * 2)
  }

  return async (changes: readonly Change[]): Promise<void> => {
    const waiting = [...Map.groupBy(changes, ({ collection }) => rowsOf(collection))]
    const next = () => {
      const [rows, group] = waiting.shift() ?? []
      if (rows === undefined || group === undefined) return undefined
      if (group.length > size) waiting.push([rows, group.slice(size)])
      return { rows, chunk: group.slice(0, size) }
    }
    const lane = async (): Promise<void> => {
      for (let one = next(); one !== undefined; one = next()) {
        try {
          await applyTimed(one.rows, one.chunk)
        } catch (error) {
          waiting.length = 0 // the other lanes end with what they have in hand
          size = FIRST_CHUNK
          throw error
        }
      }
    }
    await Promise.all(Array.from({ length: WRITES_IN_FLIGHT }, lane))
  }
}
