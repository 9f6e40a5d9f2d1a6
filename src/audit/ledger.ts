import { hash } from 'node:crypto'
import type { Change, Collection, Document, DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'

/** What a book of the ledger holds under an id: plain JSON. */
export type Row = Readonly<Record<string, unknown>>

/** One change of one row; an `undefined` row does not exist. */
export type Entry = { readonly book: string; readonly id: string; readonly change: (row: Row | undefined) => Row | undefined }

export type Ledger = {
  /** Apply the entries in their order. */
  readonly post: (entries: readonly Entry[]) => Promise<void>
  /** The rows after an id (undefined: from the first), in bytewise order of their ids. */
  readonly walk: (book: string, after: string | undefined, limit: number) => Promise<readonly (readonly [id: string, row: Row])[]>
  /** The rows that exist. */
  readonly rows: (book: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>
}

const LONG = 64
const IDS_A_CALL = 1_000
/** Rows in memory before they go to the scratch store; a row has no text longer than `LONG`. */
const IN_MEMORY = 50_000

/** A text as the ledger keeps it: a long one as its hash, so that rows stay small and findings contain no user text. */
export const short = (text: string): string => (text.length > LONG ? `sha256:${hash('sha256', text, 'base64url')}` : text)

/** A whole value with every text in it as the ledger keeps it. */
export const shortened = (value: unknown): unknown => {
  if (typeof value === 'string') return short(value)
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

type Stored = Document & { readonly row: Row }
/** `row`: as it is now. `known`: the scratch store holds the id, or a tombstone of it. */
type Held = { row: Row | undefined; known: boolean; changed: boolean }

/** All books are in one collection, so that a rule opens a book by naming it. */
const everything: Collection<Stored> = { name: 'ledger', version: 1, indexes: [] }
const start = (book: string): string => `${book} `
const keyOf = (book: string, id: string): string => start(book) + id

/** Books of rows in a scratch store that nobody else uses; a bounded number of rows is in memory. */
export const openLedger = async (scratch: DocumentStore): Promise<Ledger> => {
  const held = new Map<string, Held>()
  await scratch.prepare([everything])
  let serial = 0
  let from: Position | undefined

  const flush = async (): Promise<void> => {
    serial += 1
    const position = String(serial).padStart(20, '0')
    const changes: Change[] = []
    for (const [id, { row, known, changed }] of held) {
      if (changed && (row || known)) changes.push({ collection: everything, id, position, document: row && stored(id, row), fresh: !known })
    }
    held.clear()
    changes.sort((a, b) => (a.id < b.id ? -1 : 1)) // rows that lie together are written together
    if ((await scratch.write(changes, { name: 'ledger', from, to: position })) === 'fenced') throw new Error('the scratch store is in use')
    from = position
  }

  const stored = (id: string, row: Row): Stored => ({ id, row })

  const fetch = async (keys: readonly string[]): Promise<void> => {
    const wanted = [...new Set(keys.filter((key) => !held.has(key)))]
    for (let n = 0; n < wanted.length; n += IDS_A_CALL) {
      const some = wanted.slice(n, n + IDS_A_CALL)
      const found = await scratch.load(everything, some)
      for (const key of some) {
        const there = found.get(key)
        held.set(key, { row: (there?.document as Stored | undefined)?.row, known: there !== undefined, changed: false })
      }
    }
  }

  return {
    post: async (entries) => {
      const keys = entries.map(({ book, id }) => keyOf(book, id))
      await fetch(keys)
      entries.forEach(({ change }, i) => {
        const one = held.get(keys[i] ?? '')
        if (!one) return
        const row = change(one.row)
        one.changed ||= row !== one.row
        one.row = row
      })
      if (held.size > IN_MEMORY) await flush()
    },
    walk: async (book, after = '', limit) => {
      await flush()
      const rows = await scratch.walk(everything, keyOf(book, after), limit)
      return rows.flatMap(({ id, row }) => (id.startsWith(start(book)) ? [[id.slice(start(book).length), row] as const] : []))
    },
    rows: async (book, ids) => {
      await flush()
      const found = new Map<string, Row>()
      for (let n = 0; n < ids.length; n += IDS_A_CALL) {
        const some = ids.slice(n, n + IDS_A_CALL)
        const rows = await scratch.getMany(
          everything,
          some.map((id) => keyOf(book, id)),
        )
        for (const [key, { row }] of rows) found.set(key.slice(start(book).length), row)
      }
      return found
    },
  }
}
