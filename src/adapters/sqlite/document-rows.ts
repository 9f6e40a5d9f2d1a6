import { type Collection, collectionKey, type Document } from '../../ports/documents.ts'
import { StoreFault } from '../../ports/faults.ts'
import { type CachedDocument, documentCache, freezeDeep } from './cache.ts'
import type { DataFile } from './connection.ts'
import { bodyOf } from './inspect.ts'
import { describeTable, type TableLayout } from './tables.ts'

/** The rows of the file as documents, with a cache. Changes that are not in the file yet do not concern it. */
export type DocumentRows = {
  readonly table: (collection: Collection<Document>) => TableLayout
  readonly learn: (table: TableLayout) => void
  /** Returns the tables that were prepared. */
  readonly tables: () => readonly TableLayout[]
  /** Returns a number that changes when rows may have changed. It is the first read of a snapshot. */
  readonly version: () => number
  /** Returns the document of an id as it is at a version. */
  readonly current: (table: TableLayout, id: string, version: number) => CachedDocument | undefined
  /** Returns the document of a row that this snapshot has. It is read anew only if it has changed since it was last read. */
  readonly at: (table: TableLayout, id: string, n: number, version: number) => CachedDocument | undefined
  /** Returns the document of an id if it is certain without a look into the file. */
  readonly known: (table: TableLayout, id: string) => CachedDocument | undefined
  /** Returns the position at which a document was deleted. */
  readonly grave: (table: TableLayout, id: string) => number | undefined
  /** Caches a written document as if it had been read. */
  readonly remember: (table: string, cached: CachedDocument, bytes: number) => void
  readonly forget: (table: string, id: string) => void
  readonly forgetAll: () => void
  /** Ends the comparison of cached rows with the file: from now on, each change of a row reaches the cache before the row can be read. */
  readonly trustCache: () => void
}

export const documentIn = <D extends Document>({ collection }: TableLayout, text: string): D => {
  const body = bodyOf(text)
  if (body === undefined) throw new StoreFault('damaged', `a document of ${collectionKey(collection)} is damaged: run npx rostra audit`)
  return freezeDeep(body as unknown as D)
}

export const documentRows = (connection: DataFile, cacheBytes: number): DocumentRows => {
  const { rows } = connection
  const tables = new Map<string, TableLayout>()
  const cache = documentCache(cacheBytes)
  let exact = false

  const keep = (from: TableLayout, row: unknown, version: number): CachedDocument | undefined => {
    if (row === undefined) return undefined
    const [n, position, body] = row as [number, number, string]
    const cached = { n, position, document: documentIn(from, body), seen: version }
    cache.set(from.name, cached, body.length)
    return cached
  }

  const readAt = (from: TableLayout, id: string, n: number, version: number): CachedDocument | undefined => {
    const known = cache.get(from.name, id)
    if (exact && known) return known
    if (known?.n === n) {
      if (known.seen === version) return known
      const [position] = (rows(`SELECT pos FROM ${from.name} WHERE n = ?`).get(n) ?? []) as unknown as [number?]
      if (position === known.position) {
        known.seen = version
        return known
      }
    }
    return keep(from, rows(`SELECT n, pos, body FROM ${from.name} WHERE n = ?`).get(n), version)
  }

  const current = (from: TableLayout, id: string, version: number): CachedDocument | undefined => {
    const cached = cache.get(from.name, id)
    if (cached?.seen === version) return cached
    if (!cached) return keep(from, rows(`SELECT n, pos, body FROM ${from.name} WHERE id = ?`).get(id), version)
    const [n] = (rows(`SELECT n FROM ${from.name} WHERE id = ?`).get(id) ?? []) as unknown as [number?]
    return n === undefined ? undefined : readAt(from, id, n, version)
  }

  return {
    table: (collection) => {
      const known = tables.get(collectionKey(collection))
      if (!known) throw new Error(`${collectionKey(collection)} was not prepared`)
      return known
    },
    learn: (known) => {
      tables.set(collectionKey(known.collection), known)
    },
    tables: () => [...tables.values()],
    version: () => {
      const version = connection.dataVersion()
      return exact ? EXACT_VERSION : version
    },
    current,
    at: readAt,
    known: (from, id) => (exact ? cache.get(from.name, id) : undefined),
    grave: (from, id) =>
      (rows('SELECT pos FROM tombstone WHERE collection = ? AND id = ?').get(from.number, id) as unknown as [number] | undefined)?.[0],
    remember: cache.set,
    forget: cache.delete,
    forgetAll: cache.clear,
    trustCache: () => {
      cache.clear()
      exact = true
    },
  }
}

/** The version of entries that are never compared with the file. */
export const EXACT_VERSION = 0

/** Loads the layouts of collections that another connection made. */
export const learnTables = (connection: DataFile, { learn }: DocumentRows, collections: readonly Collection<Document>[]): void =>
  connection.read(() => {
    for (const collection of collections) learn(describeTable(connection, collection))
  })
