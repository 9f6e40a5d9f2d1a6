import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { provableTexts } from '../domain/provable-texts.ts'
import type { Position, RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryRow } from '../ports/history.ts'
import { entryRow } from './entries.ts'
import { addLeaves, type OwnTrees, ownTree, placeOf } from './growing.ts'
import type { HistoryKey } from './key.ts'
import { addMilestones, markedIn, milestonesAmong } from './milestones.ts'
import type { Origin } from './origins.ts'
import { entryLeaf, eventLeaf, ownerOfAct, PAGE_EVENTS, SITE, SLICE_EVENTS } from './records.ts'
import { type SigningPorts, signHeads } from './signing.ts'
import { takeUp } from './taking-up.ts'
import { edgeRoot, subsiteTree, treeOf } from './trees.ts'

const LOOK_INTERVAL_MS = 1_000

export type NumberingPorts = SigningPorts & {
  readonly headIntervalMs: number
  /** Of a fault after which it is tried again. */
  readonly report: (fault: unknown) => void
  /** Of one after which nothing is numbered or signed any more: the stores are not what was signed. */
  readonly stopped: (fault: StoreFault) => void
}

type Numbered = { readonly event: RecordedEvent; readonly n: number; readonly leaf: Uint8Array; readonly owner: string | undefined }

const numbered = async (secret: string, events: readonly RecordedEvent[], first: number): Promise<readonly Numbered[]> => {
  const done: Numbered[] = []
  for (const [at, event] of events.entries()) {
    if (at > 0 && at % SLICE_EVENTS === 0) await setImmediate()
    const owner = ownerOfAct(event)
    done.push({ event, n: first + at, leaf: eventLeaf(secret, event, owner !== undefined && owner !== SITE), owner })
  }
  return done
}

/** Number these events, which follow the last numbered one; false if another process is numbering, too. */
const numberPage = async (
  { history }: Pick<NumberingPorts, 'history'>,
  { number }: Pick<Origin, 'number'>,
  { secret }: Pick<HistoryKey, 'secret'>,
  trees: OwnTrees,
  events: readonly RecordedEvent[],
  milestones: readonly HistoryRow[],
): Promise<boolean> => {
  const { log } = trees
  const done = await numbered(secret, events, log.size)
  const byOwner = Map.groupBy(
    done.filter(({ owner }) => owner !== undefined),
    ({ owner }) => owner,
  )
  // before the tree of the log: what was added there and not here would never be
  for (const [owner = '', acts] of byOwner) {
    const name = subsiteTree(number, owner)
    const tree = await ownTree(history, trees, name)
    const first = tree.own.size
    const { event, n } = acts.at(-1) as Numbered
    const grown = await addLeaves(history, tree, {
      next: n + 1,
      last: placeOf(event),
      leaves: acts.map((act, at) => entryLeaf({ k: first + at, n: act.n, event: act.leaf })),
      entries: acts.map((act, at) => entryRow(name, first + at, act.event, act.n)),
    })
    if (grown === undefined) return false
    trees.others.set(name, { size: grown.size, root: Buffer.from(edgeRoot(grown)) })
    trees.unsigned.add(name)
  }
  // so that the number of an event with a text is found by its id
  const texts = done.filter(({ event: { type } }) => provableTexts.has(type)).map(({ event, n }) => entryRow(log.name, n, event, n))
  const grown = await addLeaves(
    history,
    { own: log, stored: treeOf(log.name, await history.state(log.name)) },
    {
      next: log.size + done.length,
      last: placeOf((done.at(-1) as Numbered).event),
      leaves: done.map(({ leaf }) => leaf),
      entries: [...texts, ...milestones],
    },
  )
  if (grown) trees.log = grown
  return grown !== undefined
}

/**
 * Where nothing was signed, another process is mostly ahead: then the log has what that one numbered. A stored size that no event is left for
 * was put there by somebody else, and would be found again at every try.
 */
const refuseLonger = async ({ events, history }: NumberingPorts, { log }: OwnTrees, position: Position): Promise<void> => {
  const { size } = treeOf(log.name, await history.state(log.name))
  if (size > log.size && (await events.readAll(position, 1)).length === 0)
    throw new StoreFault('damaged', `${log.name} has ${size} leaves in the store, but the log has only ${log.size} events`)
}

/**
 * Numbers events in the order of the log, and signs heads; until the signal aborts or another process is found to do it. The events of the
 * last seconds before a stop are numbered and signed as well, if they are no more than a page.
 */
const numberOn = async (ports: NumberingPorts, signal: AbortSignal): Promise<void> => {
  const { events, headIntervalMs } = ports
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)
  const key = await ports.key()
  const { origin, trees, position: first } = await takeUp(ports, key)
  let position = first
  let marked = await markedIn(ports, trees.log.name)
  let signed = Number.NEGATIVE_INFINITY
  let ending = false
  while (!ending) {
    ending = signal.aborted
    const page = await events.readAll(position, PAGE_EVENTS)
    const final = page.at(-1)
    if (final !== undefined) {
      const [reached, milestones] = marked.n === trees.log.size ? milestonesAmong(trees.log.name, marked, page) : [marked, []]
      if (!(await numberPage(ports, origin, key, trees, page, milestones))) return
      marked = reached
      position = final.position
    }
    if (performance.now() - signed >= headIntervalMs && page.length < PAGE_EVENTS) {
      if (!(await signHeads(ports, origin, trees))) return refuseLonger(ports, trees, position)
      signed = performance.now()
    }
    if (page.length === PAGE_EVENTS) continue
    const before = marked.n
    // those of a log that was numbered before there were any, and after a start
    if (before < trees.log.size) marked = await addMilestones(ports, trees.log.name, marked, trees.log.size, PAGE_EVENTS)
    if (marked.n === before) await pause(Math.min(LOOK_INTERVAL_MS, headIntervalMs))
  }
  await signHeads(ports, origin, trees)
}

export const numberEvents = async (ports: NumberingPorts, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const fault = await numberOn(ports, signal).catch((error: unknown) => error ?? new Error('no reason'))
    if (fault instanceof StoreFault && fault.kind === 'damaged') return ports.stopped(fault)
    if (fault !== undefined) ports.report(fault)
    await sleep(LOOK_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
  }
}
