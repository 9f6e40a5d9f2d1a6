import type { Document } from '../../ports/documents.ts'

/** A document as read: its row, the position of its last change, and the data version at which that was valid. */
export type CachedDocument = { readonly n: number; readonly position: number; readonly document: Document; seen: number }

export type DocumentCache = {
  readonly get: (table: string, id: string) => CachedDocument | undefined
  readonly set: (table: string, cached: CachedDocument, bytes: number) => void
  readonly delete: (table: string, id: string) => void
  readonly clear: () => void
}

const ENTRY_BYTES = 300 // the entry and its objects, beside the text of the document
const BYTES_PER_CHARACTER = 2 // the approximate size of a document in relation to its text

type CacheEntry = { readonly cached: CachedDocument; readonly size: number }
type Generation = Map<string, Map<string, CacheEntry>>

/**
 * Keeps two generations. A used entry moves to the young one. When that is full it becomes the old one, and entries of the former old one
 * that were not used since are dropped. This is nearly as good as dropping the least recently used, and much cheaper to keep.
 */
export const documentCache = (bytes: number): DocumentCache => {
  let young: Generation = new Map()
  let old: Generation = new Map()
  let filled = 0

  const keep = (table: string, id: string, entry: CacheEntry): void => {
    filled += entry.size
    if (filled > bytes / 2) {
      old = young
      young = new Map()
      filled = entry.size
    }
    const documents = young.get(table)
    if (documents) documents.set(id, entry)
    else young.set(table, new Map([[id, entry]]))
  }

  const remove = (table: string, id: string): void => {
    young.get(table)?.delete(id)
    old.get(table)?.delete(id)
  }

  return {
    get: (table, id) => {
      const recent = young.get(table)?.get(id)
      if (recent) return recent.cached
      const entry = old.get(table)?.get(id)
      if (entry) keep(table, id, entry)
      return entry?.cached
    },
    set: (table, cached, length) => {
      const size = ENTRY_BYTES + BYTES_PER_CHARACTER * length
      if (size <= bytes / 4) keep(table, cached.document.id, { cached, size })
      else remove(table, cached.document.id) // the cached version is older
    },
    delete: remove,
    clear: () => {
      young = new Map()
      old = new Map()
      filled = 0
    },
  }
}

/** Deep-freezes a value. Parts that are already frozen are skipped. */
export const freezeDeep = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) freezeDeep(part)
  return value
}
