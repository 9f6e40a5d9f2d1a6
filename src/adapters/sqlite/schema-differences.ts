import { type Collection, collectionKey, type Document } from '../../ports/documents.ts'
import { type DataFile, openDataFile } from './connection.ts'
import { wordDifferences } from './full-text-differences.ts'
import { layoutOf } from './full-text-index.ts'
import { makeTable } from './make-table.ts'
import { makeSchema } from './schema.ts'
import { findTable, listTables } from './tables.ts'

type SchemaObject = { readonly type: string; readonly table: string; readonly sql: string }

const normalizeSql = (sql: string): string =>
  sql
    .replace(/--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([();]) ?/g, '$1')
    .trim()

/** Returns tables, indexes, triggers and views by name, without those that the engine makes for itself. */
const readSchemaObjects = ({ db }: DataFile): ReadonlyMap<string, SchemaObject> =>
  new Map(
    db
      .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'")
      .all()
      .map(({ type, name, tbl_name: table, sql }) => [
        String(name),
        { type: String(type), table: String(table), sql: normalizeSql(String(sql ?? '')) },
      ]),
  )

const OPTIONAL_COLUMN = /^"f_[^"]+" ANY$/

const columnsIn = (sql: string): readonly string[] => sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')')).split(', ')

/**
 * Compares two definitions of a table of documents. It keeps columns that are no longer declared, and columns that were added to it come
 * last.
 */
const isSameTable = (stored: string, expected: string): boolean => {
  const expectedColumns = new Set(columnsIn(expected))
  const others = columnsIn(stored).filter((column) => !expectedColumns.delete(column))
  return expectedColumns.size === 0 && others.every((column) => OPTIONAL_COLUMN.test(column)) && /\)STRICT$/.test(stored)
}

/** Tells whether a table belongs to a full-text index, which each version of the engine writes its own way. */
const isFullTextTable = (name: string): boolean => /_words_(data|idx|content|docsize|config)$/.test(name)

const isSame = (name: string, stored: SchemaObject, expected: SchemaObject, ofDocuments: boolean): boolean =>
  stored.type === expected.type &&
  stored.table === expected.table &&
  (stored.sql === expected.sql ||
    isFullTextTable(name) ||
    (ofDocuments && expected.type === 'table' && isSameTable(stored.sql, expected.sql)))

/** Returns the parts of a new file for these collections. */
const partsMadeNow = (collections: readonly Collection<Document>[]): ReadonlyMap<string, SchemaObject> => {
  const connection = openDataFile(':memory:', { readOnly: false, cacheMebibytes: 2 })
  try {
    makeSchema(connection)
    for (const collection of collections) makeTable(connection, collection)
    return readSchemaObjects(connection)
  } finally {
    connection.close()
  }
}

const schemaDifferences = (connection: DataFile, collections: readonly Collection<Document>[]): readonly string[] => {
  const keys = new Set(collections.map(collectionKey))
  const earlier = listTables(connection).filter(({ key }) => !keys.has(key))
  const isEarlier = ({ table, type }: SchemaObject): boolean =>
    type !== 'trigger' &&
    type !== 'view' &&
    earlier.some(({ key }) => table === key || table === `${key}_words` || (table.startsWith(`${key}_words_`) && isFullTextTable(table)))
  const stored = readSchemaObjects(connection)
  const expectedParts = partsMadeNow(collections)
  const missing = [...expectedParts].filter(([name]) => !stored.has(name)).map(([name, { type }]) => `the ${type} ${name} is missing`)
  const others = [...stored].flatMap(([name, part]) => {
    const expected = expectedParts.get(name)
    if (expected === undefined) return isEarlier(part) ? [] : [`the ${part.type} ${name} on ${part.table} was not made by this program`]
    return isSame(name, part, expected, keys.has(name)) ? [] : [`the ${part.type} ${name} is not as this program makes it: ${part.sql}`]
  })
  return [...missing, ...others]
}

const registryDifferences = (connection: DataFile, collections: readonly Collection<Document>[]): readonly string[] => {
  const search = connection.rows('SELECT search FROM collection WHERE name = ? AND version = ?')
  const wrong = collections.flatMap((collection) => {
    const [registered] = (search.get(collection.name, collection.version) ?? []) as unknown as [string | null | undefined]
    const declared = collection.search ? layoutOf(collection.search.text) : null
    if (registered === undefined) return [`the collection ${collectionKey(collection)} is not registered`]
    return registered === declared
      ? []
      : [`the collection ${collectionKey(collection)} is registered with other texts to search: ${registered}`]
  })
  const strangers = connection.rows('SELECT DISTINCT collection FROM tombstone WHERE collection NOT IN (SELECT number FROM collection)')
  const strange = (strangers.all() as unknown as [number][]).map(
    ([number]) => `there are tombstones of a collection ${number}, which is not registered`,
  )
  return [...wrong, ...strange]
}

/**
 * Lists the differences between the file and one that this program made for these collections. It is slow, since it reads every text that
 * can be searched.
 */
export const fileDifferences = (connection: DataFile, collections: readonly Collection<Document>[]): readonly string[] =>
  connection.read(() => [
    ...schemaDifferences(connection, collections),
    ...registryDifferences(connection, collections),
    ...collections.flatMap((collection) => {
      const table = findTable(connection, collection)
      return table?.words === undefined ? [] : wordDifferences(connection, table)
    }),
  ])
