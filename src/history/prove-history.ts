import { setImmediate } from 'node:timers/promises'
import { provableTexts } from '../domain/provable-texts.ts'
import { type EventStore, LOG_START, type RecordedEvent } from '../ports/event-store.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import { leafInLog, readBindingStart } from './binding.ts'
import { countTree, type HistoryFinding } from './count-tree.ts'
import { entryIn } from './entry-rows.ts'
import type { HistoryKey } from './key.ts'
import { lastHeadIn } from './last-head.ts'
import { EVENTS_PER_MILESTONE, lastMilestone, milestonesAmong, timeOf } from './milestones.ts'
import { type FollowedKey, headIn, lastNote, lastOrigin, type Origin, originLine, readTrustedKeys } from './origins.ts'
import { boundLeaf, entryLeaf, eventLeaf, ownerOfAct, PAGE_EVENTS, SITE, SLICE_EVENTS } from './records.ts'
import { isBeginning, isSame, leafAt, logTree, rowAt, subsiteTree, subsiteTrees, type Tree, treeOf } from './trees.ts'

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
 * Tells whether the log can go on where its history ended, as far as that can be seen at once: the last head is signed and fits the stored
 * tree, and the event that was numbered last is there. Returns undefined if so, else a problem in words.
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
  const made = await leafInLog(history, origin, key.secret, { n: tree.size - 1, event })
  if (made === undefined)
    return `what is stored of the moderation logs is not what was signed: it has no entry of event ${tree.size - 1} (npx rostra verify names the difference)`
  return leaf && isSame(leaf, made) ? undefined : `event ${tree.size - 1} is not the one that was numbered`
}

const STATES_PER_READ = 500
const MAX_FINDINGS = 100
/** The time in which a service signs its first head. An origin without any head after it lost what was signed. */
const FIRST_HEAD_MS = 600_000

export type Proving = {
  /** Called after each page of events. The next page waits until this resolves. */
  readonly pace?: (n: number, size: number) => Promise<void> | Promise<undefined>
  readonly signal?: AbortSignal
  /** True to count the events that are not numbered, too: of a log that has a history since yesterday, nearly all. */
  readonly toEnd?: boolean
}

/** `events` and `entries` are those under the last heads; `unproved` are the events after them, of which nothing is signed yet. */
export type Proof = {
  readonly events: number
  readonly entries: number
  readonly unproved: number
  readonly findings: readonly HistoryFinding[]
}

/**
 * Proves the whole log consistent with everything that was signed of it under the present origin. It compares every stored tile with the
 * leaves that the events make, and every signed head, of the log and of each subsite, with the root that they make.
 */
