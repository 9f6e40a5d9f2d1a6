import { setImmediate } from 'node:timers/promises'
import { provableTexts } from '../domain/provable-texts.ts'
import type { Position, RecordedEvent } from '../ports/event-store.ts'
import { isDamage, StoreFault } from '../ports/faults.ts'
import type { HistoryRow } from '../ports/history.ts'
import { ownBytes } from '../ports/own-bytes.ts'
import { pause } from '../ports/pause.ts'
import { beginBinding } from './binding.ts'
import { entryRow } from './entry-rows.ts'
import { addLeaves, type OwnTrees, ownTree, toTreeEnd } from './grow-trees.ts'
import type { HistoryKey } from './key.ts'
import { addMilestones, milestonesAmong, readMarked } from './milestones.ts'
import type { Origin } from './origins.ts'
import { boundLeaf, entryLeaf, eventLeaf, ownerOfAct, PAGE_EVENTS, SITE, SLICE_EVENTS } from './records.ts'
import { resumeNumbering } from './resume-numbering.ts'
import { type SigningPorts, signHeads } from './signing.ts'
import { edgeRoot, frontierOf, subsiteTree, subsiteTrees, type Tree, treeOf } from './trees.ts'

const POLL_INTERVAL_MS = 1_000

export type NumberingPorts = SigningPorts & {
  readonly headIntervalMs: number
  /** Called for a fault. The work is tried again afterwards. */
  readonly report: (fault: unknown) => void
  /** Called for a fault after which nothing is numbered or signed any more: the stores are not what was signed. */
  readonly onStop: (fault: StoreFault) => void
}

type Numbered = { readonly event: RecordedEvent; readonly n: number; readonly leaf: Uint8Array; readonly owner: string | undefined }

const numberEntries = async (secret: string, events: readonly RecordedEvent[], first: number): Promise<readonly Numbered[]> => {
  const numbered: Numbered[] = []
  for (const [at, event] of events.entries()) {
    if (at > 0 && at % SLICE_EVENTS === 0) await setImmediate()
    const owner = ownerOfAct(event)
    numbered.push({ event, n: first + at, leaf: eventLeaf(secret, event, owner !== undefined && owner !== SITE), owner })
  }
  return numbered
}

/**
 * Refuses events that have a number already. If positions in the store were shifted, an event comes again; it would then be in the trees
 * twice, with both entries signed.
 */
const refuseNumbered = async (
  history: NumberingPorts['history'],
  origin: number,
  { log, others }: OwnTrees,
  numbered: readonly Numbered[],
): Promise<void> => {
  const duplicateFault = ({ event, n }: Numbered): StoreFault =>
    new StoreFault(
      'damaged',
      `event ${n}, ${event.type} ${event.id}, has a number already: positions in the log have changed since it was numbered`,
    )
  const last = new Map(log.last ? [[log.last.stream, log.last.revision]] : [])
  for (const one of numbered) {
    const { stream, revision } = one.event
    if (revision <= (last.get(stream) ?? -1)) throw duplicateFault(one)
    last.set(stream, revision)
  }
  const acts = numbered.filter(({ owner }) => owner !== undefined)
  const rows = await history.named(
    subsiteTrees(origin),
    acts.map(({ event }) => event.id),
  )
  for (const one of acts) {
    const row = rows.get(one.event.id)
    // another process, or this one before it was stopped, may have stored the entry that is made now
    if (row && (row.tree !== subsiteTree(origin, one.owner ?? '') || row.number < (others.get(row.tree)?.size ?? 0)))
      throw duplicateFault(one)
  }
}

/** The origin that is numbered, and the event from whose leaf on the tree of the log binds the others. */
type Binding = Pick<Origin, 'number'> & { readonly from: number }

type Act = { readonly n: number; readonly leaf: Uint8Array; readonly inLog: Uint8Array }

/** Returns the leaves of acts in the tree that they are added to, and those in the tree of the log, which bind that tree from `from` on. */
const leavesOf = async (tree: Tree, acts: readonly Numbered[], from: number): Promise<readonly Act[]> => {
  const leaves = frontierOf(tree)
  const boundActs: Act[] = []
  for (const [at, { n, leaf }] of acts.entries()) {
    if (at > 0 && at % SLICE_EVENTS === 0) await setImmediate()
    const entry = entryLeaf({ k: leaves.size(), n, event: leaf })
    leaves.push(entry)
    boundActs.push({ n, leaf: entry, inLog: n < from ? leaf : boundLeaf(leaf, { size: leaves.size(), root: leaves.root() }) })
  }
  return boundActs
}

type Grown = { readonly name: string; readonly tree: Tree; readonly inLog: readonly Act[] }

/** Adds the acts of one owner to its tree. Returns undefined if another process is numbering, too. */
const growOwned = async (
  history: NumberingPorts['history'],
  { number, from }: Binding,
  trees: OwnTrees,
  owner: string,
  acts: readonly Numbered[],
): Promise<Grown | undefined> => {
  const name = subsiteTree(number, owner)
  const tree = await ownTree(history, trees, name)
  const first = tree.own.size
  const { event, n } = acts.at(-1) as Numbered
  const leaves = await leavesOf(tree.own, acts, from)
  const grown = await addLeaves(history, tree, {
    next: n + 1,
    last: toTreeEnd(event),
    leaves: leaves.map(({ leaf }) => leaf),
    entries: acts.map((act, at) => entryRow(name, first + at, act.event, act.n)),
  })
  return grown && { name, tree: grown, inLog: leaves }
}

