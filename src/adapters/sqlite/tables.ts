import { type Collection, collectionKey, type Document, type Value } from '../../ports/documents.ts'
import type { DataFile } from './connection.ts'

/** A field of an order or index: `-hot` is `{ field: 'hot', descending: true }`. */
export type Direction = { readonly field: string; readonly descending: boolean }

export const direction = (name: string): Direction =>
  name.startsWith('-') ? { field: name.slice(1), descending: true } : { field: name, descending: false }

export type TableIndex = {
  /** Quoted, ready for SQL. */
  readonly name: string
  readonly fields: readonly Direction[]
  /** Fields that can be answered from the index alone. */
  readonly carries: ReadonlySet<string>
}

/** The layout of a collection: one table, a column for each field that some index names, and the whole document as JSON. */
export type TableLayout = {
  readonly collection: Collection<Document>
  /** Stands for the collection in tombstones, where the table's name would be too long. */
  readonly number: number
  readonly name: string
  readonly columns: readonly string[]
  readonly indexes: readonly TableIndex[]
  /** The statement that inserts a document (id, position, columns, body), or does nothing if it is there. */
  readonly insert: string
  /** The full-text index, if there is one. */
  readonly words: string | undefined
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const columnOf = (field: string): string =>
  field === '$position' ? 'pos' : field === '$row' ? 'n' : field === 'id' ? 'id' : quoteName(`f_${field}`)

const indexOf = (table: string, { fields, covers = [] }: Collection<Document>['indexes'][number]): TableIndex => {
  const carries = new Set([...fields.map((name) => direction(name).field), ...covers, 'id'])
  return {
    name: quoteName(`${table} ${fields.join(' ')}${covers.length > 0 ? ` + ${covers.join(' ')}` : ''}`),
    fields: fields.map(direction),
    carries,
  }
}

const layout = (collection: Collection<Document>, number: number): TableLayout => {
  const key = collectionKey(collection)
  const { search } = collection
  const indexes = collection.indexes.map((index) => indexOf(key, index))
  const searched = search ? [...search.filters, ...Object.values(search.orders).flat()].map((name) => direction(name).field) : []
  const columns = new Set([...indexes.flatMap(({ carries }) => [...carries]), ...searched])
  columns.delete('id')
  columns.delete('$position')
  const name = quoteName(key)
  const stored = ['id', 'pos', ...[...columns].map(columnOf), 'body']
  const insert = `INSERT INTO ${name}(${stored.join(', ')}) VALUES(${stored.map(() => '?').join(', ')}) ON CONFLICT(id) DO NOTHING`
  return { collection, number, name, columns: [...columns], indexes, insert, words: search && quoteName(`${key}_words`) }
}

const numberIn = (row: unknown): number => (row as [number])[0]

/** Returns the layout of a collection; undefined if it has not been made. */
export const findTable = ({ rows }: DataFile, collection: Collection<Document>): TableLayout | undefined => {
  const row = rows('SELECT number FROM collection WHERE name = ? AND version = ?').get(collection.name, collection.version)
  return row === undefined ? undefined : layout(collection, numberIn(row))
}

/** Returns the layout of a collection that was made before. */
export const describeTable = (connection: DataFile, collection: Collection<Document>): TableLayout => {
  const table = findTable(connection, collection)
  if (table === undefined) throw new Error(`${collectionKey(collection)} has not been built yet`)
  return table
}

/** Returns all collections that the file holds, of any version. */
export const listTables = ({ rows }: DataFile): readonly { readonly key: string; readonly number: number }[] =>
  (rows('SELECT number, name, version FROM collection').all() as unknown as [number, string, number][]).map(([number, name, version]) => ({
    key: `${name}_v${version}`,
    number,
  }))

/** Returns the layout of a collection, which gets a number if it has none. It must run inside a write transaction. */
export const registerTable = (connection: DataFile, collection: Collection<Document>): TableLayout => {
  connection.change('INSERT INTO collection(name, version) VALUES(?, ?) ON CONFLICT DO NOTHING', collection.name, collection.version)
  return describeTable(connection, collection)
}

/** Returns the columns of a document, in the order of the table's `columns`. */
export const columnValues = ({ columns }: TableLayout, document: Document): readonly ColumnValue[] => {
  const fields = document as Readonly<Record<string, unknown>>
  return columns.map((field) => toStored(fields[field]))
}

/** A value as it is stored in a column. Booleans are blobs of one byte, so that they come back as booleans; they sort after texts. */
export type ColumnValue = null | number | bigint | string | Uint8Array

const FALSE = Uint8Array.of(0)
const TRUE = Uint8Array.of(1)

export const toStored = (value: unknown): ColumnValue => {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value // stored as an integer, which is shorter than a float
    case 'boolean':
      return value ? TRUE : FALSE
    case 'undefined':
      return null
    default:
      if (value === null) return null
      throw new Error(`an indexed field holds ${JSON.stringify(value)}; only texts, numbers, booleans and null can be indexed`)
  }
}

export const fromStored = (stored: unknown): Value => (stored instanceof Uint8Array ? stored[0] === 1 : (stored as Value))
