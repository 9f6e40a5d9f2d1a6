import { type Collection, collectionKey, type Document } from '../../ports/documents.ts'
import type { DataFile } from './connection.ts'
import { layoutOf, makeWords, writeWords } from './full-text-index.ts'
import { columnOf, columnValues, quoteName, registerTable, type TableLayout } from './tables.ts'

const readNames = ({ db }: DataFile, sql: string, table: string): ReadonlySet<string> =>
  new Set(
    db
      .prepare(sql)
      .all(table)
      .map(({ name }) => String(name)),
  )

const unquoteName = (name: string): string => name.slice(1, -1).replaceAll('""', '"')

/** Fills columns and full-text rows that a version declares now and did not before. */
const refill = (connection: DataFile, table: TableLayout, words: boolean): void => {
  const { rows, change } = connection
  const page = rows(`SELECT n, body FROM ${table.name} WHERE n > ? ORDER BY n LIMIT 500`)
  for (let after = 0; ; ) {
    const filled = page.all(after) as unknown as [number, string][]
    for (const [n, body] of filled) {
      const document: Document = JSON.parse(body)
      if (table.columns.length > 0) {
        const set = table.columns.map((field) => `${columnOf(field)} = ?`).join(', ')
        change(`UPDATE ${table.name} SET ${set} WHERE n = ?`, ...columnValues(table, document), n)
      }
      if (words) writeWords(connection, table, n, undefined, document)
    }
    const last = filled.at(-1)
    if (!last) return
    after = last[0]
  }
}

const makeColumns = (connection: DataFile, table: TableLayout): boolean => {
  const columns = table.columns.map((field) => `${columnOf(field)} ANY`)
  // The body comes last, so that the other columns are read without its pages.
  const all = ['n INTEGER PRIMARY KEY', 'id TEXT NOT NULL UNIQUE', 'pos INTEGER NOT NULL', ...columns, 'body TEXT NOT NULL']
  connection.db.exec(`CREATE TABLE IF NOT EXISTS ${table.name}(${all.join(', ')}) STRICT`)
  const storedColumns = readNames(connection, 'SELECT name FROM pragma_table_info(?)', unquoteName(table.name))
  const missing = table.columns.filter((field) => !storedColumns.has(unquoteName(columnOf(field))))
  for (const field of missing) connection.db.exec(`ALTER TABLE ${table.name} ADD COLUMN ${columnOf(field)} ANY`)
  return missing.length > 0
}

const makeSearch = (connection: DataFile, table: TableLayout): boolean => {
  const { search } = table.collection
  const layout = search ? layoutOf(search.text) : null
  const [built] = connection.rows('SELECT search FROM collection WHERE number = ?').get(table.number) as unknown as [string | null]
  if (built === layout) return false
  connection.db.exec(`DROP TABLE IF EXISTS ${quoteName(`${collectionKey(table.collection)}_words`)}`)
  makeWords(connection, table)
  connection.change('UPDATE collection SET search = ? WHERE number = ?', layout, table.number)
  return search !== undefined
}

const makeIndexes = (connection: DataFile, table: TableLayout, indexes: TableLayout['indexes']): void => {
  const indexNames = new Set(indexes.map(({ name }) => unquoteName(name)))
  const storedIndexes = readNames(
    connection,
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?",
    unquoteName(table.name),
  )
  for (const name of storedIndexes) if (!indexNames.has(name)) connection.db.exec(`DROP INDEX ${quoteName(name)}`)
  for (const { name, fields, carries } of indexes) {
    const ordered = new Set(fields.map(({ field }) => field))
    const covered = [...carries].filter((field) => !ordered.has(field))
    const columns = [...fields.map(({ field, descending }) => `${columnOf(field)}${descending ? ' DESC' : ''}`), ...covered.map(columnOf)]
    connection.db.exec(`CREATE INDEX IF NOT EXISTS ${name} ON ${table.name}(${columns.join(', ')})`)
  }
}

/** Makes a collection's table and indexes, or updates them to the present declaration. It must run inside a write transaction. */
export const makeTable = (connection: DataFile, collection: Collection<Document>, indexes: 'now' | 'later' = 'now'): TableLayout => {
  const table = registerTable(connection, collection)
  const columnsAdded = makeColumns(connection, table)
  const wordsAdded = makeSearch(connection, table)
  if (columnsAdded || wordsAdded) refill(connection, table, wordsAdded)
  makeIndexes(connection, table, indexes === 'now' ? table.indexes : [])
  return table
}
