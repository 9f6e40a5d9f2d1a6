import { generateKeyPairSync } from 'node:crypto'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { openHistory } from '../../src/history/history.ts'
import { historyKeyIn } from '../../src/history/key.ts'
import { publicHalf, signedNote } from '../../src/history/note.ts'
import { openNumberedEvents } from '../../src/history/numbered-events.ts'
import { keysIn, lastNote, lastOrigin, signedOrigin } from '../../src/history/origins.ts'
import { proveHistory } from '../../src/history/proving.ts'
import { openHistoryReads } from '../../src/history/reading.ts'
import { ownerOfAct } from '../../src/history/records.ts'
import type { RecordedEvent } from '../../src/ports/event-store.ts'
import { append, numberAll, proofOf, recordedEvents, withLog } from '../support/numbered-log.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** A site whose log was numbered and signed: the recorded events, and as many again on other streams. */
const log: readonly RecordedEvent[] = [0, 1].flatMap((round) =>
  recordedEvents.map((event) => ({
    ...event,
    stream: `${event.stream}${round === 0 ? '' : '-again'}`,
    id: round === 0 ? event.id : event.id.replace(/^./, (digit) => (digit === 'f' ? '0' : 'f')),
  })),
)
const acts = log.flatMap((event, n) => (ownerOfAct(event) === undefined ? [] : [n]))

const numbered = async (t: ExecutionContext): Promise<string> => {
  const directory = temporaryDirectory(t)
  await withLog(directory, async ({ events, history, keyFile }) => {
    await append(events, log.slice(0, 500))
    await numberAll(events, history, keyFile, 500)
  })
  // with a head in between, as every minute makes one
  await withLog(directory, async ({ events, history, keyFile }) => {
    const revisions = new Map<string, number>()
    for (const { stream, id, type, data, meta } of log) {
      const revision = revisions.get(stream) ?? -1
      revisions.set(stream, revision + 1)
      await events.append(stream, revision < 0 ? 'none' : revision, [{ id, type, data, meta }])
    }
    await numberAll(events, history, keyFile, log.length)
  })
  return directory
}

const amended = (at: number, change: (event: RecordedEvent) => Partial<RecordedEvent>): readonly RecordedEvent[] =>
  log.map((event, n) => (n === at ? { ...event, ...change(event) } : event))

const metaWith = ({ meta }: RecordedEvent, change: object): string => JSON.stringify({ ...JSON.parse(meta), ...change })

test('each careful forgery of a log is named at its number', async (t) => {
  const directory = await numbered(t)
  const honest = await proofOf(t, directory, log)
  t.deepEqual(honest, { events: log.length, entries: acts.length, findings: [] })

  const act = acts[40] as number
  const [first, second] = [acts[50] as number, acts[51] as number]
  t.not(log[first]?.stream, log[second]?.stream)
  const swapped = log.with(first, log[second] as RecordedEvent).with(second, log[first] as RecordedEvent)
  const inserted = { ...(log[act] as RecordedEvent), id: '00000000-0000-5000-8000-00000000000a', stream: 'relation-forged' }
  const forgeries: Readonly<Record<string, readonly [number, readonly RecordedEvent[]]>> = {
    'the actor changed': [act, amended(act, (event) => ({ meta: metaWith(event, { by: { account: 't2_other', as: 'moderator' } }) }))],
    'an act backdated': [act, amended(act, (event) => ({ meta: metaWith(event, { at: 1 }) }))],
    'a value changed': [act, amended(act, ({ data }) => ({ data: JSON.stringify({ ...JSON.parse(data), spam: 'maybe' }) }))],
    'the last act dropped': [acts.at(-1) as number, log.toSpliced(acts.at(-1) as number, 1)],
    'a tail of 200 cut': [log.length - 200, log.slice(0, -200)],
    'two acts swapped across streams': [first, swapped],
    'an act inserted': [act, log.toSpliced(act, 0, inserted)],
    'a vote changed': [
      log.findIndex(({ type }) => type === 'VoteCast'),
      amended(
        log.findIndex(({ type }) => type === 'VoteCast'),
        ({ data }) => ({ data: data.replace('true', 'false') }),
      ),
    ],
  }
  for (const [name, [n, forged]] of Object.entries(forgeries)) {
    const { findings } = await proofOf(t, directory, forged)
    const named = findings.filter(({ tree }) => tree.endsWith('/log')).map(({ number }) => number)
    t.is(named.toSorted((a, b) => Number(a) - Number(b))[0], n, `${name}: ${JSON.stringify(findings)}`)
  }
})

