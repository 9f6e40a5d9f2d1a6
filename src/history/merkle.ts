import { hash } from 'node:crypto'

/** Hash trees as in RFC 6962. Nothing here knows what the leaves are, or where hashes are kept. */

export const HASH_BYTES = 32

/** Returns the hash of a leaf, from its record. */
export const leafHash = (record: string): Buffer => hash('sha256', `\0${record}`, 'buffer')

const pair = Buffer.alloc(1 + 2 * HASH_BYTES, 1)

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  pair.set(left, 1)
  pair.set(right, 1 + HASH_BYTES)
  return hash('sha256', pair, 'buffer')
}

const EMPTY_ROOT = hash('sha256', '', 'buffer')

/** A node over 2^`height` leaves, the `index`-th of its height. Every leaf under it exists. */
export type NodePosition = { readonly height: number; readonly index: number }

/** Returns the hash of a node. */
export type HashAt = (place: NodePosition) => Uint8Array

/**
 * Returns the largest complete nodes that cover the leaves from one up to another, left to right. The first leaf must be a multiple of the
 * nodes' widths.
 */
export const placesIn = (from: number, to: number): readonly NodePosition[] => {
  const places: NodePosition[] = []
  for (let at = from; at < to; ) {
    let height = 0
    while (at % 2 ** (height + 1) === 0 && at + 2 ** (height + 1) <= to) height += 1
    places.push({ height, index: at / 2 ** height })
    at += 2 ** height
  }
  return places
}

/** Joins the hashes of complete nodes from left to right, each at most as high as the one before, into one. */
export const joinHashes = (hashes: readonly Uint8Array[]): Uint8Array =>
  hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => nodeHash(left, right))

/** Returns the root over the first `size` leaves. */
export const rootOf = (size: number, hashAt: HashAt): Uint8Array => joinHashes(placesIn(0, size).map(hashAt))

const splitOf = (count: number): number => 2 ** Math.floor(Math.log2(count - 1))

/** A range of leaves. One hash of a proof covers one range. */
type LeafRange = readonly [from: number, to: number]

const pathTo = (index: number, from: number, to: number): readonly LeafRange[] => {
  if (to - from <= 1) return []
  const middle = from + splitOf(to - from)
  return index < middle ? [...pathTo(index, from, middle), [middle, to]] : [...pathTo(index, middle, to), [from, middle]]
}

const growth = (size: number, from: number, to: number, isWhole: boolean): readonly LeafRange[] => {
  if (size === to) return isWhole ? [] : [[from, to]]
  const middle = from + splitOf(to - from)
  return size <= middle ? [...growth(size, from, middle, isWhole), [middle, to]] : [...growth(size, middle, to, false), [from, middle]]
}

const placesOfRanges = (ranges: readonly LeafRange[]) => ranges.map(([from, to]) => placesIn(from, to))

/** The nodes of a proof: each of its hashes is the joined hash of such nodes. */
export type ProofPlan = readonly (readonly NodePosition[])[]

/** Returns the nodes of the path from a leaf to the root over `size` leaves. */
export const inclusionPlan = (index: number, size: number): ProofPlan => placesOfRanges(pathTo(index, 0, size))

/** Returns the nodes of the proof that the tree of `size` leaves is the beginning of one of `larger`. */
export const consistencyPlan = (size: number, larger: number): ProofPlan =>
  size === 0 ? [] : placesOfRanges(growth(size, 0, larger, true))

export const proofBy = (plan: ProofPlan, hashAt: HashAt): readonly Uint8Array[] => plan.map((places) => joinHashes(places.map(hashAt)))

/**
 * Returns both roots that a proof of consistency gives for a tree and a larger one; undefined if it has the wrong length (RFC 9162,
 * 2.1.4.2).
 */
export const rootsFromGrowth = (
  size: number,
  larger: number,
  root: Uint8Array,
  proof: readonly Uint8Array[],
): readonly [Uint8Array, Uint8Array] | undefined => {
  if (size === 0 || size > larger) return undefined
  if (size === larger) return proof.length === 0 ? [root, root] : undefined
  const [first, ...rest] = Number.isInteger(Math.log2(size)) ? [root, ...proof] : proof
  if (first === undefined) return undefined
  let [at, last] = [size - 1, larger - 1]
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  let [smallHash, largeHash] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      smallHash = nodeHash(sibling, smallHash)
      largeHash = nodeHash(sibling, largeHash)
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else largeHash = nodeHash(largeHash, sibling)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? [smallHash, largeHash] : undefined
}

/** A tree that only grows, kept in as many hashes as its size has bits. */
export type Frontier = { readonly push: (leaf: Uint8Array) => void; readonly size: () => number; readonly root: () => Uint8Array }

/** Returns a tree of so many leaves, from the hashes of the complete nodes that cover them, left to right. */
export const frontier = (leaves = 0, complete: readonly Uint8Array[] = []): Frontier => {
  const nodes = [...complete]
  let size = leaves
  return {
    push: (leaf) => {
      let hash = leaf
      for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) hash = nodeHash(nodes.pop() as Uint8Array, hash)
      nodes.push(hash)
      size += 1
    },
    size: () => size,
    root: () => joinHashes(nodes),
  }
}
