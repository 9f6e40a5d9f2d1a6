import { generateKeyPairSync } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { ExecutionContext, TestFn } from 'ava'
import canonicalize from 'canonicalize'
import { copyHistory } from '../../src/history/copy-history.ts'
import { formerOrigin } from '../../src/history/former-origin.ts'
import { openHistoryReads } from '../../src/history/history-reads.ts'
import { createHistoryKey, historyKeyIn } from '../../src/history/key.ts'
import { publicHalf, signNote } from '../../src/history/note.ts'
import { openNumberedEvents } from '../../src/history/numbered-events.ts'
import { addKey, createOrigin, followKeys, keysIn, lastNote, lastOrigin, signOrigin } from '../../src/history/origins.ts'
import { problemAtEnd } from '../../src/history/problem-at-end.ts'
import { proveHistory } from '../../src/history/prove-history.ts'
import { ownerOfAct } from '../../src/history/records.ts'
import { rotateKey } from '../../src/history/rotation.ts'
import { LOG_START, type RecordedEvent } from '../../src/ports/event-store.ts'
import type { HistoryRow, HistoryStore } from '../../src/ports/history.ts'
import { append, numberAll, recordedEvents } from '../support/numbered-log.ts'
import { type Contents, type OpenStores, openedWith, proofOf, type Saved, savedOf, startKeeping } from './opened-stores.ts'

/** A site whose log was numbered and signed: the recorded events, and as many again on other streams. */
const log: readonly RecordedEvent[] = [0, 1].flatMap((round) =>
  recordedEvents.map((event) => ({
    ...event,
    stream: `${event.stream}${round === 0 ? '' : '-again'}`,
    id: round === 0 ? event.id : event.id.replace(/^./, (digit) => (digit === 'f' ? '0' : 'f')),
  })),
)
const acts = log.flatMap((event, n) => (ownerOfAct(event) === undefined ? [] : [n]))

const amendEvent = (at: number, change: (event: RecordedEvent) => Partial<RecordedEvent>): readonly RecordedEvent[] =>
  log.map((event, n) => (n === at ? { ...event, ...change(event) } : event))

const canonical = (value: object): string => canonicalize(value) ?? ''
const metaWith = ({ meta }: RecordedEvent, change: object): string => canonical({ ...JSON.parse(meta), ...change })

/** Appends the events that follow the first ones of the log. */
const appendRest = async (events: Parameters<typeof append>[0], from: number, to = log.length): Promise<void> => {
  const revisions = new Map<string, number>()
  for (const { stream } of log.slice(0, from)) revisions.set(stream, (revisions.get(stream) ?? -1) + 1)
  for (const { stream, id, type, data, meta } of log.slice(from, to)) {
    const revision = revisions.get(stream) ?? -1
    revisions.set(stream, revision + 1)
    await events.append(stream, revision < 0 ? 'none' : revision, [{ id, type, data, meta }])
  }
}

/** The history of the log, with a head in between, as every minute makes one. */
const numberLog = async (t: ExecutionContext, open: OpenStores): Promise<Saved> => {
  const opened = await openedWith(t, open, log.slice(0, 500))
  await numberAll(opened.events, opened.history, opened.keyFile, 500)
  await appendRest(opened.events, 500)
  await numberAll(opened.events, opened.history, opened.keyFile, log.length)
  return savedOf(opened)
}

const dropRows = (saved: Saved, isGone: (row: HistoryRow) => boolean): Saved => ({
  ...saved,
  rows: saved.rows.filter((row) => !isGone(row)),
})
const withValue = (saved: Saved, isChanged: (row: HistoryRow) => boolean, value: Uint8Array): Saved => ({
  ...saved,
  rows: saved.rows.map((row) => (isChanged(row) ? { ...row, value } : row)),
})
const isRow =
  (tree: string, kind: string, number: number) =>
  (row: HistoryRow): boolean =>
    row.tree === tree && row.kind === kind && row.number === number

