import { collectionKey } from '../../ports/documents.ts'
import { isDamage, StoreFault } from '../../ports/faults.ts'
import { compareValues } from '../../ports/orders.ts'
import { type DataFile, openDataFile } from './connection.ts'
import { makeWords, writeWords } from './full-text-index.ts'
import { bodyOf } from './inspect.ts'
import { quoteName, type TableLayout } from './tables.ts'

/** The number of documents of one index that are named. Others are only counted. */
const MAX_NAMED = 20
const CACHE_MEBIBYTES = 32

/** A place of a word: the word, the row number of its document, the field, and the number of the word in the field. */
type WordPlace = readonly (string | number)[]

const comparePlaces = (a: WordPlace, b: WordPlace): number => {
  for (const [i, value] of a.entries()) {
    const difference = compareValues(value, b[i] ?? null)
    if (difference !== 0) return difference
  }
  return 0
}

/** Yields the rows that only one of two sorted lists has. */
function* findUnmatchedRows(left: Iterator<WordPlace>, right: Iterator<WordPlace>): Generator<WordPlace, void> {
  let a = left.next()
  let b = right.next()
  while (!a.done || !b.done) {
    const difference = a.done ? 1 : b.done ? -1 : comparePlaces(a.value, b.value)
    if (difference <= 0) {
      if (difference < 0 && !a.done) yield a.value
      a = left.next()
    }
    if (difference >= 0) {
      if (difference > 0 && !b.done) yield b.value
      b = right.next()
    }
  }
}

const VOCABULARY = 'temp.audited_vocabulary'

const COLUMNS = { instance: 'term, doc, col, offset', row: 'term' } as const

/** Reads every word of an index, or every word at every place. */
const withVocabulary = <T>(
  { db, rows }: DataFile,
  words: string,
  kind: keyof typeof COLUMNS,
  use: (vocabulary: IterableIterator<WordPlace>) => T,
): T => {
  db.exec(`CREATE VIRTUAL TABLE ${VOCABULARY} USING fts5vocab(main, ${words}, ${kind})`)
  try {
    return use(rows(`SELECT ${COLUMNS[kind]} FROM ${VOCABULARY}`).iterate() as unknown as IterableIterator<WordPlace>)
  } finally {
    db.exec(`DROP TABLE ${VOCABULARY}`)
  }
}

/** Builds the index from the documents, in a file that the engine deletes. */
const withCopy = <T>(connection: DataFile, table: TableLayout, use: (copy: DataFile) => T): T => {
  const copy = openDataFile('', { readOnly: false, cacheMebibytes: CACHE_MEBIBYTES })
  try {
    makeWords(copy, table)
    copy.write('NORMAL', () => {
      for (const row of connection.rows(`SELECT n, body FROM ${table.name} ORDER BY n`).iterate()) {
        const [n, text] = row as unknown as [number, string]
        const document = bodyOf(text)
        if (document) writeWords(copy, table, n, undefined, { ...document, id: String(document.id) })
      }
    })
    return use(copy)
  } finally {
    copy.close()
  }
}

/** Returns the newest row with a word. */
const newestWith = ({ rows }: DataFile, words: string, word: string | number): number | undefined => {
  const phrase = `"${String(word).replaceAll('"', '""')}"`
  const found = rows(`SELECT rowid FROM ${words} WHERE ${words} MATCH ? ORDER BY rowid DESC LIMIT 1`).get(phrase)
  return (found as unknown as [number] | undefined)?.[0]
}

/** Returns the rows whose words, or whose number of words, differ. */
const findDifferingRows = (connection: DataFile, copy: DataFile, table: TableLayout, words: string): ReadonlySet<number> => {
  const found = new Set<number>()
  const note = (row: WordPlace, column: number): void => {
    if (found.size <= 50 * MAX_NAMED) found.add(Number(row[column]))
  }
  withVocabulary(connection, words, 'instance', (stored) =>
    withVocabulary(copy, words, 'instance', (vocabulary) => {
      for (const place of findUnmatchedRows(stored, vocabulary)) note(place, 1)
    }),
  )
  // A word may be there and not be found, if the tree above it is wrong.
  withVocabulary(copy, words, 'row', (vocabulary) => {
    for (const [word = ''] of vocabulary) {
      const found = newestWith(copy, words, word)
      if (newestWith(connection, words, word) !== found) note([found ?? 0], 0)
    }
  })
  const sizes = `SELECT id, hex(sz) FROM ${quoteName(`${collectionKey(table.collection)}_words_docsize`)} ORDER BY id`
  const sizesOf = ({ rows }: DataFile) => rows(sizes).iterate() as unknown as Iterator<WordPlace>
  for (const size of findUnmatchedRows(sizesOf(connection), sizesOf(copy))) note(size, 0)
  return found
}

/** Returns the settings of an index without its totals, since no search ranks by them. */
const settingsOf = ({ rows }: DataFile, { collection }: TableLayout): string =>
  JSON.stringify(rows(`SELECT k, v FROM ${quoteName(`${collectionKey(collection)}_words_config`)} WHERE k <> 'version' ORDER BY k`).all())

/** Lists the differences between a full-text index and the documents of its table. */
export const wordDifferences = (connection: DataFile, table: TableLayout): readonly string[] => {
  const { words, name } = table
  if (words === undefined) return []
  const index = `the search index of ${collectionKey(table.collection)}`
  const idOf = (n: number): string => {
    const [id = `row ${n}`] = (connection.rows(`SELECT id FROM ${name} WHERE n = ?`).get(n) ?? []) as unknown as [string?]
    return id
  }
  try {
    return withCopy(connection, table, (copy) => {
      const rows = [...findDifferingRows(connection, copy, table, words)]
      const named = rows.slice(0, MAX_NAMED).map((n) => `${index} has other words of ${idOf(n)} than the document`)
      const further =
        rows.length > MAX_NAMED ? [`${index} has other words of further documents, of ${rows.length - MAX_NAMED} or more`] : []
      const settings = settingsOf(connection, table) === settingsOf(copy, table) ? [] : [`${index} has other settings`]
      return [...named, ...further, ...settings]
    })
  } catch (error) {
    if (error instanceof StoreFault && !isDamage(error)) throw error
    return [`${index} cannot be read: ${error instanceof Error ? error.message : error}`]
  }
}
