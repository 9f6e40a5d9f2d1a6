import { setImmediate } from 'node:timers/promises'
import { provableTexts } from '../domain/provable-texts.ts'
import { type EventStore, LOG_START, type RecordedEvent } from '../ports/event-store.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import { readBindingStart } from './binding.ts'
import { entryIn } from './entry-rows.ts'
import type { HistoryKey } from './key.ts'
import { lastHeadIn } from './last-head.ts'
import { EVENTS_PER_MILESTONE, lastMilestone, milestonesAmong, timeOf } from './milestones.ts'
import { type FollowedKey, lastOrigin, type Origin, readTrustedKeys } from './origins.ts'
import { type HistoryFinding, rebuildTree } from './rebuild-tree.ts'
import { boundLeaf, entryLeaf, eventLeaf, ownerOfAct, PAGE_EVENTS, SITE, SLICE_EVENTS } from './records.ts'
import { areSameBytes, logTree, rowAt, subsiteTree, subsiteTrees, treeOf } from './trees.ts'

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

/** The trees of an origin as its events make them, beside what is stored of them. */
type Rebuilding = {
  readonly history: HistoryStore
  readonly origin: Origin
  readonly secret: HistoryKey['secret']
  /** The tree of the log: its name, and its stored size. */
  readonly name: string
  readonly size: number
  /** The size of the log at its last signing, when heads of all other trees were signed, too. */
  readonly signedSize: number
  /** The number of the first act whose leaf binds the entry of its moderation log. */
  readonly bindingStart: number
  readonly log: RebuiltTree
  /** The trees of moderation logs that events or states have named so far. */
  readonly subsites: ReadonlyMap<string, RebuiltTree>
  /** Returns the tree of a moderation log. It begins empty. */
  readonly openSubsite: (tree: string) => RebuiltTree
  readonly findings: readonly HistoryFinding[]
  /** Reports the first problem of an index. Later ones mostly follow from it. */
  readonly reportIndex: (index: string, tree: RebuiltTree, problem: IndexProblem | undefined) => void
}

const openRebuilding = async (
  history: HistoryStore,
  origin: Origin,
  keys: readonly FollowedKey[],
  { secret }: HistoryKey,
): Promise<Rebuilding> => {
  const findings: HistoryFinding[] = []
  const onFinding = (finding: HistoryFinding) => {
    if (findings.length < MAX_FINDINGS) findings.push(finding)
  }
  const sources = { history, origin, keys }
  const name = logTree(origin.number)
  const { size, signed } = treeOf(name, await history.state(name))
  const subsites = new Map<string, RebuiltTree>()
  const wrongIndexes = new Set<string>()
  return {
    ...{ history, origin, secret, name, size, subsites, findings },
    signedSize: signed === undefined ? 0 : (lastHeadIn(signed, origin, keys)?.size ?? 0),
    bindingStart: (await readBindingStart(history, origin)) ?? Number.POSITIVE_INFINITY,
    log: rebuildTree(sources, name, onFinding),
    openSubsite: (tree) => {
      const subsite = subsites.get(tree) ?? rebuildTree(sources, tree, onFinding)
      subsites.set(tree, subsite)
      return subsite
    },
    reportIndex: (index, tree, problem) => {
      if (problem === undefined || wrongIndexes.has(index)) return
      wrongIndexes.add(index)
      tree.report(problem.n, problem.words)
    },
  }
}

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

/** Returns the problem of the row that finds entry `k` of a moderation log, which event `n` makes. */
const problemOfEntry = async (
  history: HistoryStore,
  tree: string,
  k: number,
  { n, event: { id, stream, revision, type } }: { readonly n: number; readonly event: RecordedEvent },
): Promise<IndexProblem | undefined> => {
  const row = await rowAt(history, tree, 'entry', k)
  const stored = row && entryIn(row)
  if (row?.name === id && stored?.n === n && stored.stream === stream && stored.revision === revision) return undefined
  return { n: k, words: `entry ${k} is event ${n}, ${type} ${id}, but the index has ${row?.name ?? 'none'}` }
}

