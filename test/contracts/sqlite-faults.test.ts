import { type ChildProcess, spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { localStores } from '../../src/adapters/sqlite/local.ts'
import type { Answer, Request } from '../../src/adapters/sqlite/protocol.ts'
import { openWriter } from '../../src/adapters/sqlite/schema.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { serve } from '../../src/adapters/sqlite/tasks.ts'
import { type EventStore, type ProposedEvent, type RecordedEvent, START } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { streamOf } from '../support/stream-of.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const fileIn = (t: ExecutionContext): string => join(temporaryDirectory(t), 'rostra.db')
const event = (id: string, bytes = 20): ProposedEvent => ({
  id,
  type: 'Written',
  data: JSON.stringify({ text: 'x'.repeat(bytes) }),
  meta: '{}',
})

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

const everything = async (events: EventStore): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = []
  for (let after = START; ; ) {
    const page = await events.readAll(after, 1_000)
    const last = page.at(-1)
    if (!last) return found
    found.push(...page)
    after = last.position
  }
}

const faultOf = async (t: ExecutionContext, work: Promise<unknown>): Promise<StoreFault> => t.throwsAsync(work, { instanceOf: StoreFault })

test.serial('a second process on the same file is refused with one line until the first ends, in whatever way', async (t) => {
  const file = fileIn(t)
  const owner = program(t, file, `${file}-notes`, '1', '1')
  t.is(await firstLine(owner), 'ready')
  const started = performance.now()
  const fault = await faultOf(t, openSqlite({ file }))
  t.is(fault.kind, 'in-use')
  t.is(fault.message, `${file} is in use by another server; stop that one first`)
  t.true(performance.now() - started < 4_000, 'it does not wait for the file')
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

test.serial('kill -9 under load loses no acknowledged append, duplicates nothing and splits no batch', async (t) => {
  t.timeout(60_000)
  const file = fileIn(t)
  const notes = `${file}-notes`
  const seed = Date.now() % 100_000
  t.log(`seed ${seed}`)
  for (let round = 0; round < 10; round++) {
    const child = program(t, file, notes, String(seed + round), '12')
    t.is(await firstLine(child), 'ready')
    await pause(20 + ((seed * (round + 1)) % 130))
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const stores = await openSqlite({ file })
  t.teardown(stores.close)
  const all = await everything(stores.events)
  const acknowledged = notesIn(readFileSync(notes, 'utf8'))
  t.true(acknowledged.length > 200, `${acknowledged.length} acknowledged`)
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
})

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
  t.is((await everything(events)).length, 1 + 2 * written)
  t.is((await faultOf(t, vault.put('credentials', 'x', { value: 'x'.repeat(200_000) }))).kind, 'full')

  const requests = Array.from(
    { length: 8 },
    (_, call): Request => ({
      call,
      task: { task: 'append', append: { stream: `group-${call}`, expected: 'none', events: [event(`g${call}`, 30_000)] } },
    }),
  )
  const answers: Answer[] = []
  serve(connection, local, requests, (some) => answers.push(...some))
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

test('a file that is no database, belongs to another program or comes from a newer version is refused and left alone', async (t) => {
  const directory = temporaryDirectory(t)
  const garbage = join(directory, 'garbage.db')
  writeFileSync(garbage, 'this is not a database, and longer than a header of one hundred bytes '.repeat(100))
  const foreign = join(directory, 'foreign.db')
  new DatabaseSync(foreign).exec('CREATE TABLE theirs(a)')
  const newer = join(directory, 'newer.db')
  await (await openSqlite({ file: newer })).close()
  new DatabaseSync(newer).exec('PRAGMA user_version = 99')
  for (const [file, complaint] of [
    [garbage, /damaged or not an SQLite file/],
    [foreign, /another program/],
    [newer, /newer version/],
  ] as const) {
    const before = readFileSync(file)
    for (const readOnly of [false, true]) {
      const fault = await faultOf(t, openSqlite({ file, readOnly }))
      t.is(fault.kind, 'damaged')
      t.true(fault.message.includes(file))
      t.regex(fault.message, complaint)
    }
    t.deepEqual(readFileSync(file), before)
  }
})

test('damage in the file is a fault that names the file, and the audit finds it', async (t) => {
  const file = fileIn(t)
  const first = await openSqlite({ file })
  for (let i = 0; i < 40; i++)
    await first.events.append(
      `s-${i}`,
      'none',
      Array.from({ length: 20 }, (_, k) => event(`${i}-${k}`, 500)),
    )
  await first.close()
  const fd = openSync(file, 'r+')
  const size = statSync(file).size
  for (let page = 20; page < size / 4096 - 1; page += 3) writeSync(fd, Buffer.alloc(4096, 0xee), 0, 4096, page * 4096)
  const stores = await openSqlite({ file })
  t.teardown(stores.close)
  const fault = await faultOf(t, everything(stores.events))
  t.is(fault.kind, 'damaged')
  t.true(fault.message.includes(file))
  t.true(stores.integrity().length > 0)
})

test('a write-ahead log truncated or damaged at its end leaves a prefix of whole appends', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'rostra.db')
  const connection = openWriter(file)
  t.teardown(connection.close)
  const { events } = localStores(connection).ports
  const ids: string[] = []
  for (let n = 0; n < 60; n++) {
    const batch = Array.from({ length: 1 + (n % 3) }, (_, i) => event(`${n}-${i}-${n % 3}`, 300))
    await events.append(`s-${n}`, 'none', batch)
    ids.push(...batch.map(({ id }) => id))
  }
  const wal = readFileSync(`${file}-wal`)
  const lengths = new Set<number>()
  const copy = join(directory, 'copy.db')
  for (let cut = 0; cut <= 65_536; cut += 512) {
    const torn = Buffer.from(wal)
    const at = wal.length - cut
    if (cut % 1_024 > 0) randomFillSync(torn, at, 512)
    copyFileSync(file, copy)
    writeFileSync(`${copy}-wal`, cut % 1_024 > 0 ? torn : torn.subarray(0, at))
    const opened = openWriter(copy)
    const found = await everything(localStores(opened).ports.events)
    t.deepEqual(
      found.map(({ id }) => id),
      ids.slice(0, found.length),
      `cut by ${cut}`,
    )
    const [, i, last] = found.at(-1)?.id.split('-') ?? []
    t.is(i, last, `cut by ${cut}: the last append is whole`)
    t.deepEqual(
      opened.db
        .prepare('PRAGMA integrity_check')
        .all()
        .map((row) => row.integrity_check),
      ['ok'],
    )
    opened.close()
    lengths.add(found.length)
  }
  t.true(lengths.has(ids.length) && lengths.size > 3)
})

test('the file itself refuses to change or remove an event', async (t) => {
  const file = fileIn(t)
  const stores = await openSqlite({ file })
  t.teardown(stores.close)
  await stores.events.append('s-1', 'none', [event('a'), event('b')])
  const other = new DatabaseSync(file)
  for (const sql of [
    "UPDATE event SET data = '{}'",
    'DELETE FROM event',
    'UPDATE event SET pos = pos + 10',
    "REPLACE INTO event(pos, stream, rev, id, type, data, meta) VALUES(1, 's-1', 0, 'x', 'T', '', '')",
    "REPLACE INTO event(stream, rev, id, type, data, meta) VALUES('s-1', 1, 'x', 'T', '', '')",
    "INSERT INTO event(pos, stream, rev, id, type, data, meta) VALUES(1, 's-1', 2, 'x', 'T', '', '')",
    "INSERT INTO event(stream, rev, id, type, data, meta) VALUES('s-1', 3, 'x', 'T', '', '')",
  ])
    t.throws(() => other.exec(sql), { message: /append-only/ }, sql)
  other.close()
  t.deepEqual(
    (await streamOf(stores.events, 's-1', 0)).map(({ id }) => id),
    ['a', 'b'],
  )
})

test('the write-ahead log stays small while a slow reader follows', async (t) => {
  const file = fileIn(t)
  const stores = await openSqlite({ file })
  t.teardown(stores.close)
  const stop = new AbortController()
  const { promise: allWritten, resolve: release } = Promise.withResolvers<void>()
  let seen = 0
  const reading = (async () => {
    for await (const { events } of stores.events.subscribe(START, stop.signal)) {
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
  t.true(largest < 90_000_000, 'it is copied back at 64 MiB, also while somebody reads')
})
