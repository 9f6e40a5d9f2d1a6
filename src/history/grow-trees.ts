import type { RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import { ownBytes } from '../ports/own-bytes.ts'
import { areSameBytes, edgeRoot, emptyTree, growTree, rootAt, stateOf, type Tree, treeAt, treeOf } from './trees.ts'

/*
 * Grows trees from the log. The stored trees are compared with these, but never trusted. So somebody who can write to the stores can stop
 * this process, but cannot make it sign another tree.
 */

/** A head of a tree that this process made, or that a signed head proved. */
export type OwnHead = { readonly size: number; readonly root: Buffer }

/** The trees after the last event that this process numbered. */
export type OwnTrees = {
  log: Tree
  /** Heads of all other trees. */
  readonly others: Map<string, OwnHead>
  /** The trees that have grown since heads of them were signed. */
  readonly unsigned: Set<string>
}

const NOTHING: OwnHead = { size: 0, root: ownBytes(edgeRoot(emptyTree(''))) }

const differenceFault = ({ name, size }: Tree): StoreFault =>
  new StoreFault('damaged', `the first ${size} stored leaves of the tree ${name} differ from those that the log makes`)

const shorter = ({ name, size }: Tree, ownSize: number): StoreFault =>
  new StoreFault('damaged', `the stored tree ${name} has shrunk from ${ownSize} to ${size} leaves`)

/** Returns a tree of a subsite as this process knows it, and as it is stored, which may be larger. */
export const ownTree = async (
  history: Pick<HistoryStore, 'get' | 'state'>,
  { others }: Pick<OwnTrees, 'others'>,
  name: string,
): Promise<{ readonly own: Tree; readonly stored: Tree }> => {
  const { size, root } = others.get(name) ?? NOTHING
  const stored = treeOf(name, await history.state(name))
  if (stored.size < size) throw shorter(stored, size)
  const grown = await treeAt(history, stored, size)
  if (!areSameBytes(edgeRoot(grown), root)) throw differenceFault(grown)
  return { own: grown, stored }
}

/** Refuses a stored tree of the same size that differs from the one that this process made. */
export const refuseOther = (own: Tree, stored: Tree): void => {
  if (!areSameBytes(Buffer.concat(stored.edge), Buffer.concat(own.edge))) throw differenceFault(own)
}

type Growth = Pick<Tree, 'next' | 'last'> & { readonly leaves: readonly Uint8Array[]; readonly entries: readonly HistoryRow[] }

/**
 * Adds leaves to a tree and stores the missing ones, tiles before the size that includes them. Leaves that were stored already, by another
 * process or before this one began, must be the same. Returns undefined if another process is storing, too.
 */
export const addLeaves = async (
  history: Pick<HistoryStore, 'add' | 'get' | 'grow'>,
  { own, stored }: { readonly own: Tree; readonly stored: Tree },
  { leaves, entries, ...reached }: Growth,
): Promise<Tree | undefined> => {
  const [tree, tiles] = growTree(own, leaves, reached)
  if (stored.size < own.size) throw shorter(stored, own.size)
  if (stored.size === own.size) refuseOther(own, stored)
  if (stored.size > own.size) {
    const [known] = growTree(own, leaves.slice(0, stored.size - own.size), reached)
    if (!areSameBytes(edgeRoot(known), await rootAt(history, stored, known.size))) throw differenceFault(known)
  }
  const rows = [...tiles, ...entries]
  if (rows.length > 0) await history.add(rows)
  if (tree.size <= stored.size) return tree
  return (await history.grow(stored.size, stateOf(tree))) ? tree : undefined
}

/** Returns the place of the event that a tree reaches to. */
export const toTreeEnd = ({ stream, revision }: RecordedEvent): Tree['last'] => ({ stream, revision })