/** Adds the entry of an act to its moderation log, as event `n` of the log. Returns the leaf of the act in the log. */
const addEntry = async (
  { history, openSubsite, reportIndex, bindingStart }: Rebuilding,
  tree: string,
  n: number,
  event: RecordedEvent,
  leaf: Uint8Array,
): Promise<Uint8Array> => {
  const subsite = openSubsite(tree)
  const k = subsite.size()
  reportIndex(tree, subsite, await problemOfEntry(history, tree, k, { n, event }))
  await subsite.push({ hash: entryLeaf({ k, n, event: leaf }), what: `event ${n}, ${event.type} ${event.id}` })
  return n < bindingStart ? leaf : boundLeaf(leaf, { size: k + 1, root: subsite.root() })
}

/** Adds the next event to the log and, if it is an act of moderators, to their log. */
const addEvent = async (rebuilding: Rebuilding, event: RecordedEvent): Promise<void> => {
  const { origin, secret, log } = rebuilding
  const owner = ownerOfAct(event)
  const leaf = eventLeaf(secret, event, owner !== undefined && owner !== SITE)
  const hash = owner === undefined ? leaf : await addEntry(rebuilding, subsiteTree(origin.number, owner), log.size(), event, leaf)
  await log.push({ hash, what: `${event.type} ${event.id}` })
}

/** Reads the log in pages. `end` returns the position of the last event so far, and the latest time of the last events of pages. */
const openPages = (events: Pick<EventStore, 'readAll'>) => {
  let end = { position: LOG_START, time: 0 }
  return {
    end: () => end,
    readNext: async (): Promise<readonly RecordedEvent[]> => {
      const page = await events.readAll(end.position, PAGE_EVENTS)
      const last = page.at(-1)
      if (last) end = { position: last.position, time: Math.max(end.time, timeOf(last)) }
      return page
    },
  }
}
type Pages = ReturnType<typeof openPages>

/** The number of entries of each moderation log at the last signing, by its tree. */
type SignedEntries = ReadonlyMap<string, number>

/** Adds all numbered events, and proves the indexes of each page. `unnumbered` is the number of events that were read beyond them. */
const addNumberedEvents = async (
  rebuilding: Rebuilding,
  pages: Pages,
  { pace, signal }: Proving,
): Promise<{ readonly unnumbered: number; readonly signedEntries: SignedEntries }> => {
  const { history, name, size, log, subsites, signedSize, reportIndex } = rebuilding
  // milestones of a log that was numbered before there were any come later
  const lastStored = (await lastMilestone(history, name))?.number ?? -1
  const sizes = () => new Map([...subsites].map(([tree, subsite]) => [tree, subsite.size()]))
  let signedEntries: SignedEntries = new Map()
  let marked = { n: 0, position: LOG_START, latest: 0 }
  let unnumbered = 0
  while (log.size() < size && !signal?.aborted) {
    const first = log.size()
    const read = await pages.readNext()
    const page = read.slice(0, size - first)
    unnumbered = read.length - page.length
    for (const [at, event] of page.entries()) {
      if (at % SLICE_EVENTS === 0) await setImmediate()
      await addEvent(rebuilding, event)
      if (log.size() === signedSize) signedEntries = sizes()
    }
    const [next, milestones] = milestonesAmong(name, marked, page)
    marked = next
    reportIndex(name, log, await problemOfTexts(history, name, page, first))
    const expected = milestones.filter(({ number }) => number <= lastStored)
    reportIndex(`milestones of ${name}`, log, await problemOfMilestones(history, name, expected))
    await pace?.(log.size(), size)
    if (page.length === 0) break
  }
  return { unnumbered, signedEntries }
}

