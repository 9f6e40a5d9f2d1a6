import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import test, { type ExecutionContext } from 'ava'
import { type DataFile, openDataFile } from '../../src/adapters/sqlite/connection.ts'
import { integrityErrors, type LogLimits, openReader, openWriter } from '../../src/adapters/sqlite/schema.ts'
import { writeAheadLog } from '../../src/adapters/sqlite/write-ahead-log.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { FULL } from '../support/full.ts'
import { randomFrom } from '../support/random.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const run = promisify(execFile)
const hasLimits = await run('prlimit', ['--version']).then(
  () => true,
  () => false,
)

const LIMITS: LogLimits = { pages: 800, soon: 1_000, bound: 1_200 }
const KILLS = FULL ? 100 : 2

const threadOf = (source: string): URL => new URL(`data:text/javascript,${encodeURIComponent(source)}`)

const opened = (t: ExecutionContext, entry?: URL) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const connection = openWriter(file)
  const failures: Error[] = []
  const log = writeAheadLog(connection, (error) => failures.push(error), LIMITS, entry)
  t.teardown(async () => {
    await log.close()
    connection.close()
  })
  connection.db.exec('CREATE TABLE thing(n INTEGER PRIMARY KEY, text TEXT NOT NULL, filling BLOB NOT NULL)')
  return { file, connection, log, failures }
}

const pagesOf = ({ logSize }: DataFile): number => logSize().pages

const put = (connection: DataFile, n: number, words = 'some words') =>
  connection.write('NORMAL', () => connection.change('INSERT OR REPLACE INTO thing VALUES(?, ?, randomblob(40000))', n, words))

/** Writes so many things; the most pages that the log had, and how often it began anew. */
const write = async ({ connection, log }: ReturnType<typeof opened>, count: number, isWriting = false) => {
  let [most, last, begun] = [0, 0, 0]
  for (let n = 0; n < count; n += 1) {
    put(connection, n % 100)
    const pages = pagesOf(connection)
    if (pages < last) begun += 1
    last = pages
    most = Math.max(most, pages)
    log.tend(isWriting)
    await setImmediate()
  }
  return { most, begun }
}

const READER = `
  import { DatabaseSync } from 'node:sqlite'
  import { setImmediate } from 'node:timers/promises'
  import { parentPort, workerData } from 'node:worker_threads'
  const db = new DatabaseSync(workerData, { readOnly: true })
  let [isOver, reads] = [false, 0]
  parentPort.once('message', () => { isOver = true })
  for (; !isOver; reads += 1) {
    db.exec('BEGIN')
    db.prepare('SELECT count(*), sum(length(text)) FROM thing').get()
    db.prepare('SELECT count(*), sum(length(filling)) FROM thing').get()
    db.exec('COMMIT')
    await setImmediate()
  }
  db.close()
  parentPort.postMessage(reads)
`

test('the write-ahead log begins anew before it reaches its bound, also while others read', async (t) => {
  const site = opened(t)
  const readers = [1, 2].map(() => new Worker(threadOf(READER), { workerData: site.file }))
  const reads = readers.map((reader) => once(reader, 'message'))
  const { most, begun } = await write(site, 500)
  for (const reader of readers) reader.postMessage('end')
  for (const [count] of await Promise.all(reads)) t.true(count > 10)
  t.log(`${most} pages at most, begun anew ${begun} times`)
  t.true(begun >= 4)
  t.true(most <= 2 * LIMITS.bound)
  t.deepEqual(site.failures, [])
  t.deepEqual(integrityErrors(site.connection), [])
})

test('while read models are written the log is copied late, but it is', async (t) => {
  const { most, begun } = await write(opened(t), 300, true)
  t.true(begun >= 2)
  t.true(most >= LIMITS.soon && most <= 2 * LIMITS.bound, `${most} pages`)
})

test('a snapshot that is read for long keeps nobody from writing, and the log begins anew when it is over', async (t) => {
  const site = opened(t)
  await write(site, 10)
  const reader = openReader(site.file)
  t.teardown(reader.close)
  reader.db.exec('BEGIN')
  reader.db.prepare('SELECT count(*) FROM thing').get()
  const { most, begun } = await write(site, 150)
  t.is(begun, 0)
  t.true(most > LIMITS.bound)
  reader.db.exec('COMMIT')
  t.true((await write(site, 60)).begun > 0)
  t.true(pagesOf(site.connection) < LIMITS.bound)
})

const IDLE = "import { parentPort } from 'node:worker_threads'; parentPort.on('message', (m) => m === 'close' && parentPort.close())"

test('what a snapshot kept from being copied is left to the other thread when it is over', async (t) => {
  const site = opened(t, threadOf(IDLE))
  const { file, connection } = site
  await write(site, 10)
  const reader = openReader(file)
  t.teardown(reader.close)
  reader.db.exec('BEGIN')
  reader.db.prepare('SELECT count(*) FROM thing').get()
  let longest = 0
  for (let n = 0; n < 250; n += 1) {
    put(connection, n % 100)
    const began = performance.now()
    site.log.tend(false)
    longest = Math.max(longest, performance.now() - began)
  }
  t.true(longest < 2_000, `for a snapshot it waits a moment, not ${longest} ms, also while a copy has not ended`)
  const { pages, copied } = connection.logSize()
  t.true(pages > 2 * LIMITS.bound)
  reader.db.exec('COMMIT')
  put(connection, 1)
  site.log.tend(false)
  t.is(connection.logSize().copied, copied, 'no commit copies all of it')
  t.true((await write(site, 250)).begun > 0, 'in the end it is copied')
})