/** The tests of forgeries on one pair of stores; not `whole`: without those that open so many stores that slow ones take minutes. */
export const forgeryCases = (test: TestFn, pair: string, open: OpenStores, whole = true): void => {
  const long = whole ? test.serial : test.serial.skip
  let made: Promise<Saved> | undefined
  const saved = (t: ExecutionContext) => {
    made ??= numberLog(t, open)
    return made
  }
  const proof = async (t: ExecutionContext, events: readonly RecordedEvent[], history: Saved) =>
    proofOf(await openedWith(t, open, events, history))
  /** Returns the reason why a process refuses these stores, or stops; `none` if it goes on. */
  const refusal = async (t: ExecutionContext, events: readonly RecordedEvent[], history: Saved): Promise<string> => {
    const opened = await openedWith(t, open, events, history)
    try {
      const keeping = await startKeeping(opened, 1)
      await keeping.signed(events.length)
      return (await keeping.stop())[0] ?? 'none'
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  const stateOf = ({ states }: Contents, tree: string) => {
    const state = states.find((one) => one.tree === tree)
    if (!state) throw new Error(`no ${tree}`)
    return { ...state, stored: JSON.parse(Buffer.from(state.value).toString()) }
  }
  const withState = (contents: Contents, tree: string, change: object, size = stateOf(contents, tree).size): Contents => {
    const value = Buffer.from(JSON.stringify({ ...stateOf(contents, tree).stored, ...change }))
    return { ...contents, states: contents.states.map((state) => (state.tree === tree ? { tree, size, value } : state)) }
  }
  const busiest = (contents: Contents) =>
    contents.states.filter(({ tree }) => tree.startsWith('1/s/')).toSorted((one, other) => other.size - one.size)[0]?.tree ?? ''

  long(`${pair}: each careful forgery of a log is named at its number`, async (t) => {
    const honest = await proof(t, log, await saved(t))
    t.deepEqual(honest, { events: log.length, entries: acts.length, unproved: 0, findings: [] })

    const act = acts[40] as number
    const [first, second] = [acts[50] as number, acts[51] as number]
    t.not(log[first]?.stream, log[second]?.stream)
    const swapped = log.with(first, log[second] as RecordedEvent).with(second, log[first] as RecordedEvent)
    const inserted = { ...(log[act] as RecordedEvent), id: '00000000-0000-5000-8000-00000000000a', stream: 'relation-forged' }
    const vote = log.findIndex(({ type }) => type === 'VoteCast')
    const forgeries: Readonly<Record<string, readonly [number, readonly RecordedEvent[]]>> = {
      'the actor changed': [act, amendEvent(act, (event) => ({ meta: metaWith(event, { by: { account: 't2_other', as: 'moderator' } }) }))],
      'an act backdated': [act, amendEvent(act, (event) => ({ meta: metaWith(event, { at: 1 }) }))],
      'a value changed': [act, amendEvent(act, ({ data }) => ({ data: canonical({ ...JSON.parse(data), spam: 'maybe' }) }))],
      'the last act dropped': [acts.at(-1) as number, log.toSpliced(acts.at(-1) as number, 1)],
      'a tail of 200 cut': [log.length - 200, log.slice(0, -200)],
      'two acts swapped across streams': [first, swapped],
      'an act inserted': [act, log.toSpliced(act, 0, inserted)],
      'a vote changed': [vote, amendEvent(vote, ({ data }) => ({ data: data.replace('true', 'false') }))],
    }
    for (const [name, [n, forged]] of Object.entries(forgeries)) {
      const { findings } = await proof(t, forged, await saved(t))
      const named = findings.filter(({ tree }) => tree.endsWith('/log')).map(({ number }) => number)
      t.is(named.toSorted((a, b) => Number(a) - Number(b))[0], n, `${name}: ${JSON.stringify(findings)}`)
    }
  })

  long(`${pair}: what was changed in the history itself is named`, async (t) => {
    const history = await saved(t)
    const found = async (changed: Saved) => (await proof(t, log, changed)).findings
    const tile = await found(withValue(history, isRow('1/log', 'tile', 1), Buffer.alloc(8192)))
    t.deepEqual(
      tile.map(({ number }) => number),
      [256],
    )
    const hidden = await found(dropRows(history, ({ kind, number }) => kind === 'entry' && number === 3))
    t.true(hidden.length > 0)
    t.true(hidden.every(({ number, problem }) => number === 3 && problem.endsWith('but the index has none')))
    const text = log.findIndex(({ type }) => type === 'CommentPosted')
    const lost = await found(dropRows(history, isRow('1/log', 'entry', text)))
    t.deepEqual(
      lost.map(({ number, problem }) => [number, problem]),
      [[text, `event ${text} is CommentPosted ${log[text]?.id}, but the index has none`]],
    )
    const plain = log.findIndex(({ type }, n) => type === 'VoteCast' && n > 100)
    const comment = history.rows.find(isRow('1/log', 'entry', text))
    const added = async (tree: string, number: number, n = number) => {
      const value = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(comment?.value ?? []).toString()), n }))
      const row: HistoryRow = { tree, kind: 'entry', number, name: log[text]?.id ?? '', value }
      return (await found({ ...history, rows: [...history.rows, row] })).map(({ number, problem }) => [number, problem])
    }
    t.deepEqual(await added('1/log', plain), [[plain, `event ${plain} has no text, but the index has ${log[text]?.id}`]])
    const subsite = busiest(history)
    const { size } = stateOf(history, subsite)
    for (const [number, n] of [
      [size, 5],
      [size + 7, 1_000_000],
    ] as const)
      t.deepEqual(await added(subsite, number, n), [
        [number, `the index has an entry ${number}, ${log[text]?.id}, but there are only ${size}`],
      ])
    const unsigned = await found(withValue(history, isRow('1/log', 'head', 500), Buffer.alloc(100)))
    t.deepEqual(
      unsigned.map(({ number }) => number),
      [500],
    )
  })

  long(`${pair}: milestones say where every 256th event is, are made up where a history lacks them, and are audited`, async (t) => {
    const milestonesOf = ({ rows }: Contents) =>
      rows
        .filter(({ tree, kind }) => tree === '1/log' && kind === 'milestone')
        .toSorted((one, other) => one.number - other.number)
        .map(({ number, value }) => [number, JSON.parse(Buffer.from(value).toString())])
    const history = await saved(t)
    const times = log.map(({ meta }) => Number(JSON.parse(meta).at))
    const expected = log.flatMap(({ stream, revision }, n) =>
      n % 256 === 0 ? [[n / 256, { stream, revision, latest: Math.max(0, ...times.slice(0, n)) }]] : [],
    )
    t.true(expected.length > 2)
    t.deepEqual(milestonesOf(history), expected)
    const stores = await openedWith(t, open, log, history)
    const { size, page, firstAt } = openNumberedEvents(stores)
    t.is(await size(), log.length)
    const walked: string[] = []
    while (walked.length < log.length) walked.push(...(await page(walked.length)).map(({ id }) => id))
    t.deepEqual(
      walked,
      log.map(({ id }) => id),
    )
    for (const n of [0, 1, 255, 256, 257, 700, log.length - 1]) {
      const found = await openNumberedEvents(stores).page(n)
      t.is(found[0]?.id, log[n]?.id)
      t.true(n + found.length <= Math.min(log.length, (Math.floor(n / 256) + 1) * 256))
    }
    t.deepEqual(await page(log.length), [])
    let read = 0
    const counted: typeof stores.events = {
      ...stores.events,
      readAll: async (...asked) => {
        const found = await stores.events.readAll(...asked)
        read += found.length
        return found
      },
    }
    const all = await stores.events.readAll(LOG_START, log.length)
    const { milestoneAt } = openNumberedEvents({ ...stores, events: counted })
    for (const n of [0, 1, 255, 256, 257, 700, log.length - 1]) t.is(await milestoneAt(all[n]?.position ?? ''), n - (n % 256), String(n))
    t.is(read, 0, 'a number is looked up without reading pages')
    const first = (time: number) => times.findIndex((at) => at >= time)
    for (const time of [0, times[300] ?? 0, (times[700] ?? 0) + 1, Math.max(...times)]) t.is(await firstAt(time), first(time))
    t.is(await firstAt(Math.max(...times) + 1), log.length)
    const isSecond = isRow('1/log', 'milestone', 1)
    for (const changed of [withValue(history, isSecond, Buffer.from('{}')), dropRows(history, isSecond)])
      t.deepEqual(
        (await proof(t, log, changed)).findings.map(({ number, problem }) => [number, problem]),
        [[256, 'the milestone of event 256 points to another event']],
      )
    const unmarked = await openedWith(
      t,
      open,
      log,
      dropRows(history, ({ kind }) => kind === 'milestone'),
    )
    t.deepEqual((await proofOf(unmarked)).findings, [])
    const keeping = await startKeeping(unmarked, 1)
    while ((await unmarked.history.list('1/log', 'milestone', 0, 9)).length < expected.length && keeping.faults.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 2))
    t.deepEqual(await keeping.stop(), [])
    t.deepEqual(milestonesOf(await unmarked.contents()), expected)
  })

  test.serial(`${pair}: a rebuild of a forged log does not have the heads that were signed, and says between which`, async (t) => {
    const history = await saved(t)
    const forged = amendEvent(600, (event) => ({ meta: metaWith(event, { at: 1 }) }))
    const rebuilding = await openedWith(t, open, [], { rows: [], states: [], key: history.key, head: undefined })
    await numberAll(rebuilding.events, rebuilding.history, rebuilding.keyFile, 0)
    await append(rebuilding.events, forged)
    await numberAll(rebuilding.events, rebuilding.history, rebuilding.keyFile, log.length)
    const { rows, states } = await savedOf(rebuilding)
    // tiles and states of the forged log, under the origin and the heads of the true one, which nobody can sign anew
    const kept = history.rows.filter(({ kind }) => kind !== 'tile')
    const { findings } = await proof(t, forged, { ...history, rows: [...kept, ...rows.filter(({ kind }) => kind === 'tile')], states })
    t.deepEqual(
      findings.filter(({ tree }) => tree.endsWith('/log')).map(({ number, problem }) => [number, problem.includes('signed head')]),
      [[500, true]],
    )
  })

  test.serial(`${pair}: a log that lies behind its history, or ends with another event, is refused at the start`, async (t) => {
    const history = await saved(t)
    t.is(await refusal(t, log, history), 'none')
    t.regex(await refusal(t, log.slice(0, -1), history), /is older than its history.*new-origin/)
    const other = amendEvent(log.length - 1, (event) => ({ meta: metaWith(event, { at: 1 }) }))
    t.regex(await refusal(t, other, history), /is not the one that was numbered/)
  })

  test.serial(`${pair}: an origin or a key that somebody put into the history is named, and nothing is signed under it`, async (t) => {
    const history = await saved(t)
    const opened = await openedWith(t, open, [], history)
    const stranger = generateKeyPairSync('ed25519').privateKey
    const origin = await lastOrigin(opened.history)
    const key = (await keysIn(opened.history, 1))[0]
    if (!origin || !key) return t.fail()
    const name = 'tea.example/history/00000000000000ff'
    const previous = { name: origin.name, checkpoint: (await lastNote(opened.history, '1/log')) ?? '' }
    const own = publicHalf(stranger).toString('base64')
    const endorsement = signNote(`key of ${origin.name}\n${key.key}\n`, origin.name, stranger)
    const begun = signOrigin({ name, created: 1, previous }, { key: stranger })
    const row = (tree: string, kind: HistoryRow['kind'], number: number, value: object): HistoryRow => ({
      tree,
      kind,
      number,
      value: Buffer.from(JSON.stringify(value)),
    })
    const { number: _, ...again } = origin
    const forgeries: readonly (readonly [readonly HistoryRow[], RegExp])[] = [
      [[row('origins', 'origin', 2, begun), row('2/keys', 'key', 0, key)], /is not signed by its first key/],
      [[row('origins', 'origin', 2, begun), row('2/keys', 'key', 0, { ...key, key: own })], /key is none of those of/],
      [[row('1/keys', 'key', 0, { ...key, key: own }), row('1/keys', 'key', 1, { ...key, endorsement })], /does not know/],
      [[row('1/keys', 'key', 0, { ...key, key: own })], /key is none of those of/],
      // one that was signed, put after itself, under which everything would be signed anew
      [[row('origins', 'origin', 2, again), row('2/keys', 'key', 0, key)], /does not follow the origin before it/],
    ]
    for (const [forged, problem] of forgeries) {
      const others = dropRows(history, ({ tree, kind, number }) => forged.some((one) => isRow(tree, kind, number)(one)))
      const changed = { ...others, rows: [...others.rows, ...forged] }
      t.regex((await proof(t, log, changed)).findings[0]?.problem ?? 'none', problem)
      t.regex(await refusal(t, log, changed), problem)
    }
  })

  long(
    `${pair}: a new origin names what the key proves of the one before it, whatever was put there, and else that nothing does`,
    async (t) => {
      const opened = await openedWith(t, open, log.slice(0, 500))
      await numberAll(opened.events, opened.history, opened.keyFile, 500)
      const early = await savedOf(opened)
      await appendRest(opened.events, 500)
      await numberAll(opened.events, opened.history, opened.keyFile, log.length)
      const late = await savedOf(opened)
      const name = (await lastOrigin(opened.history))?.name ?? ''
      const noteOf = ({ rows }: Contents) => Buffer.from(rows.findLast(isRow('1/log', 'head', log.length))?.value ?? []).toString()
      const note = noteOf(late)
      t.true(note.startsWith(`${name}/log\n${log.length}\n`))
      const { privateKey: stranger } = generateKeyPairSync('ed25519')
      const row = (tree: string, kind: HistoryRow['kind'], number: number, text: string) => ({
        tree,
        kind,
        number,
        value: Buffer.from(text),
      })
      const foreign = signOrigin({ name: 'tea.example/history/00000000000000ff', created: 9e12, previous: null }, { key: stranger })
      const evil = [
        row('1/log', 'head', 1_000_000, note.replace(`\n${log.length}\n`, '\n1000000\n')),
        row('origins', 'origin', 7, JSON.stringify(foreign)),
        row('7/keys', 'key', 0, JSON.stringify({ key: publicHalf(stranger).toString('base64'), since: 1, endorsement: null })),
        row('7/log', 'head', 3, 'x'),
      ]
      const isHead = ({ tree, kind }: HistoryRow) => tree === '1/log' && kind === 'head'
      const cases: Readonly<Record<string, readonly [Saved, object | null]>> = {
        'as it was': [late, { name, checkpoint: note }],
        'with a head and an origin that somebody put there': [
          { ...late, rows: [...late.rows, ...evil] },
          { name, checkpoint: note },
        ],
        'without the file of the last head': [
          { ...late, head: undefined },
          { name, checkpoint: note },
        ],
        'put back': [
          { ...early, head: late.head },
          { name, checkpoint: note },
        ],
        'lost, but not the file of the last head': [
          { ...late, rows: [], states: [] },
          { name, checkpoint: note },
        ],
        'lost whole': [{ ...late, rows: [], states: [], head: undefined }, null],
        'without any head': [
          { ...dropRows(late, isHead), head: undefined },
          { name, checkpoint: '', unproved: true },
        ],
        'without its key': [
          { ...late, key: undefined },
          { name, checkpoint: note, unproved: true },
        ],
        'without its key and heads': [
          { ...dropRows(late, isHead), key: undefined },
          { name, checkpoint: '', unproved: true },
        ],
      }
      for (const [what, [saved, expected]] of Object.entries(cases)) {
        const stores = await openedWith(t, open, log, saved)
        await createHistoryKey(stores.keyFile)
        const key = await historyKeyIn(stores.keyFile)
        if (!key) return t.fail()
        const { previous } = await formerOrigin(stores, key)
        t.deepEqual<object | null, object | null>(previous, expected, what)
        const number = ((await lastOrigin(stores.history))?.number ?? 0) + 1
        await createOrigin(stores.history, key, { number, previous, publicUrl: stores.publicUrl, at: Date.now() })
        await rm(stores.headFile, { force: true })
        t.is((await problemAtEnd(stores, key)) ?? 'none', 'none', what)
        const [now, before, ...others] = await openHistoryReads({ ...stores, secret: '', texts: async () => new Map() }).origins()
        t.deepEqual([now?.number, before?.name ?? name, others], [number, name, []], 'no row is read that no origin names')
      }
    },
  )

  test.serial(`${pair}: an origin that was ended and is put after its successor is not named as the last one`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    const { events, history, keyFile, headFile, publicUrl } = opened
    await numberAll(events, history, keyFile, 500)
    const { rows } = await opened.contents()
    const key = await historyKeyIn(keyFile)
    if (!key) return t.fail()
    const { previous, since } = await formerOrigin(opened, key)
    await createOrigin(history, key, { number: 2, previous, publicUrl, at: since + 1 })
    await rm(headFile)
    await numberAll(events, history, keyFile, 500)
    const [second, note] = [await lastOrigin(history), await lastNote(history, '2/log')]
    const again = rows.flatMap((row) => {
      if (row.kind === 'origin') return [{ ...row, number: 3 }]
      return row.tree.startsWith('1/') ? [{ ...row, tree: row.tree.replace('1/', '3/') }] : []
    })
    await history.add(again)
    t.regex((await problemAtEnd(opened, key)) ?? '', /does not follow the origin before it/)
    t.deepEqual((await formerOrigin(opened, key)).previous, { name: second?.name ?? '', checkpoint: note ?? '' })
    await rm(headFile)
    t.deepEqual(await formerOrigin(opened, key), {
      previous: { name: second?.name ?? '', checkpoint: note ?? '' },
      since: second?.created ?? 0,
    })
  })

  test.serial(`${pair}: no origin is begun after one that somebody put at the last number`, async (t) => {
    const { key: text } = await saved(t)
    const opened = await openedWith(t, open, log.slice(0, 10), { rows: [], states: [], head: undefined, key: text })
    const key = await historyKeyIn(opened.keyFile)
    if (!key) return t.fail()
    const begin = (number: number) =>
      createOrigin(opened.history, key, { number, previous: null, publicUrl: opened.publicUrl, at: Date.now() })
    await begin(Number.MAX_SAFE_INTEGER)
    await t.throwsAsync(begin(Number.MAX_SAFE_INTEGER + 1), { message: /origin 9007199254740991 .* delete it/ })
  })

  test.serial(`${pair}: a start while another process signs a larger head is no fault`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    await numberAll(opened.events, opened.history, opened.keyFile, 500)
    await appendRest(opened.events, 500)
    let isSigned = false
    const signed = async () => {
      if (!isSigned) {
        isSigned = true
        await numberAll(opened.events, opened.history, opened.keyFile, log.length)
      }
    }
    const key = await historyKeyIn(opened.keyFile)
    // the other process signs as soon as one of them was read: the state of the log, or its last head
    const history: HistoryStore = {
      ...opened.history,
      state: async (tree) => {
        const found = await opened.history.state(tree)
        await signed()
        return found
      },
      list: async (tree, kind, ...rest) => {
        const found = await opened.history.list(tree, kind, ...rest)
        if (kind === 'head') await signed()
        return found
      },
    }
    t.is(key && (await problemAtEnd({ events: opened.events, history }, key)), undefined)
    t.true(isSigned)
  })

  test.serial(`${pair}: a history that was deleted beside its key is refused, not begun anew silently`, async (t) => {
    const { key, head } = await saved(t)
    t.regex(await refusal(t, log, { rows: [], states: [], key, head }), /but no history: restore it.*new-origin/)
  })

  test.serial(`${pair}: a size that was set back behind the signed heads hides no event from the audit`, async (t) => {
    const history = await saved(t)
    const value = Buffer.from('{"next":0,"last":null,"edge":[]}')
    for (const isSetBack of [(tree: string) => tree === '1/log', () => true]) {
      const states = history.states.map((state) => (isSetBack(state.tree) ? { tree: state.tree, size: 0, value } : state))
      const { findings } = await proof(t, log, { ...history, states })
      t.regex(findings[0]?.problem ?? 'none', /a head of \d+ leaves is signed, but only 0 are stored/)
    }
  })

  test.serial(`${pair}: no tile tells of events before a head does`, async (t) => {
    const history = dropRows(await saved(t), ({ tree, kind, number }) => tree === '1/log' && kind === 'head' && number > 500)
    t.true(log.length > 512)
    const opened = await openedWith(t, open, log, history)
    const trees = openHistoryReads({ ...opened, secret: '', texts: async () => new Map() })
    const lengthOf = async (index: number, width: number) => (await trees.tile(undefined, { level: 0, index, width }))?.length
    t.deepEqual(await Promise.all([lengthOf(0, 256), lengthOf(1, 244), lengthOf(1, 245), lengthOf(1, 256)]), [
      256 * 32,
      244 * 32,
      undefined,
      undefined,
    ])
  })

  test.serial(`${pair}: two processes number the same log: the tree is the same, and every event is in it once`, async (t) => {
    const opened = await openedWith(t, open, log)
    const { events, history, keyFile } = opened
    await Promise.all([numberAll(events, history, keyFile, log.length), numberAll(events, history, keyFile, log.length)])
    t.deepEqual(await proofOf(opened), { events: log.length, entries: acts.length, unproved: 0, findings: [] })
  })

  test.serial(`${pair}: what was appended before a stop is numbered and signed by then`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 20))
    const keeping = await startKeeping(opened)
    await keeping.numbered(20)
    await appendRest(opened.events, 20, 40)
    t.deepEqual(await keeping.stop(), [])
    const { events, unproved, findings } = await proofOf(opened)
    t.deepEqual({ events, unproved, findings }, { events: 40, unproved: 0, findings: [] })
  })

  test.serial(`${pair}: entries are numbered in the order of the log, each subsite by itself`, async (t) => {
    const { rows } = await saved(t)
    const subsites = Map.groupBy(
      log.map((event, n) => ({ n, id: event.id, subsite: ownerOfAct(event) })).filter(({ subsite }) => subsite !== undefined),
      ({ subsite }) => subsite,
    )
    t.true(subsites.size > 0)
    for (const [subsite, entries] of subsites) {
      const own = rows
        .filter(({ tree, kind }) => tree === `1/s/${subsite}` && kind === 'entry')
        .toSorted((one, other) => one.number - other.number)
      t.deepEqual(
        own.map(({ number, name, value }) => ({ k: number, n: JSON.parse(Buffer.from(value).toString()).n, id: name })),
        entries.map(({ n, id }, k) => ({ k, n, id })),
      )
    }
  })

  const heads = ({ rows }: Contents, of?: string) => rows.filter(({ kind, tree }) => kind === 'head' && tree === (of ?? tree)).length

  test.serial(`${pair}: a root that somebody else put into the state of a tree is not signed`, async (t) => {
    for (const owner of ['log', 'subsite']) {
      const opened = await openedWith(t, open, log.slice(0, 500))
      const keeping = await startKeeping(opened)
      await keeping.signed(500)
      const before = await opened.contents()
      const tree = owner === 'log' ? '1/log' : busiest(before)
      const edge = stateOf(before, tree).stored.edge.map((tile: string) =>
        Buffer.alloc(Buffer.from(tile, 'base64').length, 7).toString('base64'),
      )
      await opened.replace(withState(before, tree, { edge }))
      await appendRest(opened.events, 500)
      await keeping.numbered(log.length)
      t.regex((await keeping.stop())[0] ?? 'none', /differ from those that the log makes.*new-origin/)
      t.true(keeping.stopped() !== undefined)
      const after = await opened.contents()
      t.false(after.rows.some((row) => row.kind === 'head' && row.tree === tree && Buffer.from(row.value).includes(edge[0] as string)))
      t.is(after.rows.filter(({ kind, tree: of }) => kind === 'head' && of === '1/log').length, 1)
    }
  })

  long(`${pair}: hashes that somebody adds to the edge of a tree or takes from it never become leaves`, async (t) => {
    const early = await (async () => {
      const opened = await openedWith(t, open, log.slice(0, 500))
      await numberAll(opened.events, opened.history, opened.keyFile, 500)
      return savedOf(opened)
    })()
    const changes: Readonly<Record<string, (edge: readonly string[]) => readonly string[]>> = {
      'a leaf more': ([leaves = '', ...above]) => [
        Buffer.concat([Buffer.from(leaves, 'base64'), Buffer.alloc(32, 7)]).toString('base64'),
        ...above,
      ],
      'a leaf less': ([leaves = '', ...above]) => [Buffer.from(leaves, 'base64').subarray(0, -32).toString('base64'), ...above],
      'a level more': (edge) => [...edge, ...Array(3 - edge.length).fill(''), Buffer.alloc(32, 7).toString('base64')],
    }
    for (const [name, change] of Object.entries(changes))
      for (const tree of ['1/log', busiest(early)]) {
        const forged = { ...early, ...withState(early, tree, { edge: change(stateOf(early, tree).stored.edge) }) }
        t.regex(await refusal(t, log, forged), /cannot be read|has another root|differ from those/, `${name} of ${tree} at the start`)
        const opened = await openedWith(t, open, log.slice(0, 500), early)
        const keeping = await startKeeping(opened, 1)
        await keeping.signed(500)
        await opened.replace({ ...early, ...forged })
        await appendRest(opened.events, 500)
        await keeping.signed(log.length)
        t.regex((await keeping.stop())[0] ?? 'none', /cannot be read|is not what/, `${name} of ${tree} while it runs`)
        t.is(heads(await opened.contents(), tree), heads(early, tree))
      }
  })

  test.serial(`${pair}: the state of a tree does not say whose it is, or how large: nothing is signed under a name in it`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    const keeping = await startKeeping(opened)
    await keeping.signed(500)
    await appendRest(opened.events, 500)
    await keeping.numbered(log.length)
    const before = await opened.contents()
    // C2SP verifiers would take this for a head of the whole log, with three further lines
    const name = `1/log\n999999\n${Buffer.alloc(32, 7).toString('base64')}\nfurther`
    await opened.replace(withState(before, busiest(before), { name }))
    await keeping.stop()
    const signed = (await opened.contents()).rows.filter(({ kind }) => kind === 'head')
    t.deepEqual(
      signed.filter(({ tree }) => tree.includes('\n')).map(({ value }) => Buffer.from(value).toString()),
      [],
    )
    t.true(signed.some(({ tree, number }) => tree === '1/log' && number === log.length))
  })

  test.serial(`${pair}: a row that cannot be read does not end the proof at the start unnoticed`, async (t) => {
    const history = await saved(t)
    const tree = busiest(history)
    const forged = amendEvent(acts[40] as number, (event) => ({ meta: metaWith(event, { at: 1 }) }))
    const unreadable = withValue(history, isRow(tree, 'entry', 0), Buffer.from('?'))
    const keeping = await startKeeping(await openedWith(t, open, forged, unreadable))
    while (keeping.faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    t.regex((await keeping.stop())[0] ?? 'none', /new-origin\. If not, it was changed$/)
  })

  test.serial(`${pair}: a tree of a subsite that is put back, alone, is never signed on`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    await numberAll(opened.events, opened.history, opened.keyFile, 500)
    const early = await savedOf(opened)
    const tree = busiest(early)
    const keeping = await startKeeping(opened, 1)
    await appendRest(opened.events, 500, log.length - 60)
    await keeping.signed(log.length - 60)
    const late = await savedOf(opened)
    t.true(stateOf(late, tree).size > stateOf(early, tree).size)
    const back: Saved = {
      ...late,
      rows: [...late.rows.filter((row) => row.tree !== tree), ...early.rows.filter((row) => row.tree === tree)],
      states: [...late.states.filter((state) => state.tree !== tree), ...early.states.filter((state) => state.tree === tree)],
    }
    t.regex(await refusal(t, log, back), /moderation logs is not what was signed/)
    await opened.replace(back)
    await appendRest(opened.events, log.length - 60)
    await keeping.numbered(log.length)
    // The proof at the start may find it before the next numbering does.
    t.regex((await keeping.stop())[0] ?? 'none', /has shrunk from \d+ to \d+ leaves|has an entry \d+, \S+, but there are only \d+/)
    t.is(heads(await opened.contents(), tree), heads(back, tree))
  })

  test.serial(`${pair}: log and history that are put back together are refused, unless a new origin is begun`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    await numberAll(opened.events, opened.history, opened.keyFile, 500)
    const early = await savedOf(opened)
    await appendRest(opened.events, 500)
    await numberAll(opened.events, opened.history, opened.keyFile, log.length)
    const { head } = await savedOf(opened)
    const behind = /^the history has 500 events, but a head of \d+ was signed.*npx rostra history new-origin/
    t.regex(await refusal(t, log.slice(0, 500), { ...early, head }), behind)
    const forked = amendEvent(600, (event) => ({ meta: metaWith(event, { at: 1 }) }))
    t.regex(await refusal(t, forked, { ...early, head }), behind)
    // the file of an earlier head is no hindrance
    t.is(await refusal(t, log, { ...(await savedOf(opened)), head: early.head }), 'none')
    // while the process runs
    const keeping = await startKeeping(opened, 1)
    await opened.replace(early)
    await new Promise((resolve) => setTimeout(resolve, 50))
    t.is(heads(await opened.contents()), heads(early))
    await keeping.stop()
    t.is(heads(await opened.contents()), heads(early))
    // the head is of another history
    await rm(opened.headFile)
    const other = (await savedOf(await openedWith(t, open, [], early))).head?.replace(/[0-9a-f]{16}\n/, '0123456789abcdef\n')
    t.regex(await refusal(t, log, { ...early, head: other }), /but the history has no such origin/)
  })

  test.serial(`${pair}: what is numbered after the last head is made anew from the log before it is signed`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    await numberAll(opened.events, opened.history, opened.keyFile, 500)
    const early = await savedOf(opened)
    await appendRest(opened.events, 500)
    await numberAll(opened.events, opened.history, opened.keyFile, log.length)
    const all = await opened.contents()
    // as if it had been killed after all was numbered, before anything of it was signed
    const rows = all.rows.filter(({ tree, kind, number }) => kind !== 'head' || early.rows.some(isRow(tree, kind, number)))
    const crashed = { ...early, ...withState({ ...all, rows }, '1/log', { signed: stateOf(early, '1/log').stored.signed }) }
    t.is(await refusal(t, log, crashed), 'none')
    const act = acts.find((n) => n > 600) as number
    for (const n of [act, act + 1]) {
      const forged = amendEvent(n, (event) => ({ meta: metaWith(event, { at: 1 }) }))
      t.regex(await refusal(t, forged, crashed), /differ from those that the log makes|another row tile/)
    }
  })

  test.serial(`${pair}: the largest log of which a replaced key signs heads is counted, not taken from the stores`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    const { events, history, keyFile } = opened
    await numberAll(events, history, keyFile, 500)
    await appendRest(events, 500)
    const before = await savedOf(opened)
    const rotated = async () => {
      const old = await historyKeyIn(keyFile)
      if (old) await rotateKey(opened, keyFile, old, Date.now())
    }
    const edge = ['', '', '', '', '', Buffer.alloc(32, 7).toString('base64')]
    for (const size of [500 + 1, 2 ** 40]) {
      await opened.replace(withState(before, '1/log', size > log.length ? { edge } : {}, size))
      await t.throwsAsync(rotated, { message: /cannot be read|is missing/ })
      t.is((await keysIn(history, 1)).length, 1)
      t.is((await savedOf(opened)).key, before.key)
    }
    await opened.replace(before)
    const origin = await lastOrigin(history)
    const key = await historyKeyIn(keyFile)
    if (!origin || !key) return t.fail()
    for (const until of [1e21, 10 ** 15, 1.5, -1])
      await t.throwsAsync(addKey(history, origin, { old: key, next: key, at: 1, until }), { message: /is not a valid size/ })
    await rotated()
    const keys = followKeys(origin, await keysIn(history, 1))
    t.deepEqual(typeof keys === 'string' ? keys : keys.map(({ until }) => until), [log.length + 1_000, Number.POSITIVE_INFINITY])
    await numberAll(events, history, keyFile, log.length)
    t.deepEqual((await proofOf(opened)).findings, [])
  })

  test.serial(`${pair}: a head that somebody deleted is missed by the proof, and signed again at the next start`, async (t) => {
    const whole = await saved(t)
    const tree = busiest(whole)
    const isHead = (row: HistoryRow) => row.tree === tree && row.kind === 'head'
    const last = whole.rows.filter(isHead).toSorted((one, other) => other.number - one.number)[0]
    if (!last) return t.fail()
    const opened = await openedWith(t, open, log, dropRows(whole, isRow(tree, 'head', last.number)))
    const { findings } = await proofOf(opened)
    t.deepEqual(
      findings.map(({ problem }) => / of the (\d+) entries that were signed: one was deleted/.exec(problem)?.[1]),
      [String(last.number)],
    )
    const keeping = await startKeeping(opened, 1)
    while ((await opened.history.get(tree, 'head', [last.number])).size === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    t.deepEqual(await keeping.stop(), [])
    const again = (await opened.history.get(tree, 'head', [last.number])).get(last.number)
    t.deepEqual(again && Buffer.from(again.value), Buffer.from(last.value), 'byte for byte')
    t.deepEqual((await proofOf(opened)).findings, [])
  })

  test.serial(
    `${pair}: a head of the whole log that somebody deleted is missed by the proof, and signed again at the next start`,
    async (t) => {
      const opened = await openedWith(t, open, log, dropRows(await saved(t), isRow('1/log', 'head', log.length)))
      t.deepEqual(
        (await proofOf(opened)).findings.map(({ number, problem }) => [number, problem.split(':')[0]]),
        [[500, `heads cover 500 of the ${log.length} events that were signed`]],
      )
      const keeping = await startKeeping(opened, 1)
      await keeping.signed(log.length)
      t.deepEqual(await keeping.stop(), [])
      t.deepEqual((await proofOf(opened)).findings, [])
    },
  )

  test.serial(
    `${pair}: an origin of which nothing is signed any more is a history that is missing, unless it has just begun`,
    async (t) => {
      const history = await saved(t)
      const isBegun = ({ kind }: HistoryRow) => kind === 'origin' || kind === 'key'
      const emptied = { ...dropRows(history, (row) => !isBegun(row)), states: [], head: undefined }
      const opened = await openedWith(t, open, log, emptied)
      const key = await historyKeyIn(opened.keyFile)
      if (!key) return t.fail()
      const problems = async (events: typeof opened.events) =>
        (await proveHistory({ ...opened, events }, key, { countsUnnumbered: true })).findings.map(({ problem }) => problem.split(':')[0])
      t.deepEqual(await problems(opened.events), [], 'the events are from before the origin')
      const later = Date.now() + 3_600_000
      const readAll: typeof opened.events.readAll = async (...asked) =>
        (await opened.events.readAll(...asked)).map((event) => ({ ...event, meta: metaWith(event, { at: later }) }))
      t.deepEqual(await problems({ ...opened.events, readAll }), ['the history is missing'])
    },
  )

  test.serial(`${pair}: a running process proves its log again and again, and an event that is changed meanwhile is found`, async (t) => {
    // three proofs, each with a read for every act
    t.timeout(10 * 60_000)
    const opened = await openedWith(t, open, log, await saved(t))
    let isChanged = false
    const changed = (event: RecordedEvent) => (isChanged && event.id === log[600]?.id ? { meta: metaWith(event, { at: 1 }) } : {})
    const readAll: typeof opened.events.readAll = async (...asked) =>
      (await opened.events.readAll(...asked)).map((event) => ({ ...event, ...changed(event) }))
    const keeping = await startKeeping({ ...opened, events: { ...opened.events, readAll } }, 3_600_000, (now) => now)
    const provedAfter = async (at: number) => {
      while ((keeping.proved()?.at ?? 0) <= at && keeping.faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
      return keeping.proved()
    }
    const first = await provedAfter(0)
    t.like(first, { events: log.length, entries: acts.length })
    t.like(await provedAfter(first?.at ?? 0), { events: log.length, entries: acts.length })
    isChanged = true
    while (keeping.faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    t.regex((await keeping.stop())[0] ?? 'none', /\/log: leaf 600, .* is not the one that was numbered\. If the log was put back/)
  })

  test.serial(`${pair}: an event that the log gives once more at a later position is not numbered again`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    await numberAll(opened.events, opened.history, opened.keyFile, 500)
    for (const again of [log[499], log.slice(0, 500).findLast((event) => ownerOfAct(event) !== undefined)]) {
      if (!again) return t.fail()
      const position = '9'.repeat(20)
      const [stored] = (await opened.events.read(again.stream, again.revision, 1)).events
      const events: typeof opened.events = {
        ...opened.events,
        readAll: async (after, limit) => {
          const page = await opened.events.readAll(after, limit)
          return page.length > 0 || after >= position || !stored ? page : [{ ...stored, position }]
        },
      }
      const keeping = await startKeeping({ ...opened, events }, 1)
      while (keeping.stopped() === undefined) await new Promise((resolve) => setTimeout(resolve, 2))
      t.regex(keeping.stopped()?.message ?? '', new RegExp(`event 500, ${again.type} ${again.id}, has a number already`))
      await keeping.stop()
      t.is((await opened.history.state('1/log'))?.size, 500)
    }
  })

  test.serial(`${pair}: a stored size that the log has no events for stops the history, loudly and once`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    await numberAll(opened.events, opened.history, opened.keyFile, 500)
    const before = await opened.contents()
    // a leaf more than there are, as the same leaf twice: nothing that can be told from the end of the log
    const [leaves = '', ...above] = stateOf(before, '1/log').stored.edge as readonly string[]
    const bytes = Buffer.from(leaves, 'base64')
    const edge = [Buffer.concat([bytes, bytes.subarray(-32)]).toString('base64'), ...above]
    await opened.replace(withState(before, '1/log', { edge }, 501))
    const keeping = await startKeeping(opened, 1)
    while (keeping.stopped() === undefined) await new Promise((resolve) => setTimeout(resolve, 2))
    const faults = (await keeping.stop()).filter((fault) => fault.includes('501 leaves in the store, but the log has only 500'))
    t.is(faults.length, 1)
    t.regex(faults[0] ?? '', /new-origin/)
  })

  long(`${pair}: a history that is copied while it grows goes on in another store, beside the same log`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    const { events, history, keyFile } = opened
    await numberAll(events, history, keyFile, 500)
    let hasGrown = false
    const from: HistoryStore = {
      ...history,
      states: async (...asked) => {
        const found = await history.states(...asked)
        if (!hasGrown) {
          hasGrown = true
          await appendRest(events, 500)
          await numberAll(events, history, keyFile, log.length)
        }
        return found
      },
    }
    const other = await openedWith(t, open, log, { rows: [], states: [], key: (await savedOf(opened)).key, head: undefined })
    await copyHistory(from, other.history)
    t.true(hasGrown)
    t.deepEqual(
      (await other.contents()).rows.flatMap(({ tree, kind, number }) => (kind === 'head' && tree === '1/log' ? [number] : [])),
      [500],
    )
    t.like(await proofOf(other), { events: 500, findings: [] })
    await numberAll(other.events, other.history, other.keyFile, log.length)
    t.like(await proofOf(other), { events: log.length, entries: acts.length, findings: [] })
    t.is(await lastNote(other.history, '1/log'), await lastNote(history, '1/log'))
  })

  test.serial(`${pair}: acts are numbered whatever the state of a tree says of the next one`, async (t) => {
    const opened = await openedWith(t, open, log.slice(0, 500))
    await numberAll(opened.events, opened.history, opened.keyFile, 500)
    const before = await opened.contents()
    await opened.replace(withState(before, busiest(before), { next: 1_000_000 }))
    await appendRest(opened.events, 500)
    await numberAll(opened.events, opened.history, opened.keyFile, log.length)
    t.deepEqual(await proofOf(opened), { events: log.length, entries: acts.length, unproved: 0, findings: [] })
  })
}
