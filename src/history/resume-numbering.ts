import { type EventStore, LOG_START, type Position } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryStore } from '../ports/history.ts'
import { leafInLog } from './binding.ts'
import { entryIn } from './entry-rows.ts'
import type { OwnHead, OwnTrees } from './grow-trees.ts'
import type { HistoryKey } from './key.ts'
import { hashOfOtherHeads, type LastHead, lastHeadIn, noteInFile } from './last-head.ts'
import { type Origin, originsIn, readTrustedKeys } from './origins.ts'
import { problemAtEnd } from './problem-at-end.ts'
import {
  areSameBytes,
  edgeRoot,
  emptyTree,
  isBeginning,
  leafAt,
  logTree,
  rootAt,
  subsiteTrees,
  type Tree,
  treeAt,
  treeOf,
} from './trees.ts'

/*
 * Finds the place where numbering begins: after the last signed head, which proves the stored data up to there. Everything after it is made
 * anew from the log.
 */

const ROWS_PER_READ = 500

export type TakingUpPorts = {
  readonly events: Pick<EventStore, 'readAll' | 'read'>
  readonly history: HistoryStore
  /** The file of the last head, outside of the stores. */
  readonly headFile: string
}

export const damageFault = (problem: string): StoreFault => new StoreFault('damaged', problem)

/** Returns the number of entries of a tree that are of events before `n`. */
const sizeBefore = async (history: HistoryStore, { name, size, next }: Tree, n: number): Promise<number> => {
  if (next <= n) return size
  for (let at = size; at > 0; ) {
    const rows = await history.list(name, 'entry', at - 1, ROWS_PER_READ, 'down')
    const later = rows.findIndex((row, down) => row.number !== at - 1 - down || entryIn(row).n < n)
    if (later >= 0) return at - later
    if (rows.length === 0) return at
    at -= rows.length
  }
  return 0
}

/** Returns the heads of all other trees after the first `n` events. */
const othersAt = async (history: HistoryStore, { number }: Origin, n: number): Promise<Map<string, OwnHead>> => {
  const others = new Map<string, OwnHead>()
  for (let after = ''; n > 0; ) {
    const states = await history.states(subsiteTrees(number), after, ROWS_PER_READ)
    for (const state of states) {
      const tree = treeOf(state.tree, state)
      const size = await sizeBefore(history, tree, n)
      if (size > 0) others.set(tree.name, { size, root: Buffer.from(await rootAt(history, tree, size)) })
    }
    after = states.at(-1)?.tree ?? ''
    if (states.length < ROWS_PER_READ) break
  }
  return others
}

/** Returns the size of the last stored head of a tree. */
const lastHeadSize = async (history: HistoryStore, tree: string): Promise<number> =>
  (await history.list(tree, 'head', Number.MAX_SAFE_INTEGER, 1, 'down'))[0]?.number ?? 0

type TakenUp = { readonly origin: Origin; readonly trees: OwnTrees; readonly position: Position }

/**
 * Returns the trees and the position after the last signed head. Throws the fault `damaged` if the stored data is not what was signed, or
 * ends before the head in the file.
 */
export const resumeNumbering = async ({ events, history, headFile }: TakingUpPorts, key: HistoryKey): Promise<TakenUp> => {
  const problem = await problemAtEnd({ events, history }, key)
  if (problem !== undefined) throw damageFault(problem)
  const origins = await originsIn(history)
  const noteOnFile = await noteInFile(headFile, origins)
  const origin = origins.at(-1)
  if (origin === undefined) throw damageFault('the history has no origin')
  const name = logTree(origin.number)
  const stored = treeOf(name, await history.state(name))
  const keys = await readTrustedKeys(history, origin, key)
  if (typeof keys === 'string') throw damageFault(keys)
  const read = (note: string, where: string): LastHead => {
    const head = lastHeadIn(note, origin, keys)
    if (head === undefined) throw damageFault(`the last head in ${where} is not signed by a key of ${origin.name}`)
    if (head.size > stored.size)
      throw damageFault(
        `the history has ${stored.size} events, but a head of ${head.size} was signed and is kept in ${where}: log and history were restored from an older backup`,
      )
    return head
  }
  const heads = [
    ...(stored.signed === undefined ? [] : [read(stored.signed, 'the history')]),
    ...(noteOnFile === undefined ? [] : [read(noteOnFile, headFile)]),
  ]
  const [latest, former] = heads.toSorted((one, other) => other.size - one.size)
  if (latest === undefined) return { origin, trees: { log: emptyTree(name), others: new Map(), unsigned: new Set() }, position: LOG_START }
  const { size, last, root, others: hash } = latest
  const log = { ...(await treeAt(history, stored, size)), next: size, last }
  const isKept = areSameBytes(edgeRoot(log), root) && (former === undefined || (await isBeginning(history, log, former)))
  if (!isKept)
    throw damageFault(`the stored tree of the log does not contain the tree of its last signed head (${(former ?? latest).size} leaves)`)
  const [event] = last ? (await events.read(last.stream, last.revision, 1)).events : []
  const leaf = last && (await leafAt(history, log, size - 1))
  const expected = event && (await leafInLog(history, origin, key.secret, { n: size - 1, event }))
  if (last && !(expected && leaf && areSameBytes(expected, leaf)))
    throw damageFault(`event ${size - 1}, the last one under the last head, is not in the log as it was numbered`)
  const others = await othersAt(history, origin, size)
  if (hashOfOtherHeads(others) !== hash)
    throw damageFault(
      'what is stored of the moderation logs is not what was signed with the last head: npx rostra verify names the difference',
    )
  // signs a deleted head row again at once: readers who kept that head must not think that the end was cut off
  const unsigned = new Set<string>()
  for (const [tree, { size: ownSize }] of others) if ((await lastHeadSize(history, tree)) < ownSize) unsigned.add(tree)
  return {
    origin,
    trees: { log: { ...log, ...(stored.signed !== undefined && { signed: stored.signed }) }, others, unsigned },
    position: event?.position ?? LOG_START,
  }
}
