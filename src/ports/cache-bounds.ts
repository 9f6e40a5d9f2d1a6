// Decision 53.

import type { LRUCache } from 'lru-cache'

const MIB = 1024 * 1024

/**
 * The bound of each cache of a process in bytes, by the cache's own estimate. A test adds them up, fills each cache, and compares the
 * estimate with the memory that the process then takes.
 */
export const cacheBounds = {
  absentStreams: MIB,
  accountKeys: 4 * MIB,
  anchors: 3 * MIB,
  documents: 8 * MIB,
  folds: 8 * MIB,
  followedEvents: MIB / 2,
  historyPages: 4 * MIB,
  knownValues: MIB,
  pageNames: MIB,
  pages: 8 * MIB,
  queryResults: 4 * MIB,
  readEnds: MIB,
  renderedTexts: 5 * MIB,
  renderedWikiPages: MIB,
  sealedEvents: MIB,
  sessions: MIB,
  sharedFragments: 6 * MIB,
  storedDocuments: 9 * MIB,
  streamEnds: 4 * MIB,
  threads: 12 * MIB,
  tokens: MIB,
  wikiRevisions: MIB / 2,
  writtenBodies: 3 * MIB,
  writtenDocuments: 8 * MIB,
} as const

/** The bytes that a cache takes for an entry beside its key and its value. */
const ENTRY_BYTES = 200

/** Returns the bound of a cache for `LRUCache`; `sizeOf` estimates the bytes of a value. */
export const boundedBy = <Value>(name: keyof typeof cacheBounds, sizeOf: (value: Value) => number) => ({
  maxSize: cacheBounds[name],
  sizeCalculation: (value: Value, key: string) => ENTRY_BYTES + 2 * key.length + sizeOf(value),
})

/** Sets the entry of a value that has grown. `LRUCache` alone keeps the former size of a value that is set again. */
export const setGrown = <Key extends {}, Value extends {}>(
  cache: LRUCache<Key, Value>,
  key: Key,
  value: Value,
  options?: { readonly size: number },
): void => {
  cache.delete(key)
  cache.set(key, value, options)
}
