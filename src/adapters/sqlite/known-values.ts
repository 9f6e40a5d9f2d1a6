// Decision 129.

import { bloomFilter, seedOf } from '../../ports/bloom-filter.ts'
import { cacheBounds } from '../../ports/cache-bounds.ts'
import type { Document } from '../../ports/documents.ts'
import type { DataFile } from './connection.ts'
import type { Equal } from './query-plan.ts'
import { columnOf, type TableLayout } from './tables.ts'

/** The memory that both threads share: whether the values are complete, and the bits of a filter of them. */
export type KnownValuesMemory = Readonly<Record<'complete' | 'bits', SharedArrayBuffer>>

export const shareKnownValues = (): KnownValuesMemory => ({
  complete: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  bits: new SharedArrayBuffer(cacheBounds.knownValues),
})

/**
 * The texts that documents have in the fields that their collections declare as seldom found. The thread that writes adds them, before
 * another thread learns of a document. A text stays when its document changes or is deleted.
 */
export type KnownValues = {
  readonly add: (table: TableLayout, document: Document) => void
  /** Adds those in the file, in steps. From this call until the last step the values are not complete. */
  readonly fill: (connection: DataFile, tables: () => readonly TableLayout[]) => Generator<void, void>
  /** Tells whether no document is certain to meet these conditions. */
  readonly excludes: (table: TableLayout, equal: readonly Equal[]) => boolean
}

const ROWS_PER_STEP = 500

export const knownValues = (memory: KnownValuesMemory): KnownValues => {
  const complete = new Int32Array(memory.complete)
  const filter = bloomFilter(new Uint32Array(memory.bits))
  const seeds = new Map<string, number>()
  const seedIn = ({ name }: TableLayout, field: string): number => {
    const key = `${name} ${field}`
    const seed = seeds.get(key) ?? seedOf(key)
    seeds.set(key, seed)
    return seed
  }

  /** Reads the index of a field. A step ends with a text, and the next begins after it, however many documents have it. */
  const fillFrom = function* ({ rows, once }: DataFile, table: TableLayout, field: string): Generator<void, void> {
    const column = columnOf(field)
    const page = `SELECT ${column} FROM ${table.name} WHERE ${column} > ? ORDER BY ${column} LIMIT ${ROWS_PER_STEP}`
    for (let after: unknown = ''; typeof after === 'string'; ) {
      const found = once(() => rows(page).all(after as string)) as unknown as readonly [unknown][]
      for (const [value] of found) if (typeof value === 'string') filter.see(value, seedIn(table, field))
      after = found.at(-1)?.[0]
      yield
    }
  }

  const fillAll = function* (connection: DataFile, tables: () => readonly TableLayout[]): Generator<void, void> {
    for (const table of tables()) for (const field of table.collection.seldomFound ?? []) yield* fillFrom(connection, table, field)
    Atomics.store(complete, 0, 1)
  }

  return {
    add: (table, document) => {
      for (const field of table.collection.seldomFound ?? []) {
        const value = (document as unknown as Readonly<Record<string, unknown>>)[field]
        if (typeof value === 'string') filter.see(value, seedIn(table, field))
      }
    },
    fill: (connection, tables) => {
      Atomics.store(complete, 0, 0)
      return fillAll(connection, tables)
    },
    excludes: (table, equal) =>
      table.collection.seldomFound !== undefined &&
      Atomics.load(complete, 0) === 1 &&
      equal.some(
        ({ field, value }) =>
          typeof value === 'string' &&
          value !== '' &&
          table.collection.seldomFound?.includes(field) &&
          !filter.mayHave(value, seedIn(table, field)),
      ),
  }
}
