import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { knownHead } from '../../src/adapters/eventstoredb/known-head.ts'
import type { Timings } from '../../src/adapters/eventstoredb/timings.ts'
import { type EventStore, LOG_START } from '../../src/ports/event-store.ts'
import { numberedEvent } from '../support/event-load.ts'
import { type EventStoreServer, startEventStoreServer } from '../support/event-store-server/server.ts'

const MANY = 5_000
const HOUR_MS = 3_600_000

const open = async (t: ExecutionContext, server: EventStoreServer, timings: Partial<Timings> = {}): Promise<EventStore> => {
  const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false`, timings })
  t.teardown(store.close)
  return store
}

const begin = async (t: ExecutionContext) => {
  const server = await startEventStoreServer()
  t.teardown(server.stop)
  return server
}

/** Returns the reads of a piece of work. */
const cost = async ({ counted }: EventStoreServer, work: () => Promise<unknown>) => {
  const before = { ...counted }
  await work()
  return { pages: counted.pages - before.pages, events: counted.events - before.events }
}

const appended = async (store: EventStore, stream: string) => {
  const result = await store.append(stream, 'none', [numberedEvent(1)])
  if (result.outcome === 'conflict') throw new Error('a conflict')
  return result.position
}

test("the server's own events at the end of the log are read once, in pages that grow", async (t) => {
  const server = await begin(t)
  const earlier = await open(t, server)
  const position = await appended(earlier, 'one')
  server.log.writeSystemEvents(MANY)
  let store = earlier
  const first = await cost(server, async () => {
    store = await open(t, server)
    t.is(await store.head(), position)
  })
  t.true(first.events >= MANY && first.events < MANY + 20, `${first.events} events`)
  t.true(first.pages < 12, `${first.pages} pages`)

  t.deepEqual(await cost(server, async () => t.is(await store.head(), position)), { pages: 1, events: 1 })
  server.log.writeSystemEvents(10)
  const second = await cost(server, async () => t.is(await store.head(), position))
  t.true(second.events >= 10 && second.events <= 30, `${second.events} events`)
  t.deepEqual(await cost(server, async () => t.is(await store.head(), position)), { pages: 1, events: 1 })

  const next = await appended(store, 'two')
  t.is(await store.head(), next)
  t.is((await store.last())?.position, next)
  server.log.writeSystemEvents(1)
  t.true((await cost(server, async () => t.is(await store.head(), next))).events < 6)
})

test.serial('appends that begin together after a pause look once where the log ends, and none is read back', async (t) => {
  const server = await begin(t)
  const freshHead = 200
  const store = await open(t, server, { freshHead })
  await appended(store, 'first')
  server.log.writeSystemEvents(10)
  await pause(freshHead + 5)
  const all = () => Promise.all(Array.from({ length: 20 }, (_, n) => appended(store, `together-${n}`)))
  t.deepEqual(await cost(server, all), { pages: 1, events: 1 })
})

test('the end of the log is as old as the newest look at it; also after the clock was put back, from the next look on', (t) => {
  const [first, second, third] = [1, 2, 3].map((n) => `${n}`.padStart(20, '0')) as [string, string, string]
  const head = knownHead()
  head.note(first, Date.now() - 10_000)
  head.note(second, Date.now() - 20_000)
  t.is(head.position(), second)
  t.true(head.age() >= 10_000 && head.age() < 15_000)
  head.note(second, Date.now() + HOUR_MS)
  head.note(third, Date.now() - 1_000)
  t.true(head.age() >= 1_000)
})

test('concurrent requests for the head share one read', async (t) => {
  const server = await begin(t)
  const store = await open(t, server)
  const position = await appended(store, 'one')
  server.log.writeSystemEvents(MANY)
  const together = await cost(server, async () => {
    const heads = await Promise.all(Array.from({ length: 20 }, () => store.head()))
    t.deepEqual(new Set(heads), new Set([position]))
  })
  t.true(together.events < MANY + 60, `${together.events} events`)
})

test('reading on from the last event passes over system events once', async (t) => {
  const server = await begin(t)
  const store = await open(t, server)
  const position = await appended(store, 'one')
  server.log.writeSystemEvents(MANY)
  const first = await cost(server, async () => t.is((await store.readAll(LOG_START, 500)).length, 1))
  t.true(first.events < MANY + 20 && first.pages < 8, JSON.stringify(first))
  t.true((await cost(server, async () => t.is(await store.head(), position))).events < 3)
  t.true((await cost(server, async () => t.deepEqual(await store.readAll(position, 1), []))).events < 3)
  t.true((await cost(server, async () => t.is((await store.readAll(LOG_START, 500)).length, 1))).events <= 501)

  server.log.writeSystemEvents(100)
  const next = await appended(store, 'two')
  const second = await cost(server, async () =>
    t.deepEqual(
      (await store.readAll(position, 1)).map((event) => event.position),
      [next],
    ),
  )
  t.true(second.events < 400, `${second.events} events`)
  t.is((await store.readAll(LOG_START, 500)).length, 2)
})

test('a log of system events only is read once', async (t) => {
  const server = await begin(t)
  server.log.writeSystemEvents(MANY)
  const store = await open(t, server)
  t.deepEqual(await cost(server, async () => t.is(await store.head(), LOG_START)), { pages: 1, events: 1 })
  t.true((await cost(server, async () => t.deepEqual(await store.readAll(LOG_START, 500), []))).events < 3)
  const position = await appended(store, 'one')
  t.is(await store.head(), position)
  t.is((await store.readAll(LOG_START, 500)).length, 1)
})

test('the cached head is discarded when the log is replaced by another', async (t) => {
  const server = await begin(t)
  const store = await open(t, server)
  await appended(store, 'one')
  const position = await appended(store, 'two')
  server.log.writeSystemEvents(50)
  t.is(await store.head(), position)
  const port = server.port
  await server.stop()
  const restored = await startEventStoreServer({ port })
  t.teardown(restored.stop)
  restored.log.writeSystemEvents(3)
  t.is(await store.head(), LOG_START)
})
