import { LRUCache } from 'lru-cache'
import type { Document } from '../../ports/documents.ts'

/** A document as it was read: its row, the position of its last change, and the data version at which that was known to hold. */
export type Cached = { readonly n: number; readonly position: number; readonly document: Document; seen: number }

export type DocumentCache = {
  readonly get: (table: string, id: string) => Cached | undefined
  readonly set: (table: string, cached: Cached, bytes: number) => void
  readonly delete: (table: string, id: string) => void
  readonly clear: () => void
}

const OVERHEAD = 300 // of the entry and its objects, beside what the text of the document says
const GROWTH = 2 // of a document over its text, about

export const documentCache = (bytes: number): DocumentCache => {
  const entries = new LRUCache<string, Cached>({ maxSize: bytes, maxEntrySize: Math.ceil(bytes / 4) })
  const key = (table: string, id: string): string => `${table}/${id}`
  return {
    get: (table, id) => entries.get(key(table, id)),
    set: (table, cached, length) => {
      entries.set(key(table, cached.document.id), cached, { size: OVERHEAD + GROWTH * length })
    },
    delete: (table, id) => {
      entries.delete(key(table, id))
    },
    clear: () => entries.clear(),
  }
}

/** Frozen all the way down. What is frozen already is not walked again. */
export const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) frozen(part)
  return value
}
