import { randomFillSync } from 'node:crypto'
import { copyFileSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { localStores } from '../../src/adapters/sqlite/local-stores.ts'
import { openWriter } from '../../src/adapters/sqlite/schema.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { event, faultOf, fileIn, readWholeLog } from '../support/log-file.ts'
import { streamOf } from '../support/stream-of.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Closed at once: SQLite writes to the file of a connection that is closed later, by garbage collection. */
const change = (file: string, sql: string) => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

test('a file that is no database, belongs to another program or comes from a newer version is refused and left alone', async (t) => {
  const directory = temporaryDirectory(t)
  const garbage = join(directory, 'garbage.db')
  writeFileSync(garbage, 'this is not a database, and longer than a header of one hundred bytes '.repeat(100))
  const foreign = join(directory, 'foreign.db')
  change(foreign, 'CREATE TABLE theirs(a)')
  const newer = join(directory, 'newer.db')
  await (await openSqlite({ file: newer })).close()
  change(newer, 'PRAGMA user_version = 99')
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
  const fault = await faultOf(t, readWholeLog(stores.events))
  t.is(fault.kind, 'corrupt')
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
    const found = await readWholeLog(localStores(opened).ports.events)
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
