import { createPrivateKey, hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import canonicalize from 'canonicalize'
import { modChanges } from '../../projections/mod-log-changes.ts'
import { type ModEntry, modEntries } from '../../projections/mod-log-entries.ts'
import type { Actor } from '../../src/domain/event.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { actionOf, type ModEvent } from '../../src/domain/mod-actions.ts'
import { provableTexts } from '../../src/domain/provable-texts.ts'
import { publicFields } from '../../src/domain/public-mod-log-fields.ts'
import {
  consistencyPlan,
  type HashAt,
  inclusionPlan,
  leafHash,
  nodeHash,
  proofBy,
  rootOf,
  rootsFromGrowth,
} from '../../src/history/merkle.ts'
import { checkpointText, publicHalf, signNote } from '../../src/history/note.ts'
import { signOrigin } from '../../src/history/origins.ts'
import { boundLeaf, commitmentTo, entryLeaf, eventLeaf, saltOf, subsiteOfAct, toRecordFields } from '../../src/history/records.ts'
import { edgeRoot, growTree, logTree, stateOf, subsiteTree, type Tree, treeOf } from '../../src/history/trees.ts'
import { commitmentIn } from '../../src/log/sealed-text.ts'
import type { RecordedEvent } from '../../src/ports/event-store.ts'
import type { HistoryRow } from '../../src/ports/history.ts'
import { rootFromPath } from './root-from-path.ts'

/*
 * Makes test/fixtures/history-vectors.json: a log, its forgeries, and what verifiers must find. Both verifiers are tested with it: the one
 * of `npx rostra verify` reads the stores, verify/rostra_verify.py what the service answers from them.
 */

type Event = Omit<RecordedEvent, 'position'>

const file = new URL('../fixtures/history-vectors.json', import.meta.url)

const SECRET = hash('sha256', 'the secret of the vectors')
/** A key that is the same each time: the bytes before the seed say that it is one of Ed25519. */
const keyFrom = (seed: string) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), hash('sha256', seed, 'buffer')]),
    format: 'der',
    type: 'pkcs8',
  })
const [FIRST_KEY, SECOND_KEY, FOREIGN_KEY] = [keyFrom('first'), keyFrom('second'), keyFrom('foreign')]

const ORIGIN = 'tea.example/history/0123456789abcdef'
const SUBSITE = 't4_tea'
const [LOG, TREE] = [logTree(1), subsiteTree(1, SUBSITE)]
const OF = `s/${SUBSITE}`
const lineOf = (tree: string): string => `${ORIGIN}${tree.slice(1)}`

/** Assigns revisions that follow one another, as a store does. */
const assignRevisions = (log: readonly Omit<Event, 'revision'>[]): readonly Event[] => {
  const ends = new Map<string, number>()
  return log.map(({ stream, id, type, data, meta }) => {
    const revision = ends.get(stream) ?? 0
    ends.set(stream, revision + 1)
    return { stream, revision, id, type, data, meta }
  })
}

