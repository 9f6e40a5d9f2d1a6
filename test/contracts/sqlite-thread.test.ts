import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openSqlite, type SqliteOptions, type SqliteStores } from '../../src/adapters/sqlite/stores.ts'
import { type Collection, type Document, getOne } from '../../src/ports/documents.ts'
import { type EventStore, LOG_START, type Position, type ProposedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { counters } from '../support/sqlite-projectors.ts'
import { temporaryDirectory } from '../support/temporary.ts'

type Note = Document & { readonly text: string }

const projector = new URL('../support/sqlite-projectors.ts', import.meta.url)
const event = (id: string, type = 'Written'): ProposedEvent => ({ id, type, data: '{}', meta: '{}' })
const fileIn = (t: ExecutionContext): string => join(temporaryDirectory(t), 'rostra.db')

const opened = async (t: ExecutionContext, options: SqliteOptions): Promise<SqliteStores> => {
  const stores = await openSqlite(options)
  t.teardown(stores.close)
  return stores
}

const appended = async (events: EventStore, stream: string, n: number, type = 'Written'): Promise<Position> => {
  const result = await events.append(
    stream,
    'none',
    Array.from({ length: n }, (_, i) => event(`${stream}-${i}`, type)),
  )
  if (result.outcome === 'conflict') throw new Error(`${stream} exists`)
  return result.position
}

const countOf = async ({ documents }: SqliteStores, stream: string): Promise<number | undefined> =>
  (await getOne(documents, counters, stream))?.events

test('read models are updated after each append, and a wait for a position ends once they show it', async (t) => {
  const stores = await opened(t, { file: fileIn(t), projector })
  await stores.documents.prepare([counters])
  const before = stores.generation('counters')
  const position = await appended(stores.events, 'a-1', 3)
  t.true(await stores.waitUntilProjected(position, 1_000))
  t.is(await countOf(stores, 'a-1'), 3)
  t.is(stores.projected(), position)
  t.true(stores.generation('counters') > before)
  t.is(stores.generation('others'), 0)
  t.true(await stores.waitUntilProjected(LOG_START, 0))
  t.false(await stores.waitUntilProjected('9'.repeat(20), 30))
})

test('a thread that has built much ends, and another takes over', async (t) => {
  const file = fileIn(t)
  const log = await openSqlite({ file })
  await appended(log.events, 'a-1', 2, 'Build')
  await log.close()
  const stores = await opened(t, { file, projector })
  await stores.documents.prepare([counters])
  const position = await appended(stores.events, 'a-2', 3)
  t.true(await stores.waitUntilProjected(position, 1_000))
  t.is(await countOf(stores, 'a-2'), 3)
  const [built, serves] = [await countOf(stores, 'built'), await countOf(stores, 'serves')]
  t.true(built !== undefined && serves !== undefined && serves > built)
})

test('concurrent appends are all projected, once each', async (t) => {
  const stores = await opened(t, { file: fileIn(t), projector })
  await stores.documents.prepare([counters])
  const positions = await Promise.all(Array.from({ length: 300 }, (_, i) => appended(stores.events, `a-${i}`, 1 + (i % 4))))
  t.true(await stores.waitUntilProjected(positions.sort().at(-1) ?? LOG_START, 5_000))
  const found = await stores.documents.find(counters, { where: {}, order: ['-events', 'id'], page: { limit: 1_000 } })
  t.is(found.length, 300)
  t.is(
    found.reduce((sum, { events }) => sum + events, 0),
    750,
  )
})

test('events appended without read models are projected at the next start', async (t) => {
  const file = fileIn(t)
  const first = await openSqlite({ file })
  const position = await appended(first.events, 'a-1', 1_200)
  await first.close()
  const second = await opened(t, { file, projector })
  t.true(await second.waitUntilProjected(position, 5_000))
  await second.documents.prepare([counters])
  t.is(await countOf(second, 'a-1'), 1_200)
})

test('a backlog of projections does not delay appends', async (t) => {
  const file = fileIn(t)
  const first = await openSqlite({ file })
  for (let i = 0; i < 20; i++) await appended(first.events, `slow-${i}`, 500, 'Slow')
  await first.close()
  const stores = await opened(t, { file, projector })
  let slowest = 0
  let sent = 0
  const began = performance.now()
  for (; stores.projected() < '9000'.padStart(20, '0'); sent++) {
    const started = performance.now()
    await appended(stores.events, `quick-${sent}`, 1)
    slowest = Math.max(slowest, performance.now() - started)
  }
  const backlog = performance.now() - began
  t.log(`${sent} appends during the backlog of ${Math.round(backlog)} ms, the slowest took ${Math.round(slowest)} ms`)
  t.true(sent >= 5)
  t.true(slowest < backlog / 2)
})

test('a failed projection is retried, and reported meanwhile', async (t) => {
  const stores = await opened(t, { file: fileIn(t), projector })
  await stores.documents.prepare([counters])
  const position = await appended(stores.events, 'a-1', 1, 'Stall')
  for (let i = 0; i < 100 && !stores.lastFault(); i++) await pause(10)
  const fault = stores.lastFault()
  t.true(fault instanceof StoreFault && fault.kind === 'full')
  t.true(await stores.waitUntilProjected(position, 5_000))
  t.is(stores.lastFault(), undefined)
  t.is(await countOf(stores, 'a-1'), 1)
})

test('what is held is written while a projection fails', async (t) => {
  const file = fileIn(t)
  const stores = await opened(t, { file, projector })
  await stores.documents.prepare([counters])
  const position = await appended(stores.events, 'a-1', 1)
  t.true(await stores.waitUntilProjected(position, 5_000))
  await appended(stores.events, 'a-2', 1, 'Stop')
  for (let i = 0; i < 100 && !stores.lastFault(); i++) await pause(10)
  t.is(await stores.documents.checkpoint('counters'), position)
  t.true(stores.lastFault() instanceof StoreFault)
  const beside = await opened(t, { file, readOnly: true })
  await beside.documents.prepare([counters])
  t.is(await countOf(beside, 'a-1'), 1)
})

test('appends during a fault do not have it tried again at once', async (t) => {
  const stores = await opened(t, { file: fileIn(t), projector })
  const started = performance.now()
  await appended(stores.events, 'a-0', 1, 'Stall')
  let appends = 1
  for (; stores.projected() === LOG_START && performance.now() - started < 5_000; appends += 1)
    await appended(stores.events, `a-${appends}`, 1)
  t.true(performance.now() - started > 900, `${appends} appends; the store failed twice, with half a second after each`)
  t.true(appends > 1)
})

test('a bug in the store thread rejects all waiting calls and ends the process with an error', async (t) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support/sqlite-breaking.ts'), fileIn(t)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  t.regex(stdout, /rejected: the store thread died\nrejected again/)
  t.regex(stderr, /this projection has a bug/)
  t.not(code, 0)
})