/** Waits for all writes, so that none is still under way after one has failed. If several fail, throws a fault of damage before others. */
const allEnded = async <T>(working: readonly Promise<T>[]): Promise<readonly T[]> => {
  const ended = await Promise.allSettled(working)
  const faults = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  if (faults.length > 0) throw faults.find(isDamage) ?? faults[0]
  return ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Numbers these events, which follow the last numbered one. Returns false if another process is numbering, too. */
const numberPage = async (
  { history }: Pick<NumberingPorts, 'history'>,
  binding: Binding,
  { secret }: Pick<HistoryKey, 'secret'>,
  trees: OwnTrees,
  events: readonly RecordedEvent[],
  milestones: readonly HistoryRow[],
): Promise<boolean> => {
  const { log } = trees
  const numbered = await numberEntries(secret, events, log.size)
  await refuseNumbered(history, binding.number, trees, numbered)
  const byOwner = Map.groupBy(
    numbered.filter(({ owner }) => owner !== undefined),
    ({ owner }) => owner,
  )
  const inLog = new Map<number, Uint8Array>()
  // stored before the log's tree: an event that is in that tree and not here would never be added
  for (const owned of await allEnded([...byOwner].map(([owner = '', acts]) => growOwned(history, binding, trees, owner, acts)))) {
    if (owned === undefined) return false
    for (const act of owned.inLog) inLog.set(act.n, act.inLog)
    trees.others.set(owned.name, { size: owned.tree.size, root: ownBytes(edgeRoot(owned.tree)) })
    trees.unsigned.add(owned.name)
  }
  // makes the number of an event with a text findable by its id
  const texts = numbered.filter(({ event: { type } }) => provableTexts.has(type)).map(({ event, n }) => entryRow(log.name, n, event, n))
  const grown = await addLeaves(
    history,
    { own: log, stored: treeOf(log.name, await history.state(log.name)) },
    {
      next: log.size + numbered.length,
      last: toTreeEnd((numbered.at(-1) as Numbered).event),
      leaves: numbered.map(({ n, leaf }) => inLog.get(n) ?? leaf),
      entries: [...texts, ...milestones],
    },
  )
  if (grown) trees.log = grown
  return grown !== undefined
}

/**
 * Refuses a stored tree that is longer than the log allows. If nothing was signed, another process is mostly ahead, and the log has the
 * events that it numbered. Somebody else must have put a stored size there that no event is left for; every try would find it again.
 */
const refuseLonger = async ({ events, history }: NumberingPorts, { log }: OwnTrees, position: Position): Promise<void> => {
  const { size } = treeOf(log.name, await history.state(log.name))
  if (size > log.size && (await events.readAll(position, 1)).length === 0)
    throw new StoreFault('damaged', `${log.name} has ${size} leaves in the store, but the log has only ${log.size} events`)
}

/**
 * Numbers events in the order of the log and signs heads, until the signal aborts or another process is found to do it. The events of the
 * last seconds before a stop are numbered and signed as well, if they are no more than a page.
 */
const numberOn = async (ports: NumberingPorts, signal: AbortSignal): Promise<void> => {
  const { events, headIntervalMs } = ports
  const key = await ports.key()
  const { origin, trees, position: first } = await resumeNumbering(ports, key)
  const binding = { number: origin.number, from: await beginBinding(ports.history, origin) }
  let position = first
  let marked = await readMarked(ports, trees.log.name)
  let signed = Number.NEGATIVE_INFINITY
  let ending = false
  while (!ending) {
    ending = signal.aborted
    const page = await events.readAll(position, PAGE_EVENTS)
    const final = page.at(-1)
    if (final !== undefined) {
      const [reached, milestones] = marked.n === trees.log.size ? milestonesAmong(trees.log.name, marked, page) : [marked, []]
      if (!(await numberPage(ports, binding, key, trees, page, milestones))) return
      marked = reached
      position = final.position
    }
    if (performance.now() - signed >= headIntervalMs && page.length < PAGE_EVENTS) {
      if (!(await signHeads(ports, origin, trees))) return refuseLonger(ports, trees, position)
      signed = performance.now()
    }
    if (page.length === PAGE_EVENTS) continue
    const before = marked.n
    // makes milestones for a log that was numbered before there were any, and after a start
    if (before < trees.log.size) marked = await addMilestones(ports, trees.log.name, marked, trees.log.size, PAGE_EVENTS)
    if (marked.n === before) await pause(Math.min(POLL_INTERVAL_MS, headIntervalMs), signal)
  }
  await signHeads(ports, origin, trees)
}

export const numberEvents = async (ports: NumberingPorts, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const fault = await numberOn(ports, signal).catch((error: unknown) => error ?? new Error('no reason'))
    if (isDamage(fault)) return ports.onStop(fault)
    if (fault !== undefined) ports.report(fault)
    await pause(POLL_INTERVAL_MS, signal)
  }
}