/** Do something to the file of the history as somebody who may write it would: its triggers are no obstacle. */
const tampered = async (t: ExecutionContext, directory: string, sql: string) => {
  const db = new DatabaseSync(join(directory, 'rostra.db.history'))
  db.exec(`DROP TRIGGER IF EXISTS row_is_never_updated; DROP TRIGGER IF EXISTS row_is_never_deleted; ${sql}`)
  db.close()
  return proofOf(t, directory, log)
}

test('what was changed in the history itself is named', async (t) => {
  const tile = await tampered(
    t,
    await numbered(t),
    "UPDATE row SET value = zeroblob(8192) WHERE kind = 'tile' AND tree = '1/log' AND number = 1",
  )
  t.deepEqual(
    tile.findings.map(({ number }) => number),
    [256],
  )
  const hidden = await tampered(t, await numbered(t), "DELETE FROM row WHERE kind = 'entry' AND number = 3")
  t.true(hidden.findings.length > 0)
  t.true(hidden.findings.every(({ number, problem }) => number === 3 && problem.endsWith('but the index has none')))
  const text = log.findIndex(({ type }) => type === 'CommentPosted')
  const lost = await tampered(t, await numbered(t), `DELETE FROM row WHERE kind = 'entry' AND tree = '1/log' AND number = ${text}`)
  t.deepEqual(
    lost.findings.map(({ number, problem }) => [number, problem]),
    [[text, `event ${text} is CommentPosted ${log[text]?.id}, but the index has none`]],
  )
  const unsigned = await tampered(
    t,
    await numbered(t),
    "UPDATE row SET value = zeroblob(100) WHERE kind = 'head' AND tree = '1/log' AND number = 500",
  )
  t.deepEqual(
    unsigned.findings.map(({ number }) => number),
    [500],
  )
})

/** The milestones of a log as they are stored. */
const milestonesOf = (directory: string): readonly unknown[] => {
  const db = new DatabaseSync(join(directory, 'rostra.db.history'))
  const rows = db
    .prepare("SELECT number, CAST(value AS TEXT) AS value FROM row WHERE kind = 'milestone' AND tree = '1/log' ORDER BY number")
    .all()
  db.close()
  return rows.map(({ number, value }) => [number, JSON.parse(String(value))])
}

test('milestones say where every 256th event is, are made up where a history lacks them, and are audited', async (t) => {
  const directory = await numbered(t)
  const times = log.map(({ meta }) => Number(JSON.parse(meta).at))
  const expected = log.flatMap(({ stream, revision }, n) =>
    n % 256 === 0 ? [[n / 256, { stream, revision, latest: Math.max(0, ...times.slice(0, n)) }]] : [],
  )
  t.true(expected.length > 2)
  t.deepEqual(milestonesOf(directory), expected)
  await withLog(directory, async ({ events, history }) => {
    const { size, block, firstAt } = openNumberedEvents({ events, history })
    t.is(await size(), log.length)
    for (const at of [0, 1, expected.length - 1, expected.length])
      t.deepEqual(
        (await block(at)).map(({ id }) => id),
        log.slice(at * 256, (at + 1) * 256).map(({ id }) => id),
      )
    const first = (time: number) => times.findIndex((at) => at >= time)
    for (const time of [0, times[300] ?? 0, (times[700] ?? 0) + 1, Math.max(...times)]) t.is(await firstAt(time), first(time))
    t.is(await firstAt(Math.max(...times) + 1), log.length)
  })
  const changed = "UPDATE row SET value = CAST('{}' AS BLOB) WHERE kind = 'milestone' AND number = 1"
  for (const sql of [changed, "DELETE FROM row WHERE kind = 'milestone' AND number = 1"])
    t.deepEqual(
      (await tampered(t, await numbered(t), sql)).findings.map(({ number, problem }) => [number, problem]),
      [[256, 'the milestone of event 256 leads elsewhere']],
    )

  t.deepEqual((await tampered(t, directory, "DELETE FROM row WHERE kind = 'milestone'")).findings, [])
  t.deepEqual(milestonesOf(directory), [])
  await withLog(directory, async ({ events, history, keyFile }) => {
    const stopping = new AbortController()
    const fail = (error: unknown) => t.fail(String(error))
    const ports = { events, history, keyFile, publicUrl: 'http://tea.example', clock: Date.now }
    const { duty } = await openHistory(ports, { alone: true, headIntervalMs: 1, report: fail, broken: fail })
    const working = duty(stopping.signal)
    while ((await history.list('1/log', 'milestone', 0, 9)).length < expected.length) await new Promise((resolve) => setTimeout(resolve, 2))
    stopping.abort()
    await working
  })
  t.deepEqual(milestonesOf(directory), expected)
})

