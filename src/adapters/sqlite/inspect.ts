import { collectionKey, type Deviation, type StoredRow } from '../../ports/documents.ts'
import type { DataFile } from './connection.ts'
import { columnOf, fromStored, quoteName, type TableLayout, toStored } from './tables.ts'

type Body = Readonly<Record<string, unknown>>

/** Returns the document in a column; undefined if it holds anything but an object. */
export const bodyOf = (text: string): Body | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Body) : undefined
  } catch {
    return undefined
  }
}

/** Returns the value that belongs into a column; undefined if the field cannot be in one. */
const toColumnValue = (value: unknown): { readonly column: unknown } | undefined => {
  try {
    return { column: toStored(value) }
  } catch {
    return undefined
  }
}

const isSame = (a: unknown, b: unknown): boolean =>
  a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : a === b

/** Returns a value as findings show it: JSON has no large integers and no bytes. */
const toShownValue = (column: unknown): unknown => {
  if (typeof column === 'bigint') return Number.isSafeInteger(Number(column)) ? Number(column) : String(column)
  return column instanceof Uint8Array && column.length !== 1 ? Buffer.from(column).toString('hex') : fromStored(column)
}

const deviationsOf = ({ columns }: TableLayout, body: Body, stored: readonly unknown[]): readonly Deviation[] =>
  columns.flatMap((field, i) => {
    const expected = toColumnValue(body[field])
    if (expected && isSame(expected.column, stored[i])) return []
    return [
      {
        part: `column f_${field}`,
        stored: toShownValue(stored[i]),
        made: expected ? toShownValue(expected.column) : 'a field that cannot be indexed',
      },
    ]
  })

const rowOf = (table: TableLayout, row: readonly unknown[]): StoredRow => {
  const [id, position, text, grave, ...columns] = row as [string, string, string | null, string | null, ...unknown[]]
  const base = { id, position: position.padStart(20, '0') }
  if (text === null) return { ...base, isTombstone: true, document: undefined, deviations: [] }
  const document = bodyOf(text)
  const beside = grave === null ? [] : [{ part: 'tombstone beside it', stored: grave.padStart(20, '0'), made: undefined }]
  return { ...base, isTombstone: false, document, deviations: [...beside, ...(document ? deviationsOf(table, document, columns) : [])] }
}

const OWN_COLUMNS = ['n', 'id', 'pos', 'body']

/** Returns the declared columns that a table has; undefined if it lacks one that every document needs. */
const columnsThere = ({ rows }: DataFile, { collection, columns }: TableLayout): readonly string[] | undefined => {
  const named = rows('SELECT name FROM pragma_table_info(?)').all(collectionKey(collection)) as unknown as [string][]
  const names = new Set(named.map(([name]) => quoteName(name)))
  return OWN_COLUMNS.every((column) => names.has(quoteName(column))) ? columns.filter((field) => names.has(columnOf(field))) : undefined
}

/** Returns rows and tombstones of a table, whatever is in them. */
export const inspectTable = (connection: DataFile, declared: TableLayout, after: string, limit: number): readonly StoredRow[] => {
  const columns = columnsThere(connection, declared)
  if (columns === undefined) return []
  const { name, number } = declared
  const grave = `(SELECT CAST(g.pos AS TEXT) FROM tombstone g WHERE g.collection = ${number} AND g.id = t.id)`
  const documents = ['t.id AS id', 'CAST(t.pos AS TEXT)', 't.body', grave, ...columns.map((field) => `t.${columnOf(field)}`)]
  const tombstones = ['g.id', 'CAST(g.pos AS TEXT)', ...documents.slice(2).map(() => 'NULL')]
  const alone = `NOT EXISTS (SELECT 1 FROM ${name} t WHERE t.id = g.id)`
  const found = connection.rows(
    `SELECT ${documents.join(', ')} FROM ${name} t WHERE t.id > :after
     UNION ALL SELECT ${tombstones.join(', ')} FROM tombstone g WHERE g.collection = ${number} AND g.id > :after AND ${alone}
     ORDER BY id LIMIT :limit + 0`,
  )
  found.setReadBigInts(true) // an altered column may hold a number that is too large for a number
  return found.all({ after, limit }).map((row) => rowOf({ ...declared, columns }, row as unknown as readonly unknown[]))
}
