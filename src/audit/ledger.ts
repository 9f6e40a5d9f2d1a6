import type { Collection, Document, DocumentChange, DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import { bytesOf } from '../ports/size.ts'

/** A row of a book of the ledger: plain JSON. */
export type BookRow = Readonly<Record<string, unknown>>

/** One change of one row. An `undefined` row does not exist. */
export type LedgerEntry = { readonly book: string; readonly id: string; readonly change: (row: BookRow | undefined) => BookRow | undefined }

/** The entries of one event. `onFailure` receives the error of each that could not be made. */
export type Posting = {
  readonly position: Position
  readonly entries: readonly LedgerEntry[]
  readonly onFailure: (error: unknown, entry: LedgerEntry) => void
}

/**
 * A row of a book, or the remains of a removed one (`row` is undefined). `position` is that of the event that changed it last; empty if
 * none did.
 */
export type LedgerRow = { readonly id: string; readonly row: BookRow | undefined; readonly position: Position }

export type Ledger = {
  /** Makes the entries in their order. */
  readonly post: (postings: readonly Posting[]) => Promise<void>
  /**
   * Returns the rows after an id (undefined: from the first), in bytewise order of their ids; of books of documents also the removed ones.
   */
  readonly walk: (book: string, after: string | undefined, limit: number) => Promise<readonly LedgerRow[]>
  /** Returns the rows that exist. */
  readonly rows: (book: string, ids: readonly string[]) => Promise<ReadonlyMap<string, BookRow>>
}

const OWN_BOOK_PREFIX = 'audit_'

/** Tells whether a book belongs to the audit's rules. All other books contain the documents of the collection that they are named after. */
export const isRuleBook = (book: string): boolean => book.startsWith(OWN_BOOK_PREFIX)

const IDS_PER_CALL = 1_000
/** The most rows in memory before they go to the scratch store, by number and by bytes. */
const MAX_ROWS_IN_MEMORY = 50_000
const MAX_BYTES_IN_MEMORY = 64 * 1024 * 1024
/** The memory of a row beyond its content, in bytes. */
const ROW_BYTES = 300

type StoredRow = Document & { readonly row: BookRow | null; readonly position: Position; readonly isStopped?: true }
/**
 * `isKnown` means that the scratch store has the id, or a tombstone of it. `isStopped` means that an event could not be folded into it, so
 * later ones are not.
 */
type WorkingRow = { row: BookRow | undefined; position: Position; isKnown: boolean; isChanged: boolean; isStopped: boolean }

const UNTOUCHED: Position = ''

/** The one collection of all books, so that a rule opens a book by naming it. */
const everything: Collection<StoredRow> = { name: 'ledger', version: 1, indexes: [] }
const start = (book: string): string => `${book} `
const toBookKey = (book: string, id: string): string => start(book) + id

/** Keeps books of rows in a scratch store that nobody else uses. A bounded number of rows is in memory. */
export const openLedger = async (scratch: DocumentStore): Promise<Ledger> => {
  const working = new Map<string, WorkingRow>()
  let bytes = 0
  await scratch.prepare([everything])
  let serial = 0
  let from: Position | undefined

  const flush = async (): Promise<void> => {
    if (working.size === 0) return
    serial += 1
    const position = String(serial).padStart(20, '0')
    const changes: DocumentChange[] = []
    for (const [id, { row, position: last, isKnown, isChanged, isStopped }] of working) {
      const isKept = row !== undefined || !isRuleBook(id)
      const document = isKept ? { id, row: row ?? null, position: last, ...(isStopped && { isStopped }) } : undefined
      if (isChanged && (document || isKnown)) changes.push({ collection: everything, id, position, document, fresh: !isKnown })
    }
    working.clear()
    bytes = 0
    changes.sort((a, b) => (a.id < b.id ? -1 : 1)) // writes rows together that lie together
    if ((await scratch.write(changes, { name: 'ledger', from, to: position })) === 'fenced') throw new Error('the scratch store is in use')
    from = position
  }

  const fetch = async (keys: readonly string[]): Promise<void> => {
    const missing = [...new Set(keys.filter((key) => !working.has(key)))]
    for (let n = 0; n < missing.length; n += IDS_PER_CALL) {
      const slice = missing.slice(n, n + IDS_PER_CALL)
      const loaded = await scratch.load(everything, slice)
      for (const key of slice) {
        const loadedRow = loaded.get(key)
        const { row, position = UNTOUCHED, isStopped = false } = (loadedRow?.document ?? {}) as Partial<StoredRow>
        bytes += ROW_BYTES + bytesOf(row)
        working.set(key, { row: row ?? undefined, position, isKnown: loadedRow !== undefined, isChanged: false, isStopped })
      }
    }
  }

  const make = (posting: Posting, entry: LedgerEntry): void => {
    const one = working.get(toBookKey(entry.book, entry.id))
    if (!one || one.isStopped) return
    try {
      const row = entry.change(one.row)
      if (row === one.row) return
      if (one.row === undefined) bytes += bytesOf(row)
      one.row = row
      one.position = posting.position
    } catch (error) {
      one.isStopped = !isRuleBook(entry.book)
      posting.onFailure(error, entry)
    }
    one.isChanged = true
  }

  return {
    post: async (postings) => {
      await fetch(postings.flatMap(({ entries }) => entries.map(({ book, id }) => toBookKey(book, id))))
      for (const posting of postings) for (const entry of posting.entries) make(posting, entry)
      if (working.size > MAX_ROWS_IN_MEMORY || bytes > MAX_BYTES_IN_MEMORY) await flush()
    },
    walk: async (book, after = '', limit) => {
      await flush()
      const rows = await scratch.walk(everything, toBookKey(book, after), limit)
      return rows
        .filter(({ id }) => id.startsWith(start(book)))
        .map(({ id, row, position }) => ({ id: id.slice(start(book).length), row: row ?? undefined, position }))
    },
    rows: async (book, ids) => {
      await flush()
      const found = new Map<string, BookRow>()
      for (let n = 0; n < ids.length; n += IDS_PER_CALL) {
        const slice = ids.slice(n, n + IDS_PER_CALL)
        const rows = await scratch.getMany(
          everything,
          slice.map((id) => toBookKey(book, id)),
        )
        for (const [key, { row }] of rows) if (row) found.set(key.slice(start(book).length), row)
      }
      return found
    },
  }
}
