import type { Document } from '../../ports/documents.ts'
import type { Connection } from './connection.ts'
import { columnOf, type Table } from './tables.ts'

const fieldsOf = ({ collection }: Table): readonly string[] => collection.search?.text ?? []

/** Undefined for a document that is not in the search index. */
const textsOf = (table: Table, document: Document | undefined): readonly string[] | undefined => {
  const values = document as Readonly<Record<string, unknown>> | undefined
  const only = table.collection.search?.only
  if (values === undefined || (only !== undefined && values[only] !== true)) return undefined
  return fieldsOf(table).map((field) => String(values[field] ?? ''))
}

/**
 * Make the full-text index, which holds the words of each document under its row number and not the texts themselves.
 * What is removed from it is removed at once, not marked, so that nothing of an erased text stays on the disk.
 */
export const makeWords = ({ db, change }: Connection, table: Table): void => {
  const { words } = table
  if (words === undefined) return
  const columns = fieldsOf(table).map(columnOf).join(', ')
  db.exec(`CREATE VIRTUAL TABLE ${words} USING fts5(${columns}, content='', tokenize='unicode61 remove_diacritics 2')`)
  change(`INSERT INTO ${words}(${words}, rank) VALUES('secure-delete', 1)`)
}

/** Bring the full-text index from one state of a document to the next; nothing is written when the texts stayed the same. */
export const writeWords = (
  { change }: Connection,
  table: Table,
  n: number,
  before: Document | undefined,
  after: Document | undefined,
): void => {
  if (table.words === undefined) return
  const was = textsOf(table, before)
  const is = textsOf(table, after)
  if (was && is && was.every((text, i) => text === is[i])) return
  const columns = ['rowid', ...fieldsOf(table).map(columnOf)].join(', ')
  const values = `?${', ?'.repeat(fieldsOf(table).length)}`
  // The index stores no texts, so the statement names the words to remove.
  if (was) change(`INSERT INTO ${table.words}(${table.words}, ${columns}) VALUES('delete', ${values})`, n, ...was)
  if (is) change(`INSERT INTO ${table.words}(${columns}) VALUES(${values})`, n, ...is)
}

export const clearWords = ({ change }: Connection, { words }: Table): void => {
  if (words !== undefined) change(`INSERT INTO ${words}(${words}) VALUES('delete-all')`)
}