test('a small append from another process reaches subscriptions and read models', async (t) => {
  const file = fileIn(t)
  const server = await opened(t, { file, projector })
  await server.documents.prepare([counters])
  const stop = new AbortController()
  const heard = (async () => {
    for await (const { events } of server.events.subscribe(LOG_START, stop.signal))
      if (events.length > 0) return events.map(({ stream }) => stream)
    return []
  })()
  const visitor = await opened(t, { file, beside: true })
  const position = await appended(visitor.events, 'grant-1', 1)
  t.deepEqual(await heard, ['grant-1'])
  t.true(await server.waitUntilProjected(position, 2_000))
  t.is(await countOf(server, 'grant-1'), 1)
})

test('a reader beside a server sees new events and cannot write', async (t) => {
  const file = fileIn(t)
  const server = await opened(t, { file, projector })
  await server.documents.prepare([counters])
  const reader = await opened(t, { file, readOnly: true })
  await reader.documents.prepare([counters])
  const stop = new AbortController()
  const heard = (async () => {
    for await (const { events } of reader.events.subscribe(LOG_START, stop.signal)) if (events.length > 0) return events.length
    return 0
  })()
  const before = reader.generation('counters')
  const position = await appended(server.events, 'a-1', 2)
  t.is(await heard, 2)
  await server.waitUntilProjected(position, 1_000)
  while ((await reader.documents.checkpoint('counters')) !== position) await pause(20)
  t.is(await countOf(reader, 'a-1'), 2)
  t.not(reader.generation('counters'), before)
  await t.throwsAsync(reader.events.append('a-2', 'none', [event('x')]), { message: /reading only/ })
  await t.throwsAsync(reader.vault.put('lease', 'x', { value: 1 }), { message: /reading only/ })
  await t.throwsAsync(reader.documents.write([], { name: 'x', from: undefined, to: '1' }), { message: /reading only/ })
})

test('closing completes pending calls and refuses later ones', async (t) => {
  const file = fileIn(t)
  const stores = await openSqlite({ file, projector })
  const asked = Array.from({ length: 100 }, (_, i) => appended(stores.events, `a-${i}`, 1))
  const kept = stores.vault.put('lease', 'x', { value: 'kept' })
  const listening = (async () => {
    for await (const _ of stores.events.subscribe(LOG_START, new AbortController().signal));
    return 'ended'
  })()
  await stores.close()
  await stores.close()
  await kept
  t.is((await Promise.all(asked)).length, 100)
  t.is(await listening, 'ended')
  await t.throwsAsync(stores.events.append('b-1', 'none', [event('x')]), { message: /closed/ })
  const again = await opened(t, { file })
  t.is((await again.events.readAll(LOG_START, 1_000)).length, 100)
  t.is((await again.vault.get('lease', 'x'))?.value, 'kept')
})

test('concurrent searches each get their own result, and those beyond the queue’s limit are refused', async (t) => {
  const stores = await opened(t, { file: fileIn(t) })
  const collection: Collection<Note> = {
    name: 'notes',
    version: 1,
    indexes: [],
    search: { text: ['text'], filters: [], orders: { first: ['id'] } },
  }
  await stores.documents.prepare([collection])
  const all = Array.from({ length: 30 }, (_, i): Note => ({ id: `n${i}`, text: `word${i} every` }))
  const changes = all.map((document) => ({ collection, id: document.id, position: '1'.padStart(20, '0'), document }))
  await stores.documents.write(changes, { name: 'x', from: undefined, to: '1' })
  const search = (terms: string) => stores.documents.search(collection, { terms, where: {}, order: 'first', page: { limit: 50 } })
  const found = await Promise.all(all.map((_, i) => search(`word${i}`)))
  t.deepEqual(
    found.map(([one]) => one?.id),
    all.map(({ id }) => id),
  )
  const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => search('every')))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason)
  t.true(refused.length > 0 && refused.every((reason) => reason instanceof StoreFault && reason.kind === 'unavailable'))
  t.true(outcomes.every((outcome) => outcome.status === 'rejected' || outcome.value.length === 30))
  t.is((await search('every')).length, 30)
})
