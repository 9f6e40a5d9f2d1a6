import type { EventStore } from '../ports/event-store.ts'
import type { HistoryStore } from '../ports/history.ts'
import { leafInLog } from './binding.ts'
import type { HistoryKey } from './key.ts'
import { type FollowedKey, headIn, lastNote, lastOrigin, type Origin, originLine, readTrustedKeys } from './origins.ts'
import { areSameBytes, isBeginning, leafAt, logTree, type Tree, treeOf } from './trees.ts'

type Read = {
  readonly events: Pick<EventStore, 'read'>
  readonly history: HistoryStore
}

/** Returns the problem of a tree's last head and its stored tiles; undefined if there is none. */
const problemOfHead = async (
  history: HistoryStore,
  origin: Origin,
  keys: readonly FollowedKey[],
  tree: Tree,
  note: string | undefined,
): Promise<string | undefined> => {
  if (note === undefined) return undefined
  const line = originLine(origin, tree.name)
  const head = headIn(origin, tree.name, keys, note)
  if (head === undefined) return `the last head of ${line} is not signed by a key of it`
  if (head.size > tree.size) return `the last head of ${line} has ${head.size} leaves, but only ${tree.size} are stored`
  return (await isBeginning(history, tree, head))
    ? undefined
    : `the stored tree ${line} has another root than its last signed head (${head.size} leaves)`
}

/**
 * Returns the problem that keeps the log from going on where its history ended; undefined if there is none. It is a quick check: the last
 * head must be signed and fit the stored tree, and the event that was numbered last must be in the log.
 */
export const problemAtEnd = async ({ events, history }: Read, key: HistoryKey): Promise<string | undefined> => {
  const origin = await lastOrigin(history)
  if (origin === undefined) return undefined
  const name = logTree(origin.number)
  // reads in this order, since another process may be numbering and signing: a later read may know more
  const note = await lastNote(history, name)
  const tree = treeOf(name, await history.state(name))
  const keys = await readTrustedKeys(history, origin, key)
  if (typeof keys === 'string') return keys
  const problem = await problemOfHead(history, origin, keys, tree, note)
  if (problem !== undefined || tree.last === null) return problem
  const [event] = (await events.read(tree.last.stream, tree.last.revision, 1)).events
  if (event === undefined) return `the log is older than its history: event ${tree.size - 1}, the last one numbered, is not in it`
  const leaf = await leafAt(history, tree, tree.size - 1)
  const expected = await leafInLog(history, origin, key.secret, { n: tree.size - 1, event })
  if (expected === undefined)
    return `what is stored of the moderation logs is not what was signed: it has no entry of event ${tree.size - 1} (npx rostra verify names the difference)`
  return leaf && areSameBytes(leaf, expected) ? undefined : `event ${tree.size - 1} is not the one that was numbered`
}
