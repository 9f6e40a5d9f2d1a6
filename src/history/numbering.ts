import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { provableTexts } from '../domain/provable-texts.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import type { HistoryKey } from './key.ts'
import { addMilestones, markedIn, milestonesAmong } from './milestones.ts'
import { checkpointText, publicHalf, signedNote } from './note.ts'
import { type Origin, originLine, trustedKeys } from './origins.ts'
import { entryLeaf, eventLeaf, ownerOfAct, SITE } from './records.ts'
import { edgeRoot, grown, logTree, rowAt, stateOf, subsiteTree, type Tree, treeOf } from './trees.ts'

/** What a row of an entry says: the number of its event, and where that is. */
type EntryValue = { readonly n: number; readonly stream: string; readonly revision: number }

export const entryIn = ({ value }: HistoryRow): EntryValue => JSON.parse(Buffer.from(value).toString())

const PAGE_EVENTS = 1_000
/** Events hashed before other work gets its turn: a millisecond or two. */
const SLICE_EVENTS = 200
const LOOK_INTERVAL_MS = 1_000
const MAX_HEADS_AT_ONCE = 500

export type NumberingPorts = {
  readonly events: Pick<EventStore, 'readAll' | 'read'>
  readonly history: HistoryStore
  readonly origin: () => Promise<Origin>
  /** The key as it is now: another program may have put its successor in its place. */
  readonly key: () => Promise<HistoryKey>
  readonly clock: () => number
  readonly headIntervalMs: number
  readonly report: (fault: unknown) => void
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

/** Store what a tree has grown by, tiles before the size that includes them; undefined if another process was faster. */
const store = async (
  history: HistoryStore,
  before: Tree,
  leaves: readonly Uint8Array[],
  { next, last, entries }: Pick<Tree, 'next' | 'last'> & { readonly entries: readonly HistoryRow[] },
): Promise<Tree | undefined> => {
  const [tree, tiles] = grown(before, leaves, { next, last })
  const rows = [...tiles, ...entries]
  if (rows.length > 0) await history.add(rows)
  return (await history.grow(before.size, stateOf(tree))) ? tree : undefined
}

const rowOf = (tree: string, number: number, { event: { id, stream, revision }, n }: Numbered): HistoryRow => {
  const value: EntryValue = { n, stream, revision }
  return { tree, kind: 'entry', number, name: id, value: Buffer.from(JSON.stringify(value)) }
}

/** Add entries to the tree of their subsite, except those that it has already. */
const addEntries = async (history: HistoryStore, name: string, entries: readonly Numbered[]): Promise<boolean> => {
  const before = treeOf(name, await history.state(name))
  const fresh = entries.filter(({ n }) => n >= before.next)
  const final = fresh.at(-1)
  if (final === undefined) return true
  const rows = fresh.map((entry, at) => rowOf(name, before.size + at, entry))
  const leaves = fresh.map(({ n, leaf }, at) => entryLeaf({ k: before.size + at, n, event: leaf }))
  const { stream, revision } = final.event
  return (await store(history, before, leaves, { next: final.n + 1, last: { stream, revision }, entries: rows })) !== undefined
}

/** Number these events, which follow the last numbered one; undefined if another process was faster. */
const numberPage = async (
  history: HistoryStore,
  { number }: Pick<Origin, 'number'>,
  { secret }: Pick<HistoryKey, 'secret'>,
  log: Tree,
  events: readonly RecordedEvent[],
  milestones: readonly HistoryRow[],
): Promise<Tree | undefined> => {
  const done = await numbered(secret, events, log.size)
  const byOwner = Map.groupBy(
    done.filter(({ owner }) => owner !== undefined),
    ({ owner }) => owner,
  )
  // before the tree of the log: what was added there and not here would never be
  for (const [owner = '', entries] of byOwner) if (!(await addEntries(history, subsiteTree(number, owner), entries))) return undefined
  const { stream, revision } = (done.at(-1) as Numbered).event
  const leaves = done.map(({ leaf }) => leaf)
  // so that the number of an event with a text is found by its id
  const entries = done.filter(({ event: { type } }) => provableTexts.has(type)).map((text) => rowOf(log.name, text.n, text))
  return store(history, log, leaves, { next: log.size + done.length, last: { stream, revision }, entries: [...entries, ...milestones] })
}

/** Where to go on reading: after the event that was numbered last, wherever it is in this log. */
const positionAfter = async (events: Pick<EventStore, 'read'>, { last }: Pick<Tree, 'last'>): Promise<Position | undefined> => {
  if (last === null) return LOG_START
  return (await events.read(last.stream, last.revision, 1)).events[0]?.position
}

/** Sign a head of each tree that has grown since its last one, the log last, so that it covers the events of all. */
const signHeads = async ({ history, origin, key }: NumberingPorts): Promise<void> => {
  const current = await origin()
  const signing = await key()
  const keys = await trustedKeys(history, current, signing)
  if (typeof keys === 'string') throw new StoreFault('damaged', `${keys}: nothing is signed`)
  if (keys.at(-1)?.equals(publicHalf(signing.key)) !== true)
    throw new StoreFault('unavailable', `the history key is not the last one of ${current.name}: nothing is signed`)
  for (;;) {
    const grownTrees = await history.unsigned(`${current.number}/`, MAX_HEADS_AT_ONCE)
    const log = logTree(current.number)
    for (const state of grownTrees.toSorted((a, b) => Number(a.tree === log) - Number(b.tree === log))) {
      const { tree, size } = state
      const line = originLine(current, tree)
      // signed before, and interrupted then; perhaps with the key before this one
      if ((await rowAt(history, tree, 'head', size)) === undefined) {
        const note = signedNote(checkpointText({ origin: line, size, root: edgeRoot(treeOf(tree, state)) }), line, signing.key)
        await history.add([{ tree, kind: 'head', number: size, value: Buffer.from(note) }])
      }
      await history.sign(tree, size)
    }
    if (grownTrees.length < MAX_HEADS_AT_ONCE) return
  }
}

/** Numbers events in the order of the log, and signs heads; until the signal aborts or another process is found to do it. */
const numberOn = async (ports: NumberingPorts, signal: AbortSignal): Promise<void> => {
  const { events, history, headIntervalMs } = ports
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)
  const origin = await ports.origin()
  const name = logTree(origin.number)
  const { secret } = await ports.key()
  let log = treeOf(name, await history.state(name))
  let position = await positionAfter(events, log)
  if (position === undefined) throw new StoreFault('damaged', `the log lacks event ${log.size - 1}, which is in its history`)
  let marked = await markedIn(ports, name)
  let signed = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    const page = await events.readAll(position, PAGE_EVENTS)
    const final = page.at(-1)
    if (final !== undefined) {
      const [reached, milestones] = marked.n === log.size ? milestonesAmong(name, marked, page) : [marked, []]
      const next = await numberPage(history, origin, { secret }, log, page, milestones)
      if (next === undefined || (await ports.origin()).number !== origin.number) return
      log = next
      marked = reached
      position = final.position
    }
    if (performance.now() - signed >= headIntervalMs && page.length < PAGE_EVENTS) {
      await signHeads(ports)
      signed = performance.now()
    }
    if (page.length === PAGE_EVENTS) continue
    const before = marked.n
    // those of a log that was numbered before there were any, and after a start
    if (before < log.size) marked = await addMilestones(ports, name, marked, log.size, PAGE_EVENTS)
    if (marked.n === before) await pause(Math.min(LOOK_INTERVAL_MS, headIntervalMs))
  }
  await signHeads(ports)
}

export const numberEvents = async (ports: NumberingPorts, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await numberOn(ports, signal).catch(ports.report)
    await sleep(LOOK_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
  }
}
