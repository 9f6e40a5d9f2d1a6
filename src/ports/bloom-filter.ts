const PROBES = 4

/** A Bloom filter of texts, each added under a seed. */
export type BloomFilter = {
  /** Adds a text, and tells whether it may have been added before. The answer is never false for one that was. */
  readonly see: (text: string, seed: number) => boolean
  /** Tells whether a text may have been added. The answer is never false for one that was. */
  readonly mayHave: (text: string, seed: number) => boolean
}

const hash = (text: string, seed: number): number => {
  let h = seed
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h ^= h >>> 15
  h = Math.imul(h, 0x2c1b3c6d)
  h ^= h >>> 12
  return h >>> 0
}

/** Returns the seed of texts that belong to something of this name. */
export const seedOf = (name: string): number => hash(name, 0x811c9dc5)

/** Returns the filter whose bits these are; their number is a power of two. Threads may share them if one alone adds. */
export const bloomFilter = (bits: Uint32Array): BloomFilter => {
  const last = bits.length * 32 - 1
  const look = (text: string, seed: number, adds: boolean): boolean => {
    const first = hash(text, seed)
    const step = (Math.imul(first ^ (first >>> 16), 0x45d9f3b) >>> 0) | 1
    let known = true
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = (first + Math.imul(probe, step)) & last
      const mask = 1 << (bit & 31)
      const word = bits[bit >>> 5] ?? 0
      if ((word & mask) !== 0) continue
      if (!adds) return false
      known = false
      bits[bit >>> 5] = word | mask
    }
    return known
  }
  return { see: (text, seed) => look(text, seed, true), mayHave: (text, seed) => look(text, seed, false) }
}