for (const [what, entry, said] of [
  ['cannot be started', new URL('none:such'), /protocol|scheme/i],
  ['dies', threadOf("throw new Error('a bug')"), /^the thread that copies the write-ahead log died: a bug$/],
  [
    'cannot write',
    threadOf(
      "import { parentPort } from 'node:worker_threads'; parentPort.on('message', (m) => m === 'close' ? parentPort.close() : parentPort.postMessage({ kind: 'full', message: 'no space left' }))",
    ),
    /^no space left$/,
  ],
] as const)
  test(`a thread that ${what} is reported, and the log is copied without it`, async (t) => {
    const site = opened(t, entry)
    let [most, begun] = [0, 0]
    while (site.failures.length < 2) {
      const round = await write(site, 50)
      most = Math.max(most, round.most)
      begun += round.begun
    }
    for (const { message } of site.failures) t.regex(message, said)
    t.true(begun > 0)
    t.true(most <= 2 * LIMITS.bound, `${most} pages`)
  })

const bytesIn = (file: string): Buffer => Buffer.concat(readdirSync(dirname(file)).map((name) => readFileSync(join(dirname(file), name))))

test('nothing that was deleted or changed is in the log once it was emptied, also while it was being copied', async (t) => {
  const site = opened(t)
  const { file, connection, log } = site
  const canary = 'canary-51ab0e'
  for (let round = 0; round < 4; round += 1) {
    for (let n = 100; n < 120; n += 1) put(connection, n, `${canary} ${n}`)
    await write(site, 10 + 15 * round)
    t.true(bytesIn(file).includes(canary))
    connection.write('NORMAL', () => connection.change("UPDATE thing SET text = '[erased]' WHERE n BETWEEN 100 AND 109"))
    connection.write('NORMAL', () => connection.change('DELETE FROM thing WHERE n BETWEEN 110 AND 119'))
    log.tend(false)
    connection.emptyLog()
    t.false(bytesIn(file).includes(canary), `round ${round}`)
  }
})

test('the disk itself has the log before it is copied, whichever connection copies, on a system where that is asked for separately', (t) => {
  const { file } = opened(t)
  const copying = openDataFile(file, { readOnly: false, cacheMebibytes: 1 })
  t.teardown(copying.close)
  t.is(copying.db.prepare('PRAGMA fullfsync').get()?.fullfsync, 1)
})

test('a log that a reader keeps from being emptied is not said to be empty', (t) => {
  const { file, connection } = opened(t)
  put(connection, 1)
  const reader = openReader(file)
  t.teardown(reader.close)
  reader.db.exec('BEGIN')
  reader.db.prepare('SELECT count(*) FROM thing').get()
  put(connection, 2)
  const fault = t.throws(() => connection.emptyLog(10))
  t.true(fault instanceof StoreFault && fault.kind === 'unavailable')
  reader.db.exec('COMMIT')
  connection.emptyLog()
  t.is(pagesOf(connection), 0)
})

test('a process killed while its log is copied loses nothing that was committed', async (t) => {
  t.timeout(600_000)
  const file = join(temporaryDirectory(t), 'rostra.db')
  const random = randomFrom(3)
  let said = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../support/sqlite-log-writer.ts'), file])
    t.teardown(() => child.kill('SIGKILL'))
    const warnings = text(child.stderr)
    const enough = said + 30 + random() * 60
    for await (const line of createInterface({ input: child.stdout })) {
      said = Math.max(said, Number(line))
      if (said >= enough && !child.killed) {
        await sleep(random() * 10)
        child.kill('SIGKILL')
      }
    }
    t.is(await warnings, '')
    const connection = openReader(file)
    t.deepEqual(integrityErrors(connection), [])
    const found = connection.db.prepare('SELECT count(*) AS count, max(n) AS last FROM number').get()
    connection.close()
    t.is(found?.count, found?.last)
    t.true(Number(found?.last) >= said)
  }
})

const stalling = 'a log that cannot be copied into the file is told, and no more once it can be, though nothing is written meanwhile'
if (hasLimits)
  test(stalling, async (t) => {
    const program = new URL('../support/sqlite-stalling.ts', import.meta.url).pathname
    const limited = ['-c', 'ulimit -S -f 500 && exec "$0" "$@"', process.execPath, program, join(temporaryDirectory(t), 'rostra.db')]
    const child = spawn('bash', limited, { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    t.regex(String((await lines.next()).value), /^stalled: /)
    await run('prlimit', ['--pid', String(child.pid), '--fsize=unlimited'])
    t.is((await lines.next()).value, 'well')
  })
else test.skip(`${stalling} (left out: there is no prlimit)`, (t) => t.pass())