/** Returns the number of events that follow in the log. */
const countFurther = async ({ readNext }: Pages): Promise<number> => {
  let count = 0
  for (let page = await readNext(); page.length > 0; page = await readNext()) count += page.length
  return count
}

/** Compares the end of the log with what is stored and signed of it. `endTime` is the time of its last event. */
const endLog = async ({ history, origin, name, size, signedSize, log, findings }: Rebuilding, endTime: number): Promise<void> => {
  await log.end(log.size() < size ? log.size() : Number.POSITIVE_INFINITY)
  const isUncovered = log.signed() < signedSize && findings.length === 0
  // the row of a head follows the state that names it
  if (isUncovered && (await rowAt(history, name, 'head', signedSize)) === undefined) reportLostHead(log, signedSize, 'events')
  if (log.signed() === 0 && signedSize === 0 && findings.length === 0 && endTime > origin.created + FIRST_HEAD_MS)
    log.report(
      0,
      `the history is missing: nothing is signed under this origin, which began on ${new Date(origin.created).toISOString()}, but the log goes on until ${new Date(endTime).toISOString()}`,
    )
}

/** Opens the moderation logs that are stored, also those of which the log has no event. */
const openStoredSubsites = async ({ history, origin, openSubsite }: Rebuilding): Promise<void> => {
  for (let after = ''; ; ) {
    const states = await history.states(subsiteTrees(origin.number), after, STATES_PER_READ)
    for (const { tree } of states) openSubsite(tree)
    after = states.at(-1)?.tree ?? ''
    if (states.length < STATES_PER_READ) return
  }
}

/** Compares the end of a moderation log with what is stored and signed of it. */
const endSubsite = async ({ history, size, findings }: Rebuilding, tree: string, subsite: RebuiltTree, signed: number): Promise<void> => {
  // another row may be there by now, of an event that is not in the tree of the log yet
  const [next] = await history.list(tree, 'entry', subsite.size(), 1)
  const isGrowing = next?.number === subsite.size() && entryIn(next).n >= size
  if (next && !isGrowing)
    subsite.report(next.number, `the index has an entry ${next.number}, ${next.name}, but there are only ${subsite.size()}`)
  await subsite.end(isGrowing ? Number.POSITIVE_INFINITY : subsite.size())
  if (subsite.signed() < signed && findings.length === 0) reportLostHead(subsite, signed, 'entries')
}

/**
 * Proves the whole log consistent with everything that was signed of it under the present origin. It compares every stored tile with the
 * leaves that the events make, and every signed head, of the log and of each subsite, with the root that they make.
 */
export const proveHistory = async (
  { events, history }: { readonly events: Pick<EventStore, 'readAll'>; readonly history: HistoryStore },
  key: HistoryKey,
  proving: Proving = {},
): Promise<Proof> => {
  const origin = await lastOrigin(history)
  if (origin === undefined) return { events: 0, entries: 0, unproved: 0, findings: [] }
  const keys = await readTrustedKeys(history, origin, key)
  if (typeof keys === 'string')
    return { events: 0, entries: 0, unproved: 0, findings: [{ tree: origin.name, number: undefined, problem: keys }] }
  const rebuilding = await openRebuilding(history, origin, keys, key)
  const { log, subsites, findings } = rebuilding
  const pages = openPages(events)

  const { unnumbered, signedEntries } = await addNumberedEvents(rebuilding, pages, proving)
  const further = proving.countsUnnumbered ? await countFurther(pages) : 0
  const unproved = log.size() - log.signed() + unnumbered + further
  if (proving.signal?.aborted) return { events: log.signed(), entries: 0, unproved, findings }

  await endLog(rebuilding, pages.end().time)
  await openStoredSubsites(rebuilding)
  for (const [tree, subsite] of subsites) await endSubsite(rebuilding, tree, subsite, signedEntries.get(tree) ?? 0)
  const entries = [...subsites.values()].reduce((sum, subsite) => sum + subsite.signed(), 0)
  return { events: log.signed(), entries, unproved, findings }
}