test('a rebuild of a forged log does not have the heads that were signed, and says between which', async (t) => {
  const directory = await numbered(t)
  const forged = amended(600, (event) => ({ meta: metaWith(event, { at: 1 }) }))
  const rebuilt = temporaryDirectory(t)
  await cp(join(directory, 'rostra.db.history-key'), join(rebuilt, 'rostra.db.history-key'))
  await withLog(rebuilt, async ({ events, history, keyFile }) => {
    await numberAll(events, history, keyFile, 0)
    await append(events, forged)
    await numberAll(events, history, keyFile, log.length)
  })
  // tiles and states of the forged log, under the origin and the heads of the true one, which nobody can sign anew
  const db = new DatabaseSync(join(directory, 'rostra.db.history'))
  db.exec(`DROP TRIGGER row_is_never_updated; DROP TRIGGER row_is_never_deleted; ATTACH '${join(rebuilt, 'rostra.db.history')}' AS forged;
    DELETE FROM row WHERE kind = 'tile'; INSERT INTO row SELECT * FROM forged.row WHERE kind = 'tile'; DELETE FROM state; INSERT INTO state SELECT * FROM forged.state`)
  db.close()
  const { findings } = await proofOf(t, directory, forged)
  t.deepEqual(
    findings.filter(({ tree }) => tree.endsWith('/log')).map(({ number, problem }) => [number, problem.includes('signed head')]),
    [[500, true]],
  )
})

