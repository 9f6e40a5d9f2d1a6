import type { Document } from '../../ports/documents.ts'
import type { Connection } from './connection.ts'
import { columnOf, type Table } from './tables.ts'

const fieldsOf = ({ collection }: Table): readonly string[] => collection.search?.text ?? []

const textsOf = (table: Table, document: Document): readonly string[] =>
  fieldsOf(table).map((field) => String((document as Readonly<Record<string, unknown>>)[field] ?? ''))

/** Make the full-text index, which holds the words of each document under its row number and not the texts themselves. */
export const makeWords = ({ db }: Connection, table: Table): void => {
  if (table.words === undefined) return
  const columns = fieldsOf(table).map(columnOf)
  db.exec(
    `CREATE VIRTUAL TABLE ${table.words} USING fts5(${columns.join(', ')}, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2')`,
  )
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
  const was = before && textsOf(table, before)
  const is = after && textsOf(table, after)
  if (was && is && was.every((text, i) => text === is[i])) return
  if (was) change(`DELETE FROM ${table.words} WHERE rowid = ?`, n)
  if (is) {
    const columns = ['rowid', ...fieldsOf(table).map(columnOf)]
    change(`INSERT INTO ${table.words}(${columns.join(', ')}) VALUES(${columns.map(() => '?').join(', ')})`, n, ...is)
  }
}

export const clearWords = ({ change }: Connection, { words }: Table): void => {
  if (words !== undefined) change(`INSERT INTO ${words}(${words}) VALUES('delete-all')`)
}
