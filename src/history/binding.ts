import type { RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryStore } from '../ports/history.ts'
import type { Origin } from './origins.ts'
import { type BoundTree, boundLeaf, eventLeaf, ownerOfAct } from './records.ts'
import { logTree, rootAt, rowAt, subsiteTree, treeOf } from './trees.ts'

/*
 * The leaf of an act in the tree of the log also holds the tree of its moderation log up to that entry. So one head of the log binds every
 * moderation log. Leaves that an earlier version made hold the event alone, and stay.
 */

/** Returns the number of the first event whose leaf binds another tree; undefined in a history that was made by earlier versions alone. */
export const readBindingStart = async (history: Pick<HistoryStore, 'get'>, origin: Pick<Origin, 'number'>): Promise<number | undefined> => {
  const row = await rowAt(history, logTree(origin.number), 'binding', 0)
  if (row === undefined) return undefined
  const n: unknown = JSON.parse(Buffer.from(row.value).toString())
  if (typeof n !== 'number' || !Number.isSafeInteger(n) || n < 0)
    throw new StoreFault('damaged', `the row binding 0 of ${logTree(origin.number)} holds no number`)
  return n
}

/** Has all leaves from the next one on bind other trees, unless some do already. Returns the number of the first. */
export const beginBinding = async (
  history: Pick<HistoryStore, 'add' | 'get' | 'state'>,
  origin: Pick<Origin, 'number'>,
): Promise<number> => {
  const tree = logTree(origin.number)
  // reads in this order: another process numbers no further event before it has added the row
  const { size } = treeOf(tree, await history.state(tree))
  const known = await readBindingStart(history, origin)
  if (known !== undefined) return known
  try {
    await history.add([{ tree, kind: 'binding', number: 0, value: Buffer.from(JSON.stringify(size)) }])
    return size
  } catch (error) {
    const other = await readBindingStart(history, origin)
    if (other === undefined) throw error
    return other
  }
}

/** Returns the tree that the leaf of an act binds; undefined if the leaf binds none. */
export const treeBoundBy = async (
  history: Pick<HistoryStore, 'get' | 'state'>,
  origin: Pick<Origin, 'number'>,
  { n, k, owner }: { readonly n: number; readonly k: number; readonly owner: string },
): Promise<BoundTree | undefined> => {
  const from = await readBindingStart(history, origin)
  if (from === undefined || n < from) return undefined
  const name = subsiteTree(origin.number, owner)
  const tree = treeOf(name, await history.state(name))
  if (tree.size <= k) throw new StoreFault('damaged', `the stored tree ${name} ends before entry ${k}, event ${n}`)
  return { size: k + 1, root: await rootAt(history, tree, k + 1) }
}

/** Returns the leaf that a numbered event has in the tree of the log; undefined if the history does not have its entry. */
export const leafInLog = async (
  history: Pick<HistoryStore, 'get' | 'named' | 'state'>,
  origin: Pick<Origin, 'number'>,
  secret: string,
  { n, event }: { readonly n: number; readonly event: RecordedEvent },
): Promise<Buffer | undefined> => {
  const leaf = eventLeaf(secret, event)
  const owner = ownerOfAct(event)
  const from = await readBindingStart(history, origin)
  if (owner === undefined || from === undefined || n < from) return leaf
  const row = (await history.named(subsiteTree(origin.number, owner), [event.id])).get(event.id)
  const tree = row && (await treeBoundBy(history, origin, { n, k: row.number, owner }))
  return tree && boundLeaf(leaf, tree)
}
