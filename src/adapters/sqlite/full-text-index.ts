import type { Document } from '../../ports/documents.ts'
import { indexedWords } from '../../ports/search-words.ts'
import type { DataFile } from './connection.ts'
import { columnOf, type TableLayout } from './tables.ts'

/*
 * Divides the rows of a full-text index into blocks. A full-text query cannot be stopped, and looks at every row that has its words before
 * it returns the first. So each row number belongs to a block, each indexed word begins with its row's block, and a query looks at one
 * block.
 */

/** The rows of a block. The most expensive query of a search takes less than 50 ms for so many rows, whatever their texts are. */
export const BLOCK_ROWS = 1_024

export const blockOf = (n: number): number => Math.floor(n / BLOCK_ROWS)

/** Stands between a block and a word; it is part of no word. */
export const BLOCK_SEPARATOR = '·'

/** Returns the prefix of the words of a block. */
export const blockPrefix = (block: number): string => `${block.toString(36)}${BLOCK_SEPARATOR}`

/** Describes the way in which the words of these fields are indexed. An index that was made in another way is made again. */
export const layoutOf = (text: readonly string[]): string => JSON.stringify({ layout: 'blocks of words and pairs', rows: BLOCK_ROWS, text })

const searchedFields = ({ collection }: TableLayout): readonly string[] => collection.search?.text ?? []

/** Returns the texts of a document; undefined if it is not in the search index. */
const textsOf = (table: TableLayout, document: Document | undefined): readonly string[] | undefined => {
  const values = document as Readonly<Record<string, unknown>> | undefined
  const only = table.collection.search?.only
  if (values === undefined || (only !== undefined && values[only] !== true)) return undefined
  return searchedFields(table).map((field) => String(values[field] ?? ''))
}

/** Returns the words of a text in a block. The prefix alone keeps the place of a word that is not indexed. */
const inBlock =
  (n: number) =>
  (text: string): string => {
    const prefix = blockPrefix(blockOf(n))
    return indexedWords(text)
      .map((word) => prefix + word)
      .join(' ')
  }

/**
 * Makes the full-text index, which holds the words of each document under its row number and not the texts themselves. Removed words
 * disappear at once and are not only marked, so that nothing of an erased text stays on the disk.
 */
export const makeWords = ({ db, change }: DataFile, table: TableLayout): void => {
  const { words } = table
  if (words === undefined) return
  const columns = searchedFields(table).map(columnOf).join(', ')
  // The texts come divided into words; this tokenizer leaves them as they are.
  db.exec(`CREATE VIRTUAL TABLE ${words} USING fts5(${columns}, content='', tokenize='ascii')`)
  change(`INSERT INTO ${words}(${words}, rank) VALUES('secure-delete', 1)`)
}

/** Updates the full-text index from one state of a document to the next. It writes nothing if the texts stayed the same. */
export const writeWords = (
  { change }: DataFile,
  table: TableLayout,
  n: number,
  before: Document | undefined,
  after: Document | undefined,
): void => {
  if (table.words === undefined) return
  const was = textsOf(table, before)
  const now = textsOf(table, after)
  if (was && now && was.every((text, i) => text === now[i])) return
  const columns = ['rowid', ...searchedFields(table).map(columnOf)].join(', ')
  const values = `?${', ?'.repeat(searchedFields(table).length)}`
  // The index stores no texts, so the statement names the words to remove.
  if (was) change(`INSERT INTO ${table.words}(${table.words}, ${columns}) VALUES('delete', ${values})`, n, ...was.map(inBlock(n)))
  if (now) change(`INSERT INTO ${table.words}(${columns}) VALUES(${values})`, n, ...now.map(inBlock(n)))
}

export const clearWords = ({ change }: DataFile, { words }: TableLayout): void => {
  if (words !== undefined) change(`INSERT INTO ${words}(${words}) VALUES('delete-all')`)
}
