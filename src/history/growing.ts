import type { RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import { edgeRoot, emptyTree, grown, isSame, rootAt, stateOf, type Tree, treeAt, treeOf } from './trees.ts'

/*
 * Trees as this process makes them from the log. What the stores say of a tree is compared with that and never taken for it: whoever writes
 * to the stores can stop this, but not have it sign another tree.
 */

/** A head of a tree that this process made, or proved by a head that was signed. */
export type OwnHead = { readonly size: number; readonly root: Buffer }

/** The trees as they are after the last event that this process numbered. */
export type OwnTrees = {
  log: Tree
  /** Heads of all other trees. */
  readonly others: Map<string, OwnHead>
  /** Which of these have grown since heads of them were signed. */
  readonly unsigned: Set<string>
}

const NOTHING: OwnHead = { size: 0, root: Buffer.from(edgeRoot(emptyTree(''))) }

const differing = ({ name, size }: Tree): StoreFault =>
  new StoreFault('damaged', `what is stored of the first ${size} leaves of ${name} is not what the log made of them`)

const shorter = ({ name, size }: Tree, own: number): StoreFault =>
  new StoreFault('damaged', `${name} has ${size} leaves in the store, but had ${own}`)

/** A tree of a subsite as this process knows it, and as it is stored, which may be larger. */
export const ownTree = async (
  history: Pick<HistoryStore, 'get' | 'state'>,
  { others }: Pick<OwnTrees, 'others'>,
  name: string,
): Promise<{ readonly own: Tree; readonly stored: Tree }> => {
  const { size, root } = others.get(name) ?? NOTHING
  const stored = treeOf(name, await history.state(name))
  if (stored.size < size) throw shorter(stored, size)
  const own = await treeAt(history, stored, size)
  if (!isSame(edgeRoot(own), root)) throw differing(own)
  return { own, stored }
}

/** What is stored of a tree must be what this process made, where it has the same size. */
export const refuseOther = (own: Tree, stored: Tree): void => {
  if (!isSame(Buffer.concat(stored.edge), Buffer.concat(own.edge))) throw differing(own)
}

type Growth = Pick<Tree, 'next' | 'last'> & { readonly leaves: readonly Uint8Array[]; readonly entries: readonly HistoryRow[] }

/**
 * Add leaves to a tree and store what is not stored yet, tiles before the size that includes them. What is stored already, by another process
 * or before this one began, must be the same. Undefined if another process is storing, too.
 */
export const addLeaves = async (
  history: Pick<HistoryStore, 'add' | 'get' | 'grow'>,
  { own, stored }: { readonly own: Tree; readonly stored: Tree },
  { leaves, entries, ...reached }: Growth,
): Promise<Tree | undefined> => {
  const [tree, tiles] = grown(own, leaves, reached)
  if (stored.size < own.size) throw shorter(stored, own.size)
  if (stored.size === own.size) refuseOther(own, stored)
  if (stored.size > own.size) {
    const [known] = grown(own, leaves.slice(0, stored.size - own.size), reached)
    if (!isSame(edgeRoot(known), await rootAt(history, stored, known.size))) throw differing(known)
  }
  const rows = [...tiles, ...entries]
  if (rows.length > 0) await history.add(rows)
  if (tree.size <= stored.size) return tree
  return (await history.grow(stored.size, stateOf(tree))) ? tree : undefined
}

/** The event that a tree reaches to. */
export const placeOf = ({ stream, revision }: RecordedEvent): Tree['last'] => ({ stream, revision })
