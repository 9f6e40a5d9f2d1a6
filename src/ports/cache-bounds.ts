// Decision 53.

import type { LRUCache } from 'lru-cache'

const MIB = 1024 * 1024

/**
 * The bound of each cache of a process in bytes, by the cache's own estimate. A test adds them up, fills each cache, and compares the
 * estimate with the memory that the process then takes.
 */
export const cacheBounds = {
  absentStreams: MIB,
  accountKeys: 8 * MIB,
  anchors: 6 * MIB,
  documents: 13 * MIB,
  folds: 8 * MIB,
  followedEvents: MIB,
  historyPages: 8 * MIB,
  pageNames: 2 * MIB,
  pages: 16 * MIB,
  queryResults: 8 * MIB,
  renderedTexts: 10 * MIB,
  renderedWikiPages: 3 * MIB,
  sessions: 2 * MIB,
  sharedFragments: 12 * MIB,
  streamEnds: 4 * MIB,
  threads: 12 * MIB,
  tokens: 2 * MIB,
  writtenBodies: 4 * MIB,
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
