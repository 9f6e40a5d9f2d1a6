import type { Document } from '../../ports/documents.ts'
import { indexedWords } from '../../ports/search-words.ts'
import type { Connection } from './connection.ts'
import { columnOf, type Table } from './tables.ts'

/*
 * A full-text query cannot be stopped, and looks at every row that has its words before it returns the first. So each row number belongs
 * to a block, each indexed word begins with its row's block, and a query looks at one block.
 */

/** Rows of a block. The dearest query that a search can make takes less than 50 ms for so many rows, whatever their texts are. */
export const BLOCK_ROWS = 1_024

export const blockOf = (n: number): number => Math.floor(n / BLOCK_ROWS)

/** Between a block and a word; part of no word. */
export const BLOCK_SEPARATOR = '·'

/** What the words of a block begin with. */
export const blockPrefix = (block: number): string => `${block.toString(36)}${BLOCK_SEPARATOR}`

/** How the words of these fields are indexed: an index that was made in another way is made again. */
export const layoutOf = (text: readonly string[]): string => JSON.stringify({ layout: 'blocks of words', rows: BLOCK_ROWS, text })

const fieldsOf = ({ collection }: Table): readonly string[] => collection.search?.text ?? []

/** Undefined for a document that is not in the search index. */
const textsOf = (table: Table, document: Document | undefined): readonly string[] | undefined => {
  const values = document as Readonly<Record<string, unknown>> | undefined
  const only = table.collection.search?.only
  if (values === undefined || (only !== undefined && values[only] !== true)) return undefined
  return fieldsOf(table).map((field) => String(values[field] ?? ''))
}

/** The words of a text in a block; the prefix alone keeps the place of a word that is not indexed. */
const inBlock =
  (n: number) =>
  (text: string): string => {
    const prefix = blockPrefix(blockOf(n))
    return indexedWords(text)
      .map((word) => prefix + word)
      .join(' ')
  }

/**
 * Make the full-text index, which holds the words of each document under its row number and not the texts themselves.
 * What is removed from it is removed at once, not marked, so that nothing of an erased text stays on the disk.
 */
export const makeWords = ({ db, change }: Connection, table: Table): void => {
  const { words } = table
  if (words === undefined) return
  const columns = fieldsOf(table).map(columnOf).join(', ')
  // The texts come divided into words; this tokenizer leaves them as they are.
  db.exec(`CREATE VIRTUAL TABLE ${words} USING fts5(${columns}, content='', tokenize='ascii')`)
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
  if (was) change(`INSERT INTO ${table.words}(${table.words}, ${columns}) VALUES('delete', ${values})`, n, ...was.map(inBlock(n)))
  if (is) change(`INSERT INTO ${table.words}(${columns}) VALUES(${values})`, n, ...is.map(inBlock(n)))
}

export const clearWords = ({ change }: Connection, { words }: Table): void => {
  if (words !== undefined) change(`INSERT INTO ${words}(${words}) VALUES('delete-all')`)
}