const recorded: readonly RecordedEvent[] = readFileSync(new URL('../fixtures/recorded-history.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const FIRST_OTHERS = new Set([8, 9, 10, 13, 14, 15, 16, 17, 18])
const base = assignRevisions(
  recorded.filter((_, at) => FIRST_OTHERS.has(at) || (at >= 24 && at < 31) || (at >= 37 && at < 52 && ![43].includes(at))),
)
const EARLIER_HEAD_SIZE = 20

const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const textOf = ({ value }: Pick<HistoryRow, 'value'>): string => Buffer.from(value).toString()

type History = { readonly rows: readonly HistoryRow[]; readonly trees: Readonly<Record<string, Tree>> }

type Signing = {
  readonly keys?: readonly ReturnType<typeof keyFrom>[]
  readonly endorsedBy?: ReturnType<typeof keyFrom>
  readonly heads?: readonly number[]
  /** The number of the first event whose leaf binds the moderation log. */
  readonly bindingFrom?: number
  /** The number of an act that the holder of the key leaves out of the moderation log. */
  readonly leftOut?: number
}

/** Returns the stored history of a log. Heads are signed at some sizes, the last one by the last key. */
const historyOf = (
  log: readonly Event[],
  {
    keys = [FIRST_KEY],
    endorsedBy = keys[0] as typeof FIRST_KEY,
    heads = [EARLIER_HEAD_SIZE, log.length],
    bindingFrom,
    leftOut,
  }: Signing = {},
): History => {
  const rows: HistoryRow[] = [
    {
      tree: 'origins',
      kind: 'origin',
      number: 1,
      value: bytesOf(signOrigin({ name: ORIGIN, created: 1_772_000_000_000, previous: null }, { key: FIRST_KEY })),
    },
    ...keys.map((key, number): HistoryRow => {
      const raw = publicHalf(key).toString('base64')
      const endorsement = number === 0 ? null : signNote(`key of ${ORIGIN}\n${raw}\n`, ORIGIN, endorsedBy)
      return { tree: '1/keys', kind: 'key', number, value: bytesOf({ key: raw, since: 1_772_000_000_000, endorsement }) }
    }),
  ]
  if (bindingFrom !== undefined) rows.push({ tree: LOG, kind: 'binding', number: 0, value: bytesOf(bindingFrom) })
  let bound = treeOf(TREE, undefined)
  const trees: Record<string, Tree> = { [LOG]: treeOf(LOG, undefined), [TREE]: treeOf(TREE, undefined) }
  const sign = (name: string, key: typeof FIRST_KEY) => {
    const { size } = trees[name] as Tree
    const note = signNote(checkpointText({ origin: lineOf(name), size, root: edgeRoot(trees[name] as Tree) }), lineOf(name), key)
    if (!rows.some(({ tree, kind, number }) => tree === name && kind === 'head' && number === size))
      rows.push({ tree: name, kind: 'head', number: size, value: Buffer.from(note) })
  }
  for (const [n, event] of log.entries()) {
    const { stream, revision, id } = event
    const leaf = eventLeaf(SECRET, { ...event, position: '' })
    const reached = { next: n + 1, last: { stream, revision } }
    let inLog = leaf
    if (subsiteOfAct(event) === SUBSITE) {
      bound = growTree(bound, [entryLeaf({ k: bound.size, n, event: leaf })], reached)[0]
      if (n >= (bindingFrom ?? log.length)) inLog = boundLeaf(leaf, { size: bound.size, root: edgeRoot(bound) })
    }
    if (subsiteOfAct(event) === SUBSITE && n !== leftOut) {
      const k = (trees[TREE] as Tree).size
      rows.push({ tree: TREE, kind: 'entry', number: k, name: id, value: bytesOf({ n, stream, revision }) })
      trees[TREE] = growTree(trees[TREE] as Tree, [entryLeaf({ k, n, event: leaf })], reached)[0]
    }
    if (provableTexts.has(event.type)) rows.push({ tree: LOG, kind: 'entry', number: n, name: id, value: bytesOf({ n, stream, revision }) })
    trees[LOG] = growTree(trees[LOG] as Tree, [inLog], reached)[0]
    if (!heads.includes(n + 1)) continue
    const key = (n + 1 === log.length ? keys.at(-1) : keys[0]) as typeof FIRST_KEY
    for (const name of [TREE, LOG]) sign(name, key)
  }
  return { rows, trees }
}

const isOf = (tree: string, kind: string) => (row: HistoryRow) => row.tree === tree && row.kind === kind

/** The entries of the index as somebody makes them who may write to the stores, and nothing else of the history. */
const withIndexOf = (history: History, forged: readonly Event[]): History => ({
  ...history,
  rows: [...history.rows.filter(({ kind }) => kind !== 'entry'), ...historyOf(forged).rows.filter(({ kind }) => kind === 'entry')],
})

/** All that can be made without the key. */
const rebuilt = (history: History, forged: readonly Event[]): History => ({
  ...withIndexOf(history, forged),
  trees: historyOf(forged).trees,
})

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const lastHead = ({ rows }: History, tree: string): string => {
  const [last] = rows.filter(isOf(tree, 'head')).toSorted((a, b) => b.number - a.number)
  return last ? textOf(last) : ''
}
const sizeIn = (note: string): number => Number(note.split('\n')[1])

type Answers = Readonly<Record<string, readonly string[]>>

const LISTED = '/s/tea/about/log?limit=500&raw_json=1'
const asChild = (data: object) => ({ kind: 'modaction', data })

/** Tells whether a description is a sealed text of its event. */
const isSealed = (type: string, description: string): boolean =>
  (eventDefinitions.get(type)?.sealedPaths.length ?? 0) > 0 && commitmentIn(description) !== undefined

/** Returns an act as people read it, as far as verifiers compare it. */
const entryOf = ({ id, type, data, meta }: Pick<Event, 'id' | 'type' | 'data' | 'meta'>) => {
  const { at, by } = JSON.parse(meta) as { readonly at: number; readonly by: Actor }
  const event = { id, type, at, by, data: JSON.parse(data) }
  const say = modEntries[type as ModEvent] as (event: object) => ModEntry
  const { action = actionOf[type as ModEvent], target, details = null, description = '' } = say(event)
  const changesOf = modChanges[type as ModEvent] as ((event: object) => readonly object[]) | undefined
  return {
    ...{ id: `ModAction_${id}`, created_utc: Math.floor(at / 1000), mod_id36: by.account?.slice(3) ?? null, action },
    ...{ target_fullname: target?.id ?? null, changes: changesOf?.(event) ?? [], details },
    // texts are sealed, and none is opened here
    ...{ target_title: null, target_body: null, description: description === '' || isSealed(type, description) ? null : description },
  }
}

/** Returns the fields of an act that everybody reads, and the values of settings. */
const shownOf = (type: string): ReadonlySet<string> =>
  new Set([
    ...['meta.at', 'meta.by', 'meta.schema'],
    ...[...publicFields[type as ModEvent], 'before', 'after'].map((name) => `data.${String(name)}`),
  ])

/** Returns the answers of the service from such stores. An answer without an end was broken off. */
const answersFrom = (log: readonly Event[], history: History): Answers => {
  const { rows, trees } = history
  const notes = { log: lastHead(history, LOG), tree: lastHead(history, TREE) }
  const lines = [JSON.stringify({ kind: 'head', checkpoint: notes.tree, log: notes.log })]
  const entries = rows.filter(isOf(TREE, 'entry')).toSorted((a, b) => a.number - b.number)
  let isWhole = true
  for (const row of entries.slice(0, sizeIn(notes.tree))) {
    const { n, stream, revision } = JSON.parse(textOf(row))
    const event = log.find((other) => other.stream === stream && other.revision === revision)
    isWhole &&= event !== undefined
    if (!isWhole || !event) break
    const shown = shownOf(event.type)
    const fields = Object.entries(toRecordFields({ ...event, position: '' }))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => {
        const salt = saltOf(SECRET, event.id, name)
        return { name, commitment: commitmentTo(salt, value), ...(shown.has(name) && { salt, value }) }
      })
    const leaf = base64(eventLeaf(SECRET, { ...event, position: '' }))
    lines.push(
      JSON.stringify({ kind: 'entry', k: row.number, n, entry: entryOf(event), event: { id: event.id, type: event.type, fields, leaf } }),
    )
  }
  const children = lines
    .slice(1)
    .map((line) => JSON.parse(line).entry)
    .toReversed()
  const tileAt = (name: string, size: number) => [base64((trees[name] as Tree).edge[0]?.subarray(0, 32 * size) ?? Buffer.alloc(0))]
  const keys = rows.filter(isOf('1/keys', 'key')).map((row) => JSON.parse(textOf(row)))
  const origins = rows.filter(({ kind }) => kind === 'origin').map((row) => JSON.parse(textOf(row)))
  const [binding] = rows.filter(isOf(LOG, 'binding')).map((row) => ({ binding_from: JSON.parse(textOf(row)) }))
  return {
    '/history': [JSON.stringify({ origin: origins.at(-1)?.name, keys, previous: [], ...binding })],
    '/history/s/tea/entries?from=0': isWhole ? [...lines, JSON.stringify({ kind: 'end', next: null })] : lines,
    [LISTED]: [JSON.stringify({ kind: 'Listing', data: { after: null, children: children.map(asChild) } })],
    '/history/log/checkpoint': notes.log.split('\n'),
    [`/history/log/tile/0/000.p/${sizeIn(notes.log)}`]: tileAt(LOG, sizeIn(notes.log)),
    [`/history/s/tea/tile/0/000.p/${sizeIn(notes.tree)}`]: tileAt(TREE, sizeIn(notes.tree)),
  }
}

/** Returns the file that somebody keeps who verified a log. */
const keptOf = (log: readonly Event[], { rows }: History, size: number) => {
  const acts = log.slice(0, size).flatMap((event, n) => (subsiteOfAct(event) === SUBSITE ? [{ event, n }] : []))
  const noteAt = (tree: string, at: number) => rows.filter(isOf(tree, 'head')).flatMap((row) => (row.number === at ? [textOf(row)] : []))[0]
  return {
    origin: ORIGIN,
    keys: [publicHalf(FIRST_KEY).toString('base64')],
    names: { tea: SUBSITE },
    heads: { log: noteAt(LOG, size), [OF]: noteAt(TREE, acts.length) },
    marks: {
      [SUBSITE]: acts.map(
        ({ event, n }) =>
          `${n} ${eventLeaf(SECRET, { ...event, position: '' })
            .toString('hex')
            .slice(0, 16)}`,
      ),
    },
  }
}

/** The verdict of the verifier that asks the service: its exit code, and the k at which it breaks, if it can be told. */
type Remote = { readonly code: number; readonly k: number | null }
/** The problems of the stores: the first number that is named of each tree. */
type Local = Readonly<Record<string, number | null>>

type Case = {
  readonly name: string
  readonly log?: readonly Event[]
  readonly history?: History
  readonly answers?: (honest: Answers) => Answers
  readonly kept?: ReturnType<typeof keptOf> | null
  readonly remote: Remote
  readonly local: Local
}

const honest = historyOf(base)
const acts = base.flatMap((event, n) => (subsiteOfAct(event) === SUBSITE ? [n] : []))
const kOf = (n: number): number => acts.indexOf(n)
const amend = (at: number, change: (event: Event) => Partial<Event>): readonly Event[] =>
  base.map((event, n) => (n === at ? { ...event, ...change(event) } : event))
const metaWith = ({ meta }: Event, change: object): string => canonicalize({ ...JSON.parse(meta), ...change }) ?? ''

const AT = acts[3] as number
const SWAP = acts.findIndex((n, k) => k > 0 && base[n]?.stream !== base[acts[k + 1] ?? 0]?.stream)
const [ONE, OTHER] = [acts[SWAP] as number, acts[SWAP + 1] as number]
const LAST = acts.at(-1) as number
const TAIL = 10
const holds: Remote = { code: 0, k: null }

const backdated = amend(AT, (event) => ({ meta: metaWith(event, { at: 1 }) }))
const amendedCase = (name: string, log: readonly Event[]): Case => ({
  name,
  log,
  remote: { code: 1, k: kOf(AT) },
  local: { log: AT, [OF]: kOf(AT) },
})
/** Makes a case whose index is made anew to fit the forged log. */
const reindexedCase = (name: string, log: readonly Event[], n: number, k: number): Case => ({
  name,
  log,
  history: withIndexOf(honest, log),
  remote: { code: 1, k },
  local: { log: n, [OF]: k },
})
const dropped = assignRevisions(base.toSpliced(LAST, 1))
const cut = base.slice(0, -TAIL)
const swapped = assignRevisions(base.with(ONE, base[OTHER] as Event).with(OTHER, base[ONE] as Event))
const inserted = assignRevisions(
  base.toSpliced(AT, 0, { ...(base[AT] as Event), id: '00000000-0000-5000-8000-00000000000a', stream: 'relation-forged' }),
)
const forked = historyOf(backdated)
const rotated = historyOf(base, { keys: [FIRST_KEY, SECOND_KEY] })
const other = 'tea.example/history/fedcba9876543210'
const tamper =
  (from: RegExp, to: string) =>
  (answers: Answers): Answers =>
    Object.fromEntries(
      Object.entries(answers).map(([path, lines]) => [
        path,
        lines.map((line, at) => (path.includes('entries') && at === kOf(AT) + 1 ? line.replace(from, to) : line)),
      ]),
    )
const inAnswer = (name: string, answers: Case['answers'], remote: Remote): Case => ({
  name,
  ...(answers && { answers }),
  remote,
  local: {},
})

const ENTRIES = '/history/s/tea/entries?from=0'
const END = JSON.stringify({ kind: 'end', next: null })
type Rows = readonly (Readonly<Record<string, unknown>> & { readonly id: string })[]
const listRows =
  (change: (rows: Rows) => Rows) =>
  (answers: Answers): Answers => {
    const rows = (JSON.parse(answers[LISTED]?.[0] ?? '').data.children as readonly { readonly data: Rows[number] }[]).map(
      ({ data }) => data,
    )
    return { ...answers, [LISTED]: [JSON.stringify({ kind: 'Listing', data: { after: null, children: change(rows).map(asChild) } })] }
  }
const rewordRow = (rows: Rows): Rows => rows.map((row, at) => (at === rows.length - 1 - kOf(AT) ? { ...row, details: 'forged' } : row))
const withoutEntry = (answers: Answers): string => JSON.stringify({ ...JSON.parse(answers[ENTRIES]?.[kOf(AT) + 1] ?? ''), entry: null })
const NEW_ID = '00000000-0000-5000-8000-00000000000b'
const NEW = entryOf({ ...(base[LAST] as Event), id: NEW_ID })
const FORGED = { ...NEW, id: 'ModAction_00000000-0000-5000-8000-00000000000c' }
/** Returns the pages, with so many entries on each. */
const inPages =
  (size: number) =>
  (answers: Answers): Answers => {
    const { children } = JSON.parse(answers[LISTED]?.[0] ?? '').data as { readonly children: readonly { readonly data: Rows[number] }[] }
    const pages = Array.from({ length: Math.ceil(children.length / size) }, (_, at) => children.slice(at * size, (at + 1) * size))
    const addresses = pages.map((_, at) => (at === 0 ? LISTED : `${LISTED}&after=${pages[at - 1]?.at(-1)?.data.id}`))
    const written = pages.map((page, at) => {
      const after = at === pages.length - 1 ? null : page.at(-1)?.data.id
      return [addresses[at], [JSON.stringify({ kind: 'Listing', data: { after, children: page } })]]
    })
    return { ...answers, ...Object.fromEntries(written) }
  }
/** Returns the proof of the last act under another id. */
const proofOfNew = (answers: Answers, k: number): string => {
  const { event } = JSON.parse(answers[ENTRIES]?.[kOf(LAST) + 1] ?? '')
  const shown = shownOf(event.type)
  const leaf = eventLeaf(SECRET, { ...(base[LAST] as Event), id: NEW_ID, position: '' })
  const fields = (event.fields as readonly { readonly name: string; readonly value?: string; readonly salt?: string }[]).map((field) => {
    const value = toRecordFields({ ...(base[LAST] as Event), id: NEW_ID, position: '' })[field.name] ?? ''
    const salt = saltOf(SECRET, NEW_ID, field.name)
    return { name: field.name, commitment: commitmentTo(salt, value), ...(shown.has(field.name) && { salt, value }) }
  })
  return JSON.stringify({
    k,
    n: base.length,
    entry: NEW,
    event: { id: NEW_ID, type: event.type, fields, leaf: base64(leaf) },
    log: null,
    subsite: null,
  })
}

const cases: readonly Case[] = [
  { name: 'an honest log, at the first look', kept: null, remote: holds, local: {} },
  { name: 'an honest log that has grown', remote: holds, local: {} },
  { name: 'an honest log that has not grown', kept: keptOf(base, honest, base.length), remote: holds, local: {} },
  amendedCase(
    'the actor changed',
    amend(AT, (event) => ({ meta: metaWith(event, { by: { account: 't2_other', as: 'moderator' } }) })),
  ),
  amendedCase('an act backdated', backdated),
  { ...amendedCase('an act backdated, at the first look', backdated), kept: null },
  amendedCase(
    'a value changed',
    amend(AT, ({ data }) => ({ data: canonicalize({ ...JSON.parse(data), spam: 'maybe' }) ?? '' })),
  ),
  { name: 'the last act dropped', log: dropped, remote: { code: 1, k: kOf(LAST) }, local: { log: LAST, [OF]: kOf(LAST) } },
  reindexedCase('the last act dropped, and its entry', dropped, LAST, kOf(LAST)),
  {
    name: 'a tail cut',
    log: cut,
    remote: { code: 1, k: acts.filter((n) => n < cut.length).length },
    local: { log: cut.length, [OF]: acts.filter((n) => n < cut.length).length },
  },
  reindexedCase('two acts swapped across streams', swapped, ONE, SWAP),
  reindexedCase('an act inserted', inserted, AT, kOf(AT)),
  {
    name: 'an entry hidden from its index',
    history: { ...honest, rows: honest.rows.filter((row) => !(isOf(TREE, 'entry')(row) && row.number === 3)) },
    remote: { code: 1, k: 3 },
    local: { [OF]: 3 },
  },
  {
    name: 'a rebuild of a forged log, without the key',
    log: backdated,
    history: rebuilt(honest, backdated),
    remote: { code: 1, k: kOf(AT) },
    local: { log: 0, [OF]: 0 },
  },
  {
    name: 'a rebuild of a forged log, with the key',
    log: backdated,
    history: forked,
    remote: { code: 1, k: kOf(AT) },
    local: { log: EARLIER_HEAD_SIZE, [OF]: acts.filter((n) => n < EARLIER_HEAD_SIZE).length },
  },
  {
    name: 'a forked log: two heads of one size',
    log: backdated,
    history: forked,
    kept: keptOf(base, honest, base.length),
    remote: { code: 1, k: kOf(AT) },
    local: { log: base.length, [OF]: acts.length },
  },
  {
    name: 'a tail cut by somebody with the key',
    log: cut,
    history: historyOf(cut),
    kept: keptOf(base, honest, base.length),
    remote: { code: 1, k: acts.filter((n) => n < cut.length).length },
    local: { log: cut.length, [OF]: acts.filter((n) => n < cut.length).length },
  },
  { name: 'a key that the one before it signed', history: rotated, remote: holds, local: {} },
  {
    name: 'a key that another one signed',
    history: historyOf(base, { keys: [FIRST_KEY, SECOND_KEY], endorsedBy: FOREIGN_KEY }),
    remote: { code: 1, k: null },
    local: { '': null },
  },
  inAnswer(
    'a new origin',
    (answers) => ({ ...answers, '/history': (answers['/history'] ?? []).map((text) => text.replaceAll(ORIGIN, other)) }),
    { code: 3, k: null },
  ),
  inAnswer('a value that is not the one committed to', tamper(/"value":"\d{13}"/, '"value":"1771000000000"'), { code: 1, k: kOf(AT) }),
  inAnswer('an entry of another number', tamper(/"k":\d+/, '"k":9'), { code: 1, k: kOf(AT) }),
  inAnswer('an event of another number', tamper(/"n":\d+/, '"n":1'), { code: 1, k: kOf(AT) }),
  inAnswer(
    'entries that break off',
    (answers) => ({ ...answers, '/history/s/tea/entries?from=0': (answers['/history/s/tea/entries?from=0'] ?? []).slice(0, 6) }),
    { code: 1, k: 5 },
  ),
  inAnswer(
    'a tile of another size',
    (answers) =>
      Object.fromEntries(
        Object.entries(answers).map(([path, lines]) => [
          path,
          path.includes('/log/tile') ? lines.map((line) => base64(Buffer.from(line, 'base64').subarray(32))) : lines,
        ]),
      ),
    { code: 1, k: null },
  ),
  inAnswer(
    'an entry of which people are shown nothing',
    (answers) => {
      const entries = (answers[ENTRIES] ?? []).with(kOf(AT) + 1, withoutEntry(answers))
      const alone = [entries[0] ?? '', withoutEntry(answers), END]
      return {
        ...listRows((rows) => rows.toSpliced(-kOf(AT) - 1, 1))(answers),
        [ENTRIES]: entries,
        [`/history/s/tea/entries?from=${kOf(AT)}`]: alone,
      }
    },
    { code: 4, k: kOf(AT) },
  ),
  inAnswer(
    'an entry that people are shown a moment later',
    (answers) => ({
      ...answers,
      [ENTRIES]: (answers[ENTRIES] ?? []).with(kOf(AT) + 1, withoutEntry(answers)),
      [`/history/s/tea/entries?from=${kOf(AT)}`]: [answers[ENTRIES]?.[0] ?? '', answers[ENTRIES]?.[kOf(AT) + 1] ?? '', END],
    }),
    holds,
  ),
  ...[
    { name: 'an entry that the pages leave out', k: kOf(AT), change: (rows: Rows) => rows.toSpliced(-kOf(AT) - 1, 1) },
    { name: 'the first entry, left out by the pages', k: 0, change: (rows: Rows) => rows.slice(0, -1) },
    { name: 'the last entry, left out by the pages', k: kOf(LAST), change: (rows: Rows) => rows.slice(1) },
    { name: 'an entry in another place of the pages', k: kOf(LAST), change: (rows: Rows) => [...rows.slice(1), ...rows.slice(0, 1)] },
    { name: 'an entry that was put on the pages', k: kOf(LAST) - 1, change: (rows: Rows) => rows.toSpliced(1, 0, FORGED) },
    { name: 'an entry that was put before all others', k: 0, change: (rows: Rows) => [...rows, FORGED] },
    { name: 'an entry that was put after all others', k: null, change: (rows: Rows) => [FORGED, ...rows] },
    { name: 'an entry that the pages show twice', k: 0, change: (rows: Rows) => [...rows, ...rows.slice(-1)] },
  ].map(({ name, k, change }) => inAnswer(name, listRows(change), { code: 4, k })),
  inAnswer(
    'an entry that is not signed yet',
    (answers) => ({
      ...listRows((rows) => [NEW, ...rows])(answers),
      [`/history/proof/${NEW.id}?raw_json=1`]: [proofOfNew(answers, acts.length)],
    }),
    holds,
  ),
  inAnswer(
    'an entry that is said to be new, but is numbered before others',
    (answers) => ({ ...listRows((rows) => [NEW, ...rows])(answers), [`/history/proof/${NEW.id}?raw_json=1`]: [proofOfNew(answers, 2)] }),
    { code: 4, k: 2 },
  ),
  inAnswer('pages of two entries each', inPages(2), holds),
  inAnswer('pages of one entry each', inPages(1), holds),
  inAnswer(
    'no head of a log of which one was seen',
    (answers) => ({ ...answers, [ENTRIES]: [JSON.stringify({ kind: 'head', checkpoint: null, log: null }), END] }),
    { code: 1, k: 0 },
  ),
  inAnswer('an act of a moderator, shown as one of the service', tamper(/"mod_id36":"\w+"/, '"mod_id36":null'), { code: 4, k: kOf(AT) }),
  inAnswer(
    'an entry of another target than its event, which is not opened',
    (answers) =>
      tamper(
        /"target_fullname":"\w+"/,
        '"target_fullname":"t3_other"',
      )(tamper(/(\{"name":"data.target","commitment":"\w+"),"salt":.*?"\}(?=,\{"name")/, '$1}')(answers)),
    { code: 4, k: kOf(AT) },
  ),
  inAnswer(
    'an entry that the pages show as another act',
    listRows((rows) => rows.map((row, at) => (at === rows.length - 1 - kOf(AT) ? { ...row, mod_id36: 'other' } : row))),
    { code: 4, k: kOf(AT) },
  ),
  inAnswer(
    'the details of an entry, changed in the read models alone',
    (answers) => tamper(/"details":[^,}]+/, '"details":"forged"')(listRows(rewordRow)(answers)),
    { code: 4, k: kOf(AT) },
  ),
  inAnswer('the details of an entry, changed on the pages alone', listRows(rewordRow), { code: 4, k: kOf(AT) }),
  inAnswer(
    'an entry that the service cannot read',
    (answers) => ({
      ...answers,
      [ENTRIES]: [...(answers[ENTRIES] ?? []).slice(0, kOf(AT) + 1), JSON.stringify({ kind: 'unreadable', k: kOf(AT) }), END],
    }),
    { code: 1, k: kOf(AT) },
  ),
  ...[0, AT].flatMap((bindingFrom): readonly Case[] => {
    const bound = historyOf(base, { bindingFrom })
    const where = bindingFrom === 0 ? 'from the first event on' : 'from the middle on'
    return [
      { name: `a log that binds its moderation log ${where}, at the first look`, history: bound, kept: null, remote: holds, local: {} },
      {
        name: `a log that binds its moderation log ${where}`,
        history: bound,
        kept: keptOf(base, bound, EARLIER_HEAD_SIZE),
        remote: holds,
        local: {},
      },
      {
        name: `an act backdated in a log that binds its moderation log ${where}`,
        log: backdated,
        history: bound,
        kept: null,
        remote: { code: 1, k: kOf(AT) },
        local: { log: AT, [OF]: kOf(AT) },
      },
    ]
  }),
  {
    name: 'an act left out of a moderation log that the log binds, by somebody with the key, at the first look',
    history: historyOf(base, { bindingFrom: 0, leftOut: AT }),
    kept: null,
    remote: { code: 1, k: kOf(AT) },
    local: { [OF]: kOf(AT) },
  },
  {
    name: 'an act left out of a moderation log of which nothing binds, by somebody with the key, at the first look',
    history: historyOf(base, { leftOut: AT }),
    kept: null,
    remote: holds,
    local: { [OF]: kOf(AT) },
  },
  {
    ...inAnswer(
      'leaves that are said to bind from a later event on than they do',
      (answers) => ({
        ...answers,
        '/history': (answers['/history'] ?? []).map((text) => text.replace('"binding_from":0', `"binding_from":${LAST}`)),
      }),
      { code: 1, k: 0 },
    ),
    history: historyOf(base, { bindingFrom: 0 }),
    kept: null,
  },
]

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Paths and proofs of consistency, whole and of another size, and whether they lead to the root. */
const proofs = () => {
  const leaves = Array.from({ length: 21 }, (_, n) => leafHash(String(n)))
  const over: HashAt = ({ height, index }) =>
    height === 0
      ? (leaves[index] as Buffer)
      : nodeHash(over({ height: height - 1, index: 2 * index }), over({ height: height - 1, index: 2 * index + 1 }))
  const root = (size: number) => rootOf(size, over)
  const sizes = (proof: readonly Uint8Array[]) => [proof, proof.slice(1), proof.slice(0, -1), [...proof, leafHash('one too many')]]
  const inclusions = [1, 2, 7, 8, 13, 21].flatMap((size) =>
    [0, Math.floor(size / 2), size - 1].flatMap((index) =>
      sizes(proofBy(inclusionPlan(index, size), over)).map((path) => {
        const rebuilt = rootFromPath(leaves[index] as Buffer, { index, size }, path)
        const isProof = rebuilt !== undefined && hex(rebuilt) === hex(root(size))
        return { leaf: hex(leaves[index] as Buffer), index, size, path: path.map(hex), root: hex(root(size)), holds: isProof }
      }),
    ),
  )
  const growths = [2, 7, 8, 13, 21].flatMap((larger) =>
    [1, Math.ceil(larger / 2), larger - 1, larger].flatMap((size) =>
      sizes(proofBy(consistencyPlan(size, larger), over)).map((proof) => {
        const roots = rootsFromGrowth(size, larger, root(size), proof)
        const isProof = roots !== undefined && hex(roots[0]) === hex(root(size)) && hex(roots[1]) === hex(root(larger))
        return { size, larger, before: hex(root(size)), root: hex(root(larger)), proof: proof.map(hex), holds: isProof }
      }),
    ),
  )
  return { inclusions, growths }
}

/** Each text once, since the cases share most of them. */
const texts: string[] = []
const places = new Map<string, number>()
const placeOf = (text: string): number => {
  const place = places.get(text) ?? texts.push(text) - 1
  places.set(text, place)
  return place
}

const written = cases.map(({ name, log = base, history = honest, answers = (same) => same, kept, remote, local }) => ({
  name,
  log: log.map((event) => placeOf(JSON.stringify(event))),
  rows: history.rows.map((row) => placeOf(JSON.stringify({ ...row, value: textOf(row) }))),
  states: Object.values(history.trees).map((tree) => {
    const state = stateOf(tree)
    return placeOf(JSON.stringify({ ...state, value: textOf(state) }))
  }),
  answers: Object.fromEntries(Object.entries(answers(answersFrom(log, history))).map(([path, lines]) => [path, lines.map(placeOf)])),
  kept: placeOf(JSON.stringify(kept === undefined ? keptOf(base, honest, EARLIER_HEAD_SIZE) : (kept ?? {}))),
  remote,
  local,
}))
const key = FIRST_KEY.export({ type: 'pkcs8', format: 'pem' })
const members = Object.entries({ secret: SECRET, key, texts, cases: written, ...proofs() }).map(([name, value]) => {
  const text = Array.isArray(value) ? `[\n${value.map((one) => JSON.stringify(one)).join(',\n')}\n]` : JSON.stringify(value)
  return `${JSON.stringify(name)}: ${text}`
})
export const writeHistoryVectors = (): void => {
  writeFileSync(file, `{\n${members.join(',\n')}\n}\n`)
}
