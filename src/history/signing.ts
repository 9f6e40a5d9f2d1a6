import { StoreFault } from '../ports/faults.ts'
import type { HistoryStore } from '../ports/history.ts'
import { cosign } from './cosignature.ts'
import { type OwnTrees, ownTree, refuseOther } from './grow-trees.ts'
import type { HistoryKey } from './key.ts'
import { hashOfOtherHeads, lastHeadIn, lastHeadNote, noteInFile } from './last-head.ts'
import { checkpointText, publicHalf, signNote } from './note.ts'
import { type FollowedKey, headIn, lastNote, type Origin, originLine, originsIn, readTrustedKeys } from './origins.ts'
import { replaceFile } from './replace-file.ts'
import { damageFault, type TakingUpPorts } from './resume-numbering.ts'
import { edgeRoot, isBeginning, logTree, stateOf, type Tree, treeOf } from './trees.ts'
import { storeCosignatures } from './witnesses.ts'

export type SigningPorts = TakingUpPorts & {
  /** Returns the present key: another program may have put a successor in its place. */
  readonly key: () => Promise<HistoryKey>
  readonly clock: () => number
  /** Called when the file of the last head was written, or could not be. It is tried again with the next head. */
  readonly onHeadWritten: () => void
  readonly onHeadUnwritten: (error: unknown) => void
}

/** Returns the keys that sign heads now. */
const signingKeys = async (
  { history }: Pick<SigningPorts, 'history'>,
  origin: Origin,
  key: HistoryKey,
): Promise<readonly FollowedKey[]> => {
  const keys = await readTrustedKeys(history, origin, key)
  if (typeof keys === 'string') throw damageFault(`${keys}: nothing is signed`)
  if (keys.at(-1)?.key.equals(publicHalf(key.key)) !== true)
    throw new StoreFault('unavailable', `the history key is not the last one of ${origin.name}: nothing is signed`)
  return keys
}

type Signing = {
  readonly history: HistoryStore
  readonly origin: Origin
  readonly keys: readonly FollowedKey[]
  readonly key: HistoryKey
  readonly clock: () => number
}

/** Signs a head of a tree, if the last head is of its beginning. Returns false if another process has signed a larger one. */
const signHead = async ({ history, origin, keys, key, clock }: Signing, tree: Tree): Promise<boolean> => {
  const line = originLine(origin, tree.name)
  const note = await lastNote(history, tree.name)
  const before = note === undefined ? undefined : headIn(origin, tree.name, keys, note)
  if (note !== undefined && before === undefined)
    throw damageFault(`the last head of ${line} is not signed by a key of it: nothing more is signed`)
  if (before && before.size > tree.size) return false
  if (before && !(await isBeginning(history, tree, before)))
    throw damageFault(`the head of ${before.size} leaves of ${line} that was signed is not of the beginning of its ${tree.size} leaves`)
  if (before?.size === tree.size) return true
  const text = checkpointText({ origin: line, size: tree.size, root: edgeRoot(tree) })
  await history.add([{ tree: tree.name, kind: 'head', number: tree.size, value: Buffer.from(signNote(text, line, key.key)) }])
  // a cosignature of the service itself says when; the log's head has it beside what its witnesses answer
  if (tree.name !== logTree(origin.number))
    await storeCosignatures(history, tree.name, tree.size, cosign(text, { name: line, key: key.key }, Math.floor(clock() / 1000)))
  return true
}

/**
 * Signs a head of each tree that has grown since its last one, the log last, so that its head covers the events of all. Returns false if
 * another process is ahead. It signs only trees that this process made itself.
 */
export const signHeads = async (ports: SigningPorts, origin: Origin, trees: OwnTrees): Promise<boolean> => {
  const { history, headFile } = ports
  const origins = await originsIn(history)
  if (origins.at(-1)?.number !== origin.number) return false
  const key = await ports.key()
  const keys = await signingKeys(ports, origin, key)
  const noteOnFile = await noteInFile(headFile, origins)
  const { log } = trees
  if (noteOnFile !== undefined && noteOnFile !== log.signed) {
    const head = lastHeadIn(noteOnFile, origin, keys)
    if (head && head.size > log.size) return false
    if (head === undefined || !(await isBeginning(history, log, head)))
      throw damageFault(`the log does not continue the last head in ${headFile}: nothing more is signed`)
  }
  const stored = treeOf(log.name, await history.state(log.name))
  if (stored.size !== log.size) return false
  refuseOther(log, stored)
  const signing = { history, origin, keys, key, clock: ports.clock }
  for (const name of trees.unsigned) {
    const { own } = await ownTree(history, trees, name)
    if (!(await signHead(signing, own))) return false
    trees.unsigned.delete(name)
  }
  if (log.size === 0) return true
  const { size, last } = log
  const head = { origin: origin.name, size, last, root: edgeRoot(log), others: hashOfOtherHeads(trees.others) }
  const isNew = log.signed === undefined || lastHeadIn(log.signed, origin, keys)?.size !== size
  const note = isNew ? lastHeadNote(head, key) : (log.signed as string)
  if (isNew && !(await history.grow(size, stateOf({ ...log, signed: note })))) return false
  trees.log = { ...log, signed: note }
  if (!(await signHead(signing, log))) return false
  if (noteOnFile !== note) await replaceFile(headFile, note).then(ports.onHeadWritten, ports.onHeadUnwritten)
  return true
}
