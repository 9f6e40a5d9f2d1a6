const BITS = 2 ** 27
const PROBES = 4

export type SeenIds = {
  /** Adds an id, and tells whether it may have been added before. The answer is never false for one that was. */
  readonly see: (collection: string, id: string) => boolean
}

const hash = (text: string, seed: number): number => {
  let h = seed
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h ^= h >>> 15
  h = Math.imul(h, 0x2c1b3c6d)
  h ^= h >>> 12
  return h >>> 0
}

/**
 * A Bloom filter of 16 MiB over the documents that a build has made. Without it, the store would be read for every new document, most of
 * them votes. With ten million documents, it takes one new document in 150 for an old one, which costs only a read of the store.
 */
export const seenIds = (): SeenIds => {
  const bits = new Uint32Array(BITS / 32)
  const seeds = new Map<string, number>()
  return {
    see: (collection, id) => {
      let seed = seeds.get(collection)
      if (seed === undefined) {
        seed = hash(collection, 0x811c9dc5)
        seeds.set(collection, seed)
      }
      const first = hash(id, seed)
      const step = (Math.imul(first ^ (first >>> 16), 0x45d9f3b) >>> 0) | 1
      let known = true
      for (let probe = 0; probe < PROBES; probe++) {
        const bit = (first + Math.imul(probe, step)) & (BITS - 1)
        const mask = 1 << (bit & 31)
        const word = bits[bit >>> 5] ?? 0
        if ((word & mask) === 0) {
          known = false
          bits[bit >>> 5] = word | mask
        }
      }
      return known
    },
  }
}
