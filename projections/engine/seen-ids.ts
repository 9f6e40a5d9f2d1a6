import { bloomFilter, seedOf } from '../../src/ports/bloom-filter.ts'

const FILTER_BYTES = 16 * 1024 * 1024

export type SeenIds = {
  /** Adds an id, and tells whether it may have been added before. The answer is never false for one that was. */
  readonly see: (collection: string, id: string) => boolean
}

/**
 * A Bloom filter of 16 MiB over the documents that a build has made. Without it, the store would be read for every new document, most of
 * them votes. With ten million documents, it takes one new document in 150 for an old one, which costs only a read of the store.
 */
export const seenIds = (): SeenIds => {
  const filter = bloomFilter(new Uint32Array(FILTER_BYTES / Uint32Array.BYTES_PER_ELEMENT))
  const seeds = new Map<string, number>()
  return {
    see: (collection, id) => {
      const seed = seeds.get(collection) ?? seedOf(collection)
      seeds.set(collection, seed)
      return filter.see(id, seed)
    },
  }
}