test('a log that lies behind its history, or ends with another event, is refused at the start', async (t) => {
  const directory = await numbered(t)
  const problemWith = async (put: readonly RecordedEvent[]) => {
    const other = temporaryDirectory(t)
    for (const name of ['history', 'history-key']) await cp(join(directory, `rostra.db.${name}`), join(other, `rostra.db.${name}`))
    return withLog(other, async ({ events, history, keyFile }) => {
      await append(events, put)
      const ports = { events, history, keyFile, publicUrl: 'http://tea.example', clock: Date.now }
      const fail = (error: unknown) => t.fail(String(error))
      try {
        await openHistory(ports, { alone: true, headIntervalMs: 1, report: fail, broken: fail })
        return 'none'
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    })
  }
  t.is(await problemWith(log), 'none')
  t.regex(await problemWith(log.slice(0, -1)), /lies behind its history.*new-origin/)
  t.regex(await problemWith(amended(log.length - 1, (event) => ({ meta: metaWith(event, { at: 1 }) }))), /is not the one that was numbered/)
})

/** Why the start of a site refuses a log, or why nothing is signed; `none` where it goes on. */
const refusalOf = async (directory: string): Promise<string> =>
  withLog(directory, async ({ events, history, keyFile }) => {
    try {
      await numberAll(events, history, keyFile, log.length)
      return 'none'
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  })

test('an origin or a key that somebody put into the history without the key is named, and nothing is signed under it', async (t) => {
  const directory = await numbered(t)
  const stranger = generateKeyPairSync('ed25519').privateKey
  const rows = await withLog(directory, async ({ history }) => ({
    origin: await lastOrigin(history),
    key: (await keysIn(history, 1))[0],
    head: await lastNote(history, '1/log'),
  }))
  const { origin, key, head } = rows
  if (!origin || !key) return t.fail()
  const sqlOf = (tree: string, kind: string, number: number, value: object) =>
    `INSERT OR REPLACE INTO row(tree, kind, number, value) VALUES('${tree}', '${kind}', ${number}, CAST('${JSON.stringify(value)}' AS BLOB));`
  const name = 'tea.example/history/00000000000000ff'
  const previous = { name: origin.name, checkpoint: head ?? '' }
  const own = publicHalf(stranger).toString('base64')
  const endorsement = signedNote(`key of ${origin.name}\n${key.key}\n`, origin.name, stranger)
  const begun = signedOrigin({ name, created: 1, previous }, { key: stranger })
  const forgeries: readonly (readonly [string, RegExp])[] = [
    [sqlOf('origins', 'origin', 2, begun) + sqlOf('2/keys', 'key', 0, key), /is not signed by its first key/],
    [sqlOf('origins', 'origin', 2, begun) + sqlOf('2/keys', 'key', 0, { ...key, key: own }), /key is none of those of/],
    [sqlOf('1/keys', 'key', 0, { ...key, key: own }) + sqlOf('1/keys', 'key', 1, { ...key, endorsement }), /does not know/],
    [sqlOf('1/keys', 'key', 0, { ...key, key: own }), /key is none of those of/],
  ]
  for (const [sql, problem] of forgeries) {
    const forged = temporaryDirectory(t)
    for (const file of ['', '.history', '.history-key']) await cp(join(directory, `rostra.db${file}`), join(forged, `rostra.db${file}`))
    const { findings } = await tampered(t, forged, sql)
    t.regex(findings[0]?.problem ?? 'none', problem)
    t.regex(await refusalOf(forged), problem)
  }
})

test('a history that was deleted beside its key is refused, not begun anew silently', async (t) => {
  const directory = await numbered(t)
  await rm(join(directory, 'rostra.db.history'))
  t.regex(await refusalOf(directory), /but no history: put that back.*new-origin/)
})

test('a size that was set back behind the signed heads hides no event from the audit', async (t) => {
  const none = `size = 0, value = CAST('{"next":0,"last":null,"edge":[]}' AS BLOB)`
  for (const where of ["tree = '1/log'", 'true']) {
    const { findings } = await tampered(t, await numbered(t), `UPDATE state SET ${none} WHERE ${where}`)
    t.regex(findings[0]?.problem ?? 'none', /a head of \d+ leaves is signed, but only 0 are stored/)
  }
})

test('no tile tells of events before a head does', async (t) => {
  const directory = await numbered(t)
  await tampered(t, directory, "DELETE FROM row WHERE kind = 'head' AND tree = '1/log' AND number > 500")
  t.true(log.length > 512)
  await withLog(directory, async ({ events, history }) => {
    const trees = openHistoryReads({ events, history, secret: '', texts: async () => new Map() })
    const lengthOf = async (index: number, width: number) => (await trees.tile(undefined, { level: 0, index, width }))?.length
    t.deepEqual(await Promise.all([lengthOf(0, 256), lengthOf(1, 244), lengthOf(1, 245), lengthOf(1, 256)]), [
      256 * 32,
      244 * 32,
      undefined,
      undefined,
    ])
  })
})

test('two processes number the same log: the tree is the same, and every event is in it once', async (t) => {
  const directory = temporaryDirectory(t)
  await withLog(directory, async ({ events, history, keyFile }) => {
    await append(events, log)
    await Promise.all([numberAll(events, history, keyFile, log.length), numberAll(events, history, keyFile, log.length)])
    const key = await historyKeyIn(keyFile)
    t.deepEqual(key && (await proveHistory({ events, history }, key)), { events: log.length, entries: acts.length, findings: [] })
  })
})

test('entries are numbered in the order of the log, each subsite by itself', async (t) => {
  const directory = await numbered(t)
  await withLog(directory, async ({ history }) => {
    const subsites = Map.groupBy(
      log.map((event, n) => ({ n, id: event.id, subsite: ownerOfAct(event) })).filter(({ subsite }) => subsite !== undefined),
      ({ subsite }) => subsite,
    )
    t.true(subsites.size > 0)
    for (const [subsite, entries] of subsites) {
      const rows = await history.list(`1/s/${subsite}`, 'entry', 0, 10_000)
      t.deepEqual(
        rows.map(({ number, name, value }) => ({ k: number, n: JSON.parse(Buffer.from(value).toString()).n, id: name })),
        entries.map(({ n, id }, k) => ({ k, n, id })),
      )
    }
  })
})
