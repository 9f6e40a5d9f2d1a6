import * as t from 'io-ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryRow, HistoryStore, TreeState } from '../ports/history.ts'
import {
  consistencyPlan,
  type Frontier,
  frontier,
  HASH_BYTES,
  type HashAt,
  joinHashes,
  type NodePosition,
  nodeHash,
  type ProofPlan,
  placesIn,
  proofBy,
  rootOf,
  rootsFromGrowth,
} from './merkle.ts'

/* Trees as they are stored: in tiles, as C2SP tlog-tiles has them. */

/** The number of hashes in a complete tile, which has 8 levels of a tree. */
export const TILE_WIDTH = 256
const TILE_HEIGHT = 8

/** Returns the name of the tree over the whole log. Origins are counted from 1. */
export const logTree = (origin: number): string => `${origin}/log`
/** Returns the beginning of the names of all trees over moderation logs of subsites. */
export const subsiteTrees = (origin: number): string => `${origin}/s/`
/** Returns the name of the tree over the moderation log of a subsite. */
export const subsiteTree = (origin: number, subsite: string): string => `${subsiteTrees(origin)}${subsite}`

const TILES_PER_LEVEL = 2 ** 44
/** Returns the number under which a tile is stored: its level and its index in one. */
const tileNumber = (level: number, index: number): number => level * TILES_PER_LEVEL + index
export const indexOf = (tile: number): number => tile % TILES_PER_LEVEL
export const levelOf = (tile: number): number => Math.floor(tile / TILES_PER_LEVEL)

/** The event that was numbered last, and the number of the next one that concerns a tree. */
type Reached = { readonly next: number; readonly last: { readonly stream: string; readonly revision: number } | null }

const Stored = t.intersection([
  t.type({
    next: t.number,
    last: t.union([t.type({ stream: t.string, revision: t.number }), t.null]),
    edge: t.readonlyArray(t.string),
  }),
  t.partial({ signed: t.string }),
])

/**
 * A tree in memory: its size and the incomplete tiles at its right edge, by their levels. The log's tree also has the note of its last
 * head.
 */
export type Tree = Reached & { readonly name: string; readonly size: number; readonly edge: readonly Buffer[]; readonly signed?: string }

export const emptyTree = (name: string): Tree => ({ name, size: 0, edge: [], next: 0, last: null })

/** Returns the numbers of hashes that the incomplete tiles at the edge of a tree have, from the leaves up. */
const edgeWidths = (size: number): readonly number[] =>
  size === 0 ? [] : [size % TILE_WIDTH, ...edgeWidths(Math.floor(size / TILE_WIDTH))]

/**
 * Returns a tree as it is stored. Name and size come from the row, not from its value. A value with a hash more or less than the size needs
 * is refused: it would not change the root, but become a leaf or shift the next ones.
 */
