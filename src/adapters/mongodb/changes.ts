import { type AnyBulkWriteOperation, MongoBulkWriteError, type Collection as Stored } from 'mongodb'
import type { Collection, Document, DocumentChange } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { DUPLICATE_KEY } from './errors.ts'
import { indexedFields, valueAt } from './query.ts'
import { searchWordsOf } from './search-words.ts'

/** A document, or its tombstone. `tombstone` repeats the position for an index of tombstones only. */
export type ChangeRow = {
  readonly _id: string
  readonly position: Position
  readonly live?: true
  readonly tombstone?: Position
  readonly body?: Document
  /** Its words as they are in the index of a searchable collection. */
  readonly words?: readonly string[]
}

/** A row whose body is not decoded. Most documents are cached, and decoding costs more than anything else of reading a row. */
export type UnopenedRow = Pick<ChangeRow, '_id' | 'position'> & { readonly body?: Uint8Array }

/**
 * The changes in one call: few enough that one, journaled by a majority, ends well within the socket's limit even on a slow server. After a
 * quick call there are twice as many, since each call costs as much as several changes.
 */
const FIRST_CHUNK = 50
export const MAX_CHUNK = 800
const QUICK_MS = 50
const SLOW_MS = 200
export const WRITES_IN_FLIGHT = 8

/**
 * Throws for an array or an object in an indexed field: an array would make many entries, and an object an entry that no query can name.
 */
export const refuseUnindexable = ({ collection, document }: DocumentChange): void => {
  if (document === undefined) return
  for (const field of indexedFields(collection)) {
    const value = valueAt(document, field)
    if (typeof value === 'object' && value !== null)
      throw new Error(`${document.id}: the indexed field ${field} of ${collection.name} holds ${JSON.stringify(value)}`)
  }
}

const replacement = ({ collection, id, position, document }: DocumentChange): ChangeRow => {
  if (document === undefined) return { _id: id, position, tombstone: position }
  const words = searchWordsOf(collection, document)
  return { _id: id, position, live: true, body: document, ...(words !== undefined && { words }) }
}

/**
 * Writes a change if its position is greater. A first write needs no guard: if its id is taken nevertheless, it fails like an upsert whose
 * guard does not match.
 */
const toGuardedWrite = (change: DocumentChange, upsert: boolean): AnyBulkWriteOperation<ChangeRow> =>
  change.fresh && upsert
    ? { insertOne: { document: replacement(change) } }
    : { replaceOne: { filter: { _id: change.id, position: { $lt: change.position } }, replacement: replacement(change), upsert } }

const send = async (rows: Stored<ChangeRow>, changes: readonly DocumentChange[], upsert: boolean): Promise<void> => {
  await rows.bulkWrite(
    changes.map((change) => toGuardedWrite(change, upsert)),
    { ordered: false },
  )
}

/**
 * Returns the changes that found their document at a higher or equal position, if that is the only error. An upsert whose guard does not
 * match tries to insert, and the id is taken. Only the index on `_id` is unique; another unique index would give the same error.
 */
const outrunChanges = (changes: readonly DocumentChange[], error: unknown): readonly DocumentChange[] => {
  if (!(error instanceof MongoBulkWriteError) || error.code !== DUPLICATE_KEY || error.result.getWriteConcernError()) throw error
  const errors = [error.writeErrors].flat()
  if (errors.length === 0 || !errors.every(({ code, errmsg }) => code === DUPLICATE_KEY && errmsg?.includes('index: _id_'))) throw error
  return errors.map(({ index }) => changes[index]).filter((change) => change !== undefined)
}

const applyChunk = async (rows: Stored<ChangeRow>, changes: readonly DocumentChange[]): Promise<void> => {
  try {
    await send(rows, changes, true)
  } catch (error) {
    // Two first writes of one document may race, and the insert at the higher position may fail. Without upsert the guard alone decides.
    await send(rows, outrunChanges(changes, error), false)
  }
}

/** Applies every change whose position is greater than its document's. Several processes may repeat this at once, in any order. */
export const openApplying = (rowsOf: (collection: Collection<Document>) => Stored<ChangeRow>) => {
  let size = FIRST_CHUNK

  const applyTimed = async (rows: Stored<ChangeRow>, chunk: readonly DocumentChange[]): Promise<void> => {
    const began = performance.now()
    await applyChunk(rows, chunk)
    const took = performance.now() - began
    if (took > SLOW_MS) size = Math.max(FIRST_CHUNK, Math.floor(chunk.length / 2))
    else if (took < QUICK_MS && chunk.length === size) size = Math.min(MAX_CHUNK, size * 2)
  }

  return async (changes: readonly DocumentChange[]): Promise<void> => {
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
          waiting.length = 0 // the other lanes end with their present calls
          size = FIRST_CHUNK
          throw error
        }
      }
    }
    // waits for every call, so that no write is under way when a fenced worker has its answer
    const ended = await Promise.allSettled(Array.from({ length: WRITES_IN_FLIGHT }, lane))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }
}
