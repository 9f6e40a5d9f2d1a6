import { setImmediate } from 'node:timers/promises'
import { provableTexts } from '../domain/provable-texts.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import { leafInLog, readBindingStart } from './binding.ts'
import { entryIn } from './entry-rows.ts'
import type { HistoryKey } from './key.ts'
import { lastHeadIn } from './last-head.ts'
import { EVENTS_PER_MILESTONE, lastMilestone, milestonesAmong, timeOf } from './milestones.ts'
import { type FollowedKey, headIn, lastNote, lastOrigin, type Origin, originLine, readTrustedKeys } from './origins.ts'
import { type HistoryFinding, rebuildTree } from './rebuild-tree.ts'
import { boundLeaf, entryLeaf, eventLeaf, ownerOfAct, PAGE_EVENTS, SITE, SLICE_EVENTS } from './records.ts'
import { areSameBytes, isBeginning, leafAt, logTree, rowAt, subsiteTree, subsiteTrees, type Tree, treeOf } from './trees.ts'

type Read = {
  readonly events: Pick<EventStore, 'readAll' | 'read'>
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

const STATES_PER_READ = 500
const MAX_FINDINGS = 100
/** The time within which a service signs its first head. An origin that has none after that time has lost its heads. */
const FIRST_HEAD_MS = 600_000

export type Proving = {
  /** Called after each page of events. The next page waits until this resolves. */
  readonly pace?: (n: number, size: number) => Promise<void> | Promise<undefined>
  readonly signal?: AbortSignal
  /** True to count the events that are not numbered, too. In a log whose history began lately, these are nearly all. */
  readonly countsUnnumbered?: boolean
}

/** `events` and `entries` are those under the last heads; `unproved` are the events after them, of which nothing is signed yet. */
export type Proof = {
  readonly events: number
  readonly entries: number
  readonly unproved: number
  readonly findings: readonly HistoryFinding[]
}

type RebuiltTree = ReturnType<typeof rebuildTree>
type IndexProblem = { readonly n: number; readonly words: string }

/** Returns the first problem of the rows that find events with texts by their numbers, among the events of a page. */
const problemOfTexts = async (
  history: HistoryStore,
  tree: string,
  page: readonly RecordedEvent[],
  first: number,
): Promise<IndexProblem | undefined> => {
  const listed = page.length === 0 ? [] : await history.list(tree, 'entry', first, page.length)
  const rows = new Map(listed.map((row) => [row.number - first, row]))
  const surplus = listed.find(({ number }) => number < first + page.length && !provableTexts.has(page[number - first]?.type ?? ''))
  if (surplus) return { n: surplus.number, words: `event ${surplus.number} has no text, but the index has ${surplus.name}` }
  const at = page.findIndex(({ id, type }, index) => provableTexts.has(type) && rows.get(index)?.name !== id)
  const event = page[at]
  if (event === undefined) return undefined
  const n = first + at
  return { n, words: `event ${n} is ${event.type} ${event.id}, but the index has ${rows.get(at)?.name ?? 'none'}` }
}

/** Returns the first problem of stored milestones, given those that the events make. */
const problemOfMilestones = async (
  history: HistoryStore,
  tree: string,
  expected: readonly HistoryRow[],
): Promise<IndexProblem | undefined> => {
  const rows = await history.get(
    tree,
    'milestone',
    expected.map(({ number }) => number),
  )
  const wrong = expected.find(({ number, value }) => !areSameBytes(value, rows.get(number)?.value ?? new Uint8Array()))
  if (wrong === undefined) return undefined
  const n = wrong.number * EVENTS_PER_MILESTONE
  return { n, words: `the milestone of event ${n} points to another event` }
}

/** Reports that the heads of a tree cover less of it than was signed. */
const reportLostHead = (tree: RebuiltTree, signed: number, leaves: 'events' | 'entries') =>
  tree.report(
    tree.signed(),
    `heads cover ${tree.signed()} of the ${signed} ${leaves} that were signed: one was deleted, or the process was killed before it stored it; the service signs it again at its next start`,
  )

/**
 * Proves the whole log consistent with everything that was signed of it under the present origin. It compares every stored tile with the
 * leaves that the events make, and every signed head, of the log and of each subsite, with the root that they make.
 */
export const proveHistory = async (
  { events, history }: { readonly events: Pick<EventStore, 'readAll'>; readonly history: HistoryStore },
  key: HistoryKey,
  { pace = async () => undefined, signal, countsUnnumbered = false }: Proving = {},
): Promise<Proof> => {
  const origin = await lastOrigin(history)
  if (origin === undefined) return { events: 0, entries: 0, unproved: 0, findings: [] }
  const keys = await readTrustedKeys(history, origin, key)
  if (typeof keys === 'string')
    return { events: 0, entries: 0, unproved: 0, findings: [{ tree: origin.name, number: undefined, problem: keys }] }
  const findings: HistoryFinding[] = []
  const report = (finding: HistoryFinding) => {
    if (findings.length < MAX_FINDINGS) findings.push(finding)
  }
  const sources = { history, origin, keys }
  const name = logTree(origin.number)
  const { size, signed } = treeOf(name, await history.state(name))
  /** The size of the log at its last signing, when heads of all other trees were signed, too. */
  const signedSize = signed === undefined ? 0 : (lastHeadIn(signed, origin, keys)?.size ?? 0)
  /** The number of entries of each other tree at that size. */
  const signedEntries = new Map<string, number>()
  const log = rebuildTree(sources, name, report)
  const subsites = new Map<string, RebuiltTree>()
  const openSubsite = (tree: string) => {
    const subsite = subsites.get(tree) ?? rebuildTree(sources, tree, report)
    subsites.set(tree, subsite)
    return subsite
  }

  /** The indexes with a problem. Only the first problem of each is reported. */
  const wrongIndexes = new Set<string>()
  const noteIndex = (index: string, tree: RebuiltTree, problem: IndexProblem | undefined) => {
    if (problem === undefined) return
    if (!wrongIndexes.has(index)) tree.report(problem.n, problem.words)
    wrongIndexes.add(index)
  }

  const bindingStart = (await readBindingStart(history, origin)) ?? Number.POSITIVE_INFINITY
  /** Adds the entry of an act to its tree. Returns the leaf of the act in the tree of the log. */
  const addEntry = async (
    tree: string,
    { id, stream, revision, type }: RecordedEvent,
    n: number,
    leaf: Uint8Array,
  ): Promise<Uint8Array> => {
    const subsite = openSubsite(tree)
    const k = subsite.size()
    const row = await rowAt(history, tree, 'entry', k)
    const stored = row && entryIn(row)
    const isIndexed = row?.name === id && stored?.n === n && stored.stream === stream && stored.revision === revision
    const words = `entry ${k} is event ${n}, ${type} ${id}, but the index has ${row?.name ?? 'none'}`
    noteIndex(tree, subsite, isIndexed ? undefined : { n: k, words })
    if (n < signedSize) signedEntries.set(tree, k + 1)
    await subsite.push({ hash: entryLeaf({ k, n, event: leaf }), what: `event ${n}, ${type} ${id}` })
    return n < bindingStart ? leaf : boundLeaf(leaf, { size: k + 1, root: subsite.root() })
  }

  /** Milestones up to here find events by their numbers. Those of a log that was numbered before there were any come later. */
  const lastMarked = (await lastMilestone(history, name))?.number ?? -1
  let marked = { n: 0, position: LOG_START, latest: 0 }
  let further = 0
  /** The position of the last event that was read, and the latest time of the last events of pages. */
  let end = { position: LOG_START, time: 0 }
  const readPage = async (after: Position): Promise<readonly RecordedEvent[]> => {
    const page = await events.readAll(after, PAGE_EVENTS)
    const last = page.at(-1)
    if (last) end = { position: last.position, time: Math.max(end.time, timeOf(last)) }
    return page
  }
  while (log.size() < size && !signal?.aborted) {
    const first = log.size()
    const read = await readPage(marked.position)
    const page = read.slice(0, size - first)
    further = read.length - page.length
    const [reached, milestones] = milestonesAmong(name, marked, page)
    for (const [at, event] of page.entries()) {
      if (at % SLICE_EVENTS === 0) await setImmediate()
      const owner = ownerOfAct(event)
      const leaf = eventLeaf(key.secret, event, owner !== undefined && owner !== SITE)
      const hash = owner === undefined ? leaf : await addEntry(subsiteTree(origin.number, owner), event, log.size(), leaf)
      await log.push({ hash, what: `${event.type} ${event.id}` })
    }
    noteIndex(name, log, await problemOfTexts(history, name, page, first))
    const expected = milestones.filter(({ number }) => number <= lastMarked)
    noteIndex(`milestones of ${name}`, log, await problemOfMilestones(history, name, expected))
    await pace(log.size(), size)
    if (page.length === 0) break
    marked = reached
  }
  for (let isMore = countsUnnumbered; isMore; ) {
    const read = await readPage(end.position)
    further += read.length
    isMore = read.length > 0
  }
  const unproved = log.size() - log.signed() + further
  if (signal?.aborted) return { events: log.signed(), entries: 0, unproved, findings }

  await log.end(log.size() < size ? log.size() : Number.POSITIVE_INFINITY)
  const isUncovered = log.signed() < signedSize && findings.length === 0
  // the row of a head follows the state that names it
  if (isUncovered && (await rowAt(history, name, 'head', signedSize)) === undefined) reportLostHead(log, signedSize, 'events')
  if (log.signed() === 0 && signedSize === 0 && findings.length === 0 && end.time > origin.created + FIRST_HEAD_MS)
    log.report(
      0,
      `the history is missing: nothing is signed under this origin, which began on ${new Date(origin.created).toISOString()}, but the log goes on until ${new Date(end.time).toISOString()}`,
    )
  for (let after = ''; ; ) {
    const states = await history.states(subsiteTrees(origin.number), after, STATES_PER_READ)
    for (const { tree } of states) openSubsite(tree)
    after = states.at(-1)?.tree ?? ''
    if (states.length < STATES_PER_READ) break
  }
  let entries = 0
  for (const [tree, subsite] of subsites) {
    // another row may be there by now, of an event that is not in the tree of the log yet
    const [next] = await history.list(tree, 'entry', subsite.size(), 1)
    const isGrowing = next?.number === subsite.size() && entryIn(next).n >= size
    if (next && !isGrowing)
      subsite.report(next.number, `the index has an entry ${next.number}, ${next.name}, but there are only ${subsite.size()}`)
    await subsite.end(isGrowing ? Number.POSITIVE_INFINITY : subsite.size())
    const covered = signedEntries.get(tree) ?? 0
    if (subsite.signed() < covered && findings.length === 0) reportLostHead(subsite, covered, 'entries')
    entries += subsite.signed()
  }
  return { events: log.signed(), entries, unproved, findings }
}
