import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Change, Collection, Document, DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'

/** What a book of the ledger holds under an id: plain JSON. */
export type Row = Readonly<Record<string, unknown>>

/** One change of one row; an `undefined` row does not exist. */
export type Entry = { readonly book: string; readonly id: string; readonly change: (row: Row | undefined) => Row | undefined }

/** The entries of one event. `failed` is told of each that could not be made. */
export type Posting = { readonly position: Position; readonly entries: readonly Entry[]; readonly failed: (error: unknown) => void }

/** A row of a book, or what is known of one that is no more (`row` is undefined). */
export type LedgerRow = { readonly id: string; readonly row: Row | undefined; readonly touches: Touches }

export type Ledger = {
  /** Make the entries in their order. */
  readonly post: (postings: readonly Posting[]) => Promise<void>
  /** The rows after an id (undefined: from the first), in bytewise order of their ids; of books that are compared also those that are no more. */
  readonly walk: (book: string, after: string | undefined, limit: number) => Promise<readonly LedgerRow[]>
  /** The rows that exist. */
  readonly rows: (book: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>
}

/** Books whose rows are read by rules alone. */
const isAuditsOwn = (book: string): boolean => book.startsWith('audit_')

/**
 * The events that touched a row since it last changed, that one first: one of them wrote the document, since an event may write it again as
 * it was. `isWhole`: none is missing between the first and the last.
 */
export type Touches = { readonly positions: readonly Position[]; readonly isWhole: boolean }

const MAX_TOUCHES = 16
const untouched: Touches = { positions: [], isWhole: true }

const touchedAgain = ({ positions, isWhole }: Touches, position: Position): Touches =>
  positions.length < MAX_TOUCHES
    ? { positions: [...positions, position], isWhole }
    : { positions: positions.with(-1, position), isWhole: false }

/** Whether one of the events that touched a row may have written its document last. */
export const mayStandAt = ({ positions, isWhole }: Touches, position: Position): boolean =>
  positions.includes(position) || (!isWhole && position > (positions[0] ?? position) && position < (positions.at(-1) ?? position))

const MAX_KEPT_TEXT_CHARACTERS = 64
const IDS_PER_CALL = 1_000
/** Rows in memory before they go to the scratch store; the texts of a row are short, but for names. */
const MAX_ROWS_IN_MEMORY = 50_000

/** A text as the ledger keeps it: a long one as its hash, so that rows stay small and findings contain no user text. */
export const short = (text: string): string =>
  text.length > MAX_KEPT_TEXT_CHARACTERS ? `sha256:${hash('sha256', text, 'base64url')}` : text

/** A whole value with every text in it as the ledger keeps it. */
export const shortened = (value: unknown): unknown => {
  if (typeof value === 'string') return short(value)
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

type StoredRow = Document & { readonly row: Row | null; readonly touches: Touches }
/** `row`: as it is now. `known`: the scratch store holds the id, or a tombstone of it. */
type WorkingRow = { row: Row | undefined; touches: Touches; known: boolean; changed: boolean }

/** All books are in one collection, so that a rule opens a book by naming it. */
const everything: Collection<StoredRow> = { name: 'ledger', version: 1, indexes: [] }
const start = (book: string): string => `${book} `
const keyOf = (book: string, id: string): string => start(book) + id

/** Books of rows in a scratch store that nobody else uses; a bounded number of rows is in memory. */
export const openLedger = async (scratch: DocumentStore): Promise<Ledger> => {
  const held = new Map<string, WorkingRow>()
  await scratch.prepare([everything])
  let serial = 0
  let from: Position | undefined

  const flush = async (): Promise<void> => {
    serial += 1
    const position = String(serial).padStart(20, '0')
    const changes: Change[] = []
    for (const [id, { row, touches, known, changed }] of held) {
      const document = row || touches.positions.length > 0 ? { id, row: row ?? null, touches } : undefined
      if (changed && (document || known)) changes.push({ collection: everything, id, position, document, fresh: !known })
    }
    held.clear()
    changes.sort((a, b) => (a.id < b.id ? -1 : 1)) // rows that lie together are written together
    if ((await scratch.write(changes, { name: 'ledger', from, to: position })) === 'fenced') throw new Error('the scratch store is in use')
    from = position
  }

  const fetch = async (keys: readonly string[]): Promise<void> => {
    const wanted = [...new Set(keys.filter((key) => !held.has(key)))]
    for (let n = 0; n < wanted.length; n += IDS_PER_CALL) {
      const some = wanted.slice(n, n + IDS_PER_CALL)
      const found = await scratch.load(everything, some)
      for (const key of some) {
        const there = found.get(key)
        const { row, touches = untouched } = (there?.document ?? {}) as Partial<StoredRow>
        held.set(key, { row: row ?? undefined, touches, known: there !== undefined, changed: false })
      }
    }
  }

  const make = ({ book, id, change }: Entry, position: Position): void => {
    const one = held.get(keyOf(book, id))
    if (!one) return
    const row = change(one.row)
    if (row === one.row) return
    if (!isAuditsOwn(book))
      one.touches = isDeepStrictEqual(row, one.row) ? touchedAgain(one.touches, position) : { positions: [position], isWhole: true }
    one.row = row
    one.changed = true
  }

  return {
    post: async (postings) => {
      await fetch(postings.flatMap(({ entries }) => entries.map(({ book, id }) => keyOf(book, id))))
      for (const { position, entries, failed } of postings) {
        for (const one of entries) {
          try {
            make(one, position)
          } catch (error) {
            failed(error)
          }
        }
      }
      if (held.size > MAX_ROWS_IN_MEMORY) await flush()
    },
    walk: async (book, after = '', limit) => {
      await flush()
      const rows = await scratch.walk(everything, keyOf(book, after), limit)
      return rows
        .filter(({ id }) => id.startsWith(start(book)))
        .map(({ id, row, touches }) => ({ id: id.slice(start(book).length), row: row ?? undefined, touches }))
    },
    rows: async (book, ids) => {
      await flush()
      const found = new Map<string, Row>()
      for (let n = 0; n < ids.length; n += IDS_PER_CALL) {
        const some = ids.slice(n, n + IDS_PER_CALL)
        const rows = await scratch.getMany(
          everything,
          some.map((id) => keyOf(book, id)),
        )
        for (const [key, { row }] of rows) if (row) found.set(key.slice(start(book).length), row)
      }
      return found
    },
  }
}
