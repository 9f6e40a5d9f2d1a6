import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { localStores } from '../../src/adapters/sqlite/local-stores.ts'
import type { Request, ThreadAnswer } from '../../src/adapters/sqlite/protocol.ts'
import { openWriter, WRITING_MARK } from '../../src/adapters/sqlite/schema.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { runTasks } from '../../src/adapters/sqlite/tasks.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { FULL } from '../support/full.ts'
import { event, faultOf, fileIn, readWholeLog } from '../support/log-file.ts'
import { counters } from '../support/sqlite-projectors.ts'
import { streamOf } from '../support/stream-of.ts'

const program = (t: ExecutionContext, ...args: readonly string[]): ChildProcess => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support/sqlite-writer.ts'), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

const firstLine = async ({ stdout }: ChildProcess): Promise<string> => {
  if (!stdout) throw new Error('nothing to read')
  const [line] = await once(stdout, 'data')
  return String(line).trim()
}

test.serial('a second process on the same file is refused with one line until the first ends, in whatever way', async (t) => {
  const file = fileIn(t)
  const owner = program(t, file, `${file}-notes`, '1', '1')
  t.is(await firstLine(owner), 'ready')
  // the shortest of some tries counts, since the machine may be busy with something else
  const times: number[] = []
  while (times.length < 5 && !((times.at(-1) ?? 4_000) < 4_000)) {
    const started = performance.now()
    const fault = await faultOf(t, openSqlite({ file }))
    times.push(performance.now() - started)
    t.is(fault.kind, 'in-use')
    t.is(fault.message, `${file} is in use by another server; stop that one first`)
  }
  t.true(Math.min(...times) < 4_000, 'it does not wait for the file')
  const second = program(t, file, `${file}-notes`, '2', '1')
  t.regex(await firstLine(second), /^in-use: /)
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  const stores = await openSqlite({ file })
  await stores.close()
})

type Noted = { readonly stream: string; readonly ids: readonly string[]; readonly revision: number; readonly position: string }

/** A note that a kill cut off was not made. */
const notesIn = (text: string): readonly Noted[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line)]
    } catch {
      return []
    }
  })

/**
 * The read model of a file that nobody has opened since its process was killed, and what it must be: each document as of its own position,
 * which is that of its last event up to the checkpoint, or, where documents were being written, a newer one up to their mark.
 */
const countersIn = (file: string) => {
  const db = new DatabaseSync(file)
  try {
    const at = (name: string) => Number(db.prepare('SELECT position FROM checkpoint WHERE name = ?').get(name)?.position ?? 0)
    const position = at('counters')
    const mark = at(WRITING_MARK)
    const counted = db.prepare('SELECT stream AS id, max(pos) AS pos FROM event WHERE pos <= ? GROUP BY stream').all(position)
    const stored = db.prepare('SELECT id, pos, f_events AS n FROM counters_v1 ORDER BY id').all()
    const upTo = db.prepare('SELECT count(*) AS n FROM event WHERE stream = ? AND pos <= ?')
    const last = new Map(stored.map(({ id, pos }) => [id, Number(pos)]))
    return {
      stored: stored.map(({ id, n }) => ({ id, n })),
      counted: stored.map(({ id, pos }) => ({ id, n: upTo.get(String(id), Number(pos))?.n })),
      behind: counted.filter(({ id, pos }) => (last.get(id) ?? 0) < Number(pos)),
      beyond: stored.filter(({ pos }) => Number(pos) > Math.max(position, mark)),
      isWriting: mark > position,
      newer: Number(db.prepare('SELECT count(*) AS n FROM event WHERE pos > ?').get(position)?.n),
    }
  } finally {
    db.close()
  }
}

const KILLS = FULL ? 100 : 10