export const treeOf = (name: string, state: TreeState | undefined): Tree => {
  if (state === undefined) return emptyTree(name)
  const { size } = state
  try {
    const stored: unknown = JSON.parse(Buffer.from(state.value).toString())
    if (!Stored.is(stored) || !Number.isSafeInteger(size) || size < 0) throw new Error('it is no state of a tree')
    const { next, last, signed } = stored
    const edge = stored.edge.map((tile) => Buffer.from(tile, 'base64'))
    if (edge.map(({ length }) => length / HASH_BYTES).join() !== edgeWidths(size).join())
      throw new Error(`its edge is not that of ${size} leaves`)
    return { name, size, edge, next, last, ...(signed !== undefined && { signed }) }
  } catch (cause) {
    throw new StoreFault('damaged', `the state of ${name} cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

export const stateOf = ({ name, size, edge, ...reached }: Tree): TreeState => {
  const stored: t.TypeOf<typeof Stored> = { ...reached, edge: edge.map((tile) => tile.toString('base64')) }
  return { tree: name, size, value: Buffer.from(JSON.stringify(stored)) }
}

export const areSameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

const hashAtIndex = (tile: Uint8Array, index: number): Uint8Array => tile.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)

/** Returns the hash over some hashes of a tile, whose number is a power of two. */
const hashOver = (tile: Uint8Array, from: number, count: number): Uint8Array =>
  count === 1 ? hashAtIndex(tile, from) : nodeHash(hashOver(tile, from, count / 2), hashOver(tile, from + count / 2, count / 2))

/** Returns the tree with further leaves, and the tiles that are complete now. */
export const growTree = (tree: Tree, leaves: readonly Uint8Array[], reached: Reached): readonly [Tree, readonly HistoryRow[]] => {
  const complete: HistoryRow[] = []
  const edge = [...tree.edge]
  let added = leaves
  for (let level = 0; added.length > 0; level++) {
    const before = Math.floor(tree.size / TILE_WIDTH ** level)
    const hashes = Buffer.concat([edge[level] ?? Buffer.alloc(0), ...added])
    const full = Math.floor(hashes.length / HASH_BYTES / TILE_WIDTH)
    const tiles = Array.from({ length: full }, (_, at) => hashes.subarray(at * TILE_WIDTH * HASH_BYTES, (at + 1) * TILE_WIDTH * HASH_BYTES))
    const first = Math.floor(before / TILE_WIDTH)
    for (const [at, value] of tiles.entries())
      complete.push({ tree: tree.name, kind: 'tile', number: tileNumber(level, first + at), value })
    edge[level] = Buffer.from(hashes.subarray(full * TILE_WIDTH * HASH_BYTES))
    added = tiles.map((tile) => hashOver(tile, 0, TILE_WIDTH))
  }
  return [{ ...tree, ...reached, size: tree.size + leaves.length, edge }, complete]
}

/** Returns the place of the hashes under a node: the level and index of a tile, the first hash and their number. */
const toTilePlace = ({ height, index }: NodePosition) => {
  const count = 2 ** (height % TILE_HEIGHT)
  const first = index * count
  return { level: Math.floor(height / TILE_HEIGHT), tile: Math.floor(first / TILE_WIDTH), first: first % TILE_WIDTH, count }
}

type Edge = Pick<Tree, 'size' | 'edge'>

/** Returns the hashes of the complete nodes that cover a whole tree, from its edge alone. */
const edgeNodes = ({ size, edge }: Edge): readonly Uint8Array[] =>
  placesIn(0, size).map((place) => {
    const { level, first, count } = toTilePlace(place)
    return hashOver(edge[level] ?? Buffer.alloc(0), first, count)
  })

/** Returns the root of a whole tree, from its edge alone. */
export const edgeRoot = (tree: Edge): Uint8Array => joinHashes(edgeNodes(tree))

/** Returns a tree to which leaves can be added one by one, with the root after each. */
export const frontierOf = (tree: Edge): Frontier => frontier(tree.size, edgeNodes(tree))

const ROWS_PER_READ = 500

/** Yields all rows of a kind that a tree has, in the order of their numbers, page by page. */
export async function* rowPages(
  history: Pick<HistoryStore, 'list'>,
  tree: string,
  kind: HistoryRow['kind'],
): AsyncGenerator<readonly HistoryRow[], void, undefined> {
  for (let from = 0; ; ) {
    const rows = await history.list(tree, kind, from, ROWS_PER_READ)
    yield rows
    const final = rows.at(-1)
    if (final === undefined || rows.length < ROWS_PER_READ) return
    from = final.number + 1
  }
}

/** Returns a row of a tree by its number. */
export const rowAt = async (
  history: Pick<HistoryStore, 'get'>,
  tree: string,
  kind: HistoryRow['kind'],
  number: number,
): Promise<HistoryRow | undefined> => (await history.get(tree, kind, [number])).get(number)

/** Returns a tile of a tree with so many hashes; undefined if there is none, or not yet. */
export const tileOf = async (
  history: Pick<HistoryStore, 'get'>,
  { name, size, edge }: Pick<Tree, 'name' | 'size' | 'edge'>,
  { level, index, width }: { readonly level: number; readonly index: number; readonly width: number },
): Promise<Uint8Array | undefined> => {
  const hashes = Math.floor(size / TILE_WIDTH ** level)
  if (index * TILE_WIDTH + width > hashes) return undefined
  const isPartial = index === Math.floor(hashes / TILE_WIDTH)
  const tile = isPartial ? edge[level] : (await rowAt(history, name, 'tile', tileNumber(level, index)))?.value
  return tile?.subarray(0, width * HASH_BYTES)
}

/** Returns the hashes at some nodes of a tree, from its tiles. */
const hashesAt = async (history: Pick<HistoryStore, 'get'>, tree: Tree, places: readonly NodePosition[]): Promise<HashAt> => {
  const tiles = new Map<number, Uint8Array>()
  for (const { level, tile } of places.map(toTilePlace)) {
    const number = tileNumber(level, tile)
    if (tiles.has(number)) continue
    const storedWidth = Math.min(TILE_WIDTH, Math.floor(tree.size / TILE_WIDTH ** level) - tile * TILE_WIDTH)
    tiles.set(number, (await tileOf(history, tree, { level, index: tile, width: storedWidth })) ?? new Uint8Array())
  }
  return (place) => {
    const { level, tile, first, count } = toTilePlace(place)
    const hashes = tiles.get(tileNumber(level, tile))
    if (hashes === undefined || hashes.length < (first + count) * HASH_BYTES)
      throw new StoreFault('damaged', `the tile ${level}/${tile} of the tree ${tree.name} is missing`)
    return hashOver(hashes, first, count)
  }
}

export const proofIn = async (history: Pick<HistoryStore, 'get'>, tree: Tree, plan: ProofPlan): Promise<readonly Uint8Array[]> =>
  proofBy(plan, await hashesAt(history, tree, plan.flat()))

/** Returns the root over the first leaves of a tree, from its tiles. */
export const rootAt = async (history: Pick<HistoryStore, 'get'>, tree: Tree, size: number): Promise<Uint8Array> =>
  rootOf(size, await hashesAt(history, tree, placesIn(0, size)))

/** Returns a tree as it was when it was smaller, from its tiles. */
export const treeAt = async (history: Pick<HistoryStore, 'get'>, tree: Tree, size: number): Promise<Tree> => {
  if (size === tree.size) return tree
  const edge: Buffer[] = []
  for (let hashes = size; hashes > 0; hashes = Math.floor(hashes / TILE_WIDTH)) {
    const [level, index, width] = [edge.length, Math.floor(hashes / TILE_WIDTH), hashes % TILE_WIDTH]
    const tile = width === 0 ? new Uint8Array() : await tileOf(history, tree, { level, index, width })
    if (tile?.length !== width * HASH_BYTES)
      throw new StoreFault('damaged', `the tile ${level}/${index} of the tree ${tree.name} is missing`)
    edge.push(Buffer.from(tile))
  }
  return { ...emptyTree(tree.name), size, edge }
}

export const leafAt = async (history: Pick<HistoryStore, 'get'>, tree: Tree, index: number): Promise<Uint8Array | undefined> => {
  const place = { level: 0, index: Math.floor(index / TILE_WIDTH), width: (index % TILE_WIDTH) + 1 }
  return (await tileOf(history, tree, place))?.subarray(-HASH_BYTES)
}

/** Tells whether a head is of the beginning of a tree. The tree's own root comes from its edge, so no tile can make it seem so. */
export const isBeginning = async (
  history: Pick<HistoryStore, 'get'>,
  tree: Tree,
  { size, root }: { readonly size: number; readonly root: Uint8Array },
): Promise<boolean> => {
  if (size > tree.size) return false
  if (size === 0) return true
  const proof = await proofIn(history, tree, consistencyPlan(size, tree.size))
  const [smaller, larger] = rootsFromGrowth(size, tree.size, root, proof) ?? []
  return smaller !== undefined && larger !== undefined && areSameBytes(smaller, root) && areSameBytes(larger, edgeRoot(tree))
}