export const proveHistory = async (
  { events, history }: { readonly events: Pick<EventStore, 'readAll'>; readonly history: HistoryStore },
  key: HistoryKey,
  { pace = async () => undefined, signal, toEnd = false }: Proving = {},
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
  const counting = { history, origin, keys }
  const name = logTree(origin.number)
  const { size, signed } = treeOf(name, await history.state(name))
  /** The size of the log at its last signing, when heads of all other trees were signed, too. */
  const bound = signed === undefined ? 0 : (lastHeadIn(signed, origin, keys)?.size ?? 0)
  /** The number of entries of each other tree at that size. */
  const boundEntries = new Map<string, number>()
  const log = countTree(counting, name, report)
  const subsites = new Map<string, ReturnType<typeof countTree>>()
  /** The trees in whose index an entry is missing or in another's place. Only the first of each is reported. */
  const misindexed = new Set<string>()
  const treeFor = (own: string) => {
    const of = subsites.get(own) ?? countTree(counting, own, report)
    subsites.set(own, of)
    return of
  }

  const from = (await readBindingStart(history, origin)) ?? Number.POSITIVE_INFINITY
  /** Adds the entry of an act to its tree. Returns the leaf of the act in the tree of the log. */
  const entry = async (own: string, { id, stream, revision, type }: RecordedEvent, n: number, event: Uint8Array): Promise<Uint8Array> => {
    const of = treeFor(own)
    const k = of.size()
    const row = await rowAt(history, own, 'entry', k)
    const stored = row && entryIn(row)
    const isIndexed = row?.name === id && stored?.n === n && stored.stream === stream && stored.revision === revision
    if (!isIndexed && !misindexed.has(own)) of.tell(k, `entry ${k} is event ${n}, ${type} ${id}, but the index has ${row?.name ?? 'none'}`)
    if (!isIndexed) misindexed.add(own)
    if (n < bound) boundEntries.set(own, k + 1)
    await of.push({ hash: entryLeaf({ k, n, event }), what: `event ${n}, ${type} ${id}` })
    return n < from ? event : boundLeaf(event, { size: k + 1, root: of.root() })
  }

  /** Compares the index that finds the numbers of events with texts, a page at a time. */
  const textsIn = async (page: readonly RecordedEvent[], first: number) => {
    const texts = page.flatMap((event, at) => (provableTexts.has(event.type) ? [{ event, n: first + at }] : []))
    const end = first + page.length
    const listed = page.length === 0 ? [] : await history.list(name, 'entry', first, page.length)
    const rows = new Map(listed.filter(({ number }) => number < end).map((row) => [row.number, row]))
    const surplus = listed.find(({ number }) => number < end && !provableTexts.has(page[number - first]?.type ?? ''))
    if (surplus && !misindexed.has(name)) {
      misindexed.add(name)
      log.tell(surplus.number, `event ${surplus.number} has no text, but the index has ${surplus.name}`)
    }
    for (const { event, n } of texts) {
      const row = rows.get(n)
      if (row?.name === event.id || misindexed.has(name)) continue
      misindexed.add(name)
      log.tell(n, `event ${n} is ${event.type} ${event.id}, but the index has ${row?.name ?? 'none'}`)
    }
  }

  /** Milestones up to here find events by their numbers. Those of a log that was numbered before there were any come later. */
  const lastMarked = (await lastMilestone(history, name))?.number ?? -1
  let isMismarked = false
  const milestonesIn = async (made: readonly HistoryRow[]) => {
    const expected = made.filter(({ number }) => number <= lastMarked)
    const rows = await history.get(
      name,
      'milestone',
      expected.map(({ number }) => number),
    )
    const wrong = expected.find(({ number, value }) => !isSame(value, rows.get(number)?.value ?? new Uint8Array()))
    if (wrong && !isMismarked)
      log.tell(wrong.number * EVENTS_PER_MILESTONE, `the milestone of event ${wrong.number * EVENTS_PER_MILESTONE} points to another event`)
    isMismarked ||= wrong !== undefined
  }

  let marked = { n: 0, position: LOG_START, latest: 0 }
  let last = marked.position
  let further = 0
  let latest = 0
  while (log.size() < size && !signal?.aborted) {
    const first = log.size()
    const read = await events.readAll(marked.position, PAGE_EVENTS)
    const page = read.slice(0, size - first)
    further = read.length - page.length
    last = read.at(-1)?.position ?? last
    latest = Math.max(latest, ...read.slice(-1).map(timeOf))
    const [reached, milestones] = milestonesAmong(name, marked, page)
    for (const [at, event] of page.entries()) {
      if (at % SLICE_EVENTS === 0) await setImmediate()
      const owner = ownerOfAct(event)
      const leaf = eventLeaf(key.secret, event, owner !== undefined && owner !== SITE)
      const hash = owner === undefined ? leaf : await entry(subsiteTree(origin.number, owner), event, log.size(), leaf)
      await log.push({ hash, what: `${event.type} ${event.id}` })
    }
    await textsIn(page, first)
    await milestonesIn(milestones)
    await pace(log.size(), size)
    if (page.length === 0) break
    marked = reached
  }
  for (let isMore = toEnd; isMore; ) {
    const read = await events.readAll(last, PAGE_EVENTS)
    further += read.length
    last = read.at(-1)?.position ?? last
    latest = Math.max(latest, ...read.slice(-1).map(timeOf))
    isMore = read.length > 0
  }
  let entries = 0
  if (!signal?.aborted) {
    await log.end(log.size() < size ? log.size() : Number.POSITIVE_INFINITY)
    const isUncovered = log.signed() < bound && findings.length === 0
    // the row of a head follows the state that names it
    if (isUncovered && (await rowAt(history, name, 'head', bound)) === undefined)
      log.tell(
        log.signed(),
        `heads cover ${log.signed()} of the ${bound} events that were signed: one was deleted, or the process was killed before it stored it; the service signs it again at its next start`,
      )
    if (log.signed() === 0 && bound === 0 && findings.length === 0 && latest > origin.created + FIRST_HEAD_MS)
      log.tell(
        0,
        `the history is missing: nothing is signed under this origin, which began on ${new Date(origin.created).toISOString()}, but the log goes on until ${new Date(latest).toISOString()}`,
      )
    for (let after = ''; ; ) {
      const states = await history.states(subsiteTrees(origin.number), after, STATES_PER_READ)
      for (const { tree } of states) treeFor(tree)
      after = states.at(-1)?.tree ?? ''
      if (states.length < STATES_PER_READ) break
    }
    for (const [own, of] of subsites) {
      // another row may be there by now, of an event that is not in the tree of the log yet
      const [next] = await history.list(own, 'entry', of.size(), 1)
      const isGrowing = next?.number === of.size() && entryIn(next).n >= size
      if (next && !isGrowing) of.tell(next.number, `the index has an entry ${next.number}, ${next.name}, but there are only ${of.size()}`)
      await of.end(isGrowing ? Number.POSITIVE_INFINITY : of.size())
      const covered = boundEntries.get(own) ?? 0
      if (of.signed() < covered && findings.length === 0)
        of.tell(
          of.signed(),
          `heads cover ${of.signed()} of the ${covered} entries that were signed: one was deleted, or the process was killed before it stored it; the service signs it again at its next start`,
        )
      entries += of.signed()
    }
  }
  return { events: log.signed(), entries, unproved: log.size() - log.signed() + further, findings }
}