test.serial(
  'kill -9 under load loses no acknowledged append, duplicates nothing and splits no batch, and read models follow',
  async (t) => {
    t.timeout(600_000)
    const file = fileIn(t)
    const notes = `${file}-notes`
    const seed = Date.now() % 100_000
    t.log(`seed ${seed}`)
    let lost = 0
    let writing = 0
    for (let round = 0; round < KILLS; round++) {
      const child = program(t, file, notes, String(seed + round), '12')
      t.is(await firstLine(child), 'ready')
      await pause(20 + ((seed * (round + 1)) % 130))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const { stored, counted, behind, beyond, isWriting, newer } = countersIn(file)
      t.deepEqual(stored, counted, 'each document is as of its own position')
      t.deepEqual([behind, beyond], [[], []])
      lost += newer
      writing += Number(isWriting)
    }
    t.log(`${lost} events were recorded and not yet in the read model; ${writing} kills while documents were being written`)
    const stores = await openSqlite({ file, projector: new URL('../support/sqlite-projectors.ts', import.meta.url) })
    t.teardown(stores.close)
    const all = await readWholeLog(stores.events)
    const acknowledged = notesIn(readFileSync(notes, 'utf8'))
    t.true(acknowledged.length > KILLS, `${acknowledged.length} acknowledged`)
    const byId = new Map(all.map((one) => [one.id, one]))
    t.is(byId.size, all.length, 'no id twice')
    for (const { stream, ids, revision, position } of acknowledged) {
      const there = ids.map((id) => byId.get(id))
      t.true(there.every((one) => one?.stream === stream))
      t.is(there.at(-1)?.revision, revision)
      t.is(there.at(-1)?.position, position)
    }
    const batches = Map.groupBy(all, ({ id }) => id.split('-').slice(0, 3).join('-'))
    for (const [batch, events] of batches) t.is(events.length, Number(JSON.parse(events[0]?.data ?? '{}').of), `batch ${batch} is whole`)
    for (const events of Map.groupBy(all, ({ stream }) => stream).values())
      t.deepEqual(
        events.map(({ revision }) => revision),
        events.map((_, i) => i),
      )
    t.deepEqual(stores.integrity(), [])
    await stores.documents.prepare([counters])
    const rebuilt = await stores.documents.find(counters, { where: {}, order: ['-events', 'id'], page: { limit: 2_000 } })
    const sizes = [...Map.groupBy(all, ({ stream }) => stream)].map(([id, events]) => ({ id, events: events.length }))
    t.deepEqual(
      rebuilt.map(({ id, events }) => ({ id, events })),
      sizes.toSorted((a, b) => b.events - a.events || (a.id < b.id ? -1 : 1)),
    )
  },
)

test('a full disk refuses appends, leaves none half-written and recovers when there is space', async (t) => {
  const connection = openWriter(fileIn(t))
  t.teardown(connection.close)
  const local = localStores(connection)
  const { events, vault } = local.ports
  await events.append('before-1', 'none', [event('a')])
  const pages = Number(connection.db.prepare('PRAGMA page_count').get()?.page_count)
  connection.db.exec(`PRAGMA max_page_count = ${pages + 30}`)

  let written = 0
  const fill = async (): Promise<void> => {
    for (; ; written++) await events.append(`fill-${written}`, 'none', [event(`f${written}-0`, 9_000), event(`f${written}-1`, 9_000)])
  }
  t.is((await faultOf(t, fill())).kind, 'full')
  t.true(written > 0)
  t.false(connection.db.isTransaction)
  t.deepEqual(await streamOf(events, `fill-${written}`, 0), [])
  t.is((await readWholeLog(events)).length, 1 + 2 * written)
  t.is((await faultOf(t, vault.put('credentials', 'x', { value: 'x'.repeat(200_000) }))).kind, 'full')

  const requests = Array.from(
    { length: 8 },
    (_, call): Request => ({
      call,
      task: { task: 'append', append: { stream: `group-${call}`, expected: 'none', events: [event(`g${call}`, 30_000)] } },
    }),
  )
  const answers: ThreadAnswer[] = []
  runTasks(
    connection,
    local,
    requests,
    (some) => answers.push(...some),
    () => t.fail('nothing is to be flushed'),
  )
  const failed = answers.filter((answer) => 'failure' in answer)
  t.true(failed.length > 0)
  t.true(failed.every(({ failure }) => failure.kind === 'full'))
  for (const answer of answers) t.is((await streamOf(events, `group-${answer.call}`, 0)).length, 'failure' in answer ? 0 : 1)

  connection.db.exec('PRAGMA max_page_count = 1000000')
  t.is((await events.append(`fill-${written}`, 'none', [event('later', 9_000)])).outcome, 'appended')
  t.deepEqual(
    connection.db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => row.integrity_check),
    ['ok'],
  )
})

test('the write-ahead log stays small while a slow reader follows', async (t) => {
  const file = fileIn(t)
  const stores = await openSqlite({ file, log: { pages: 8_000, soon: 10_000, bound: 12_000 } })
  t.teardown(stores.close)
  const stop = new AbortController()
  const { promise: allWritten, resolve: release } = Promise.withResolvers<void>()
  let seen = 0
  const reading = (async () => {
    for await (const { events } of stores.events.subscribe(LOG_START, stop.signal)) {
      seen += events.length
      await allWritten // as slow as a reader can be
    }
  })()
  let largest = 0
  let written = 0
  for (let round = 0; round < 120; round++) {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => stores.events.append(`big-${round}.${i}`, 'none', [event(`${round}-${i}`, 60_000)])),
    )
    written += 20 * 60_000
    largest = Math.max(largest, existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0)
  }
  t.true(seen < 120 * 20, 'the reader lags')
  stop.abort()
  release()
  await reading
  t.log(`${Math.round(written / 1e6)} MB written, the write-ahead log grew to ${Math.round(largest / 1e6)} MB`)
  t.true(largest < 55_000_000, 'it is copied back from 33 MB on, also while somebody reads')
})
