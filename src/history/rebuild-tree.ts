import type { HistoryStore } from '../ports/history.ts'
import { frontier, HASH_BYTES } from './merkle.ts'
import { type FollowedKey, headIn, type Origin, originLine } from './origins.ts'
import { areSameBytes, edgeRoot, growTree, levelOf, rowAt, rowPages, TILE_WIDTH, type Tree, tileOf, treeOf } from './trees.ts'

/** A problem of a history: the tree and the leaf that it concerns. */
export type HistoryFinding = { readonly tree: string; readonly number: number | undefined; readonly problem: string }

const MAX_NAMED_LEAVES = 3

/** Yields the signed heads of a tree in the order of their sizes. Calls back for heads that no key signed. */
async function* headsOf(
  history: HistoryStore,
  origin: Origin,
  keys: readonly FollowedKey[],
  tree: string,
  onUnsigned: (size: number) => void,
) {
  for await (const rows of rowPages(history, tree, 'head'))
    for (const { number, value } of rows) {
      const head = headIn(origin, tree, keys, Buffer.from(value).toString())
      if (head?.size === number) yield head
      else onUnsigned(number)
    }
}

type Leaf = { readonly hash: Uint8Array; readonly what: string }

/** Returns the index of the first hash in which two tiles differ. */
const firstDifference = (made: Uint8Array, stored: Uint8Array | undefined): number => {
  if (stored === undefined) return 0
  const hashIn = (tile: Uint8Array, at: number) => tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
  let at = 0
  while (areSameBytes(hashIn(made, at), hashIn(stored, at))) at++
  return at
}

type RebuildSources = { readonly history: HistoryStore; readonly origin: Origin; readonly keys: readonly FollowedKey[] }

/**
 * Builds a tree anew from its leaves. Compares it with the stored tiles, and with each signed head when it reaches the size of that head.
 */
export const rebuildTree = ({ history, origin, keys }: RebuildSources, name: string, onFinding: (finding: HistoryFinding) => void) => {
  const line = originLine(origin, name)
  const leaves = frontier()
  const report = (number: number, problem: string) => onFinding({ tree: line, number, problem })
  const heads = headsOf(history, origin, keys, name, (size) => report(size, `the head of ${size} leaves is not signed by a key of ${line}`))
  let head: Awaited<ReturnType<typeof heads.next>> | undefined
  /** The size of the last signed head that the leaves make, and of the first that they do not. */
  let matchingSize = 0
  let mismatchedSize: number | undefined
  /** The number of differing tiles of leaves so far. Only the first few are reported. */
  let differingTiles = 0
  let rebuilt: Tree = treeOf(name, undefined)
  let pending: Leaf[] = []

  const compareTile = (number: number, tile: Uint8Array, stored: Uint8Array | undefined): void => {
    if (stored && areSameBytes(tile, stored)) return
    const at = firstDifference(tile, stored)
    const first = rebuilt.size
    differingTiles += number === 0 ? 1 : 0
    if (number > 0) report(first, `a tile over the leaves before ${first + pending.length} differs from what the leaves make`)
    // one event too many or too few changes all leaves after it, so only the first differences are reported
    else if (differingTiles <= MAX_NAMED_LEAVES)
      report(first + at, `leaf ${first + at}, ${pending[at]?.what}, is not the one that was numbered`)
  }

  const flush = async (): Promise<void> => {
    const [next, tiles] = growTree(
      rebuilt,
      pending.map(({ hash }) => hash),
      rebuilt,
    )
    for (const tile of tiles) {
      const stored = (await rowAt(history, name, 'tile', tile.number))?.value
      compareTile(levelOf(tile.number), tile.value, stored)
    }
    rebuilt = next
    pending = []
  }

  /** Compares the incomplete tile at the end of the leaves with the stored one, as far as that reaches. */
  const compareLastTile = async (stored: Tree): Promise<void> => {
    if (pending.length === 0) return
    const first = leaves.size() - pending.length
    const width = Math.min(pending.length, stored.size - first)
    const tile = width > 0 ? await tileOf(history, stored, { level: 0, index: first / TILE_WIDTH, width }) : undefined
    compareTile(0, Buffer.concat(pending.map(({ hash }) => hash)), tile)
  }

  /**
   * Compares the roots of the signed heads and of the stored edge. Reports nothing after a leaf that was reported, since other roots follow
   * from it.
   */
  const compareRoots = (stored: Tree): void => {
    const size = leaves.size()
    if (differingTiles > 0) return
    if (mismatchedSize !== undefined)
      report(
        matchingSize,
        `the log makes the root of the signed head of ${matchingSize} leaves, but not that of ${mismatchedSize}: it was changed in between`,
      )
    else if (stored.size === size && !areSameBytes(edgeRoot(stored), edgeRoot(rebuilt)))
      report(size, `the edge that is stored does not make the root of ${size} leaves`)
  }

  return {
    size: leaves.size,
    root: leaves.root,
    /** Returns the size of the last signed head that the leaves make. */
    signed: () => matchingSize,
    report,
    push: async (leaf: Leaf): Promise<void> => {
      leaves.push(leaf.hash)
      pending.push(leaf)
      if (pending.length === TILE_WIDTH) await flush()
      head ??= await heads.next()
      if (head.done || head.value.size !== leaves.size()) return
      if (mismatchedSize === undefined && areSameBytes(head.value.root, leaves.root())) matchingSize = leaves.size()
      else mismatchedSize ??= leaves.size()
      head = await heads.next()
    },
    /**
     * Ends the comparison. Reports stored leaves and heads after the last leaf, up to `allowedSize`, to which the tree may have grown
     * meanwhile.
     */
    end: async (allowedSize: number): Promise<void> => {
      // reads in this order, since both may grow meanwhile
      const [last] = await history.list(name, 'head', Number.MAX_SAFE_INTEGER, 1, 'down')
      const stored = treeOf(name, await history.state(name))
      const size = leaves.size()
      if (last && last.number > stored.size)
        report(stored.size, `a head of ${last.number} leaves is signed, but only ${stored.size} are stored`)
      if (stored.size < size || (size < stored.size && allowedSize <= size))
        report(Math.min(size, stored.size), `${stored.size} leaves were numbered, but there are ${size}`)
      await compareLastTile(stored)
      await flush()
      compareRoots(stored)
      head ??= await heads.next()
      if (!head.done && head.value.size > Math.max(allowedSize, size))
        report(size, `a head of ${head.value.size} leaves is signed, but there are only ${size}`)
    },
  }
}
