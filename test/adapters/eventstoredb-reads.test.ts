import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { numberedEvent } from '../support/event-load.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { streamOf } from '../support/stream-of.ts'

test('a read cut off by another call’s closing of the connection is not an empty stream', async (t) => {
  const server = await startEventStoreServer()
  const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false`, timings: { silence: 400 } })
  t.teardown(async () => {
    await store.close()
    await server.stop()
  })
  const events = [numberedEvent(1), numberedEvent(2)]
  await store.append('one', 'none', events)
  server.faults.hangReads = 3
  const first = streamOf(store, 'one', 0)
  await sleep(200)
  const others = [streamOf(store, 'one', 0), store.readAll(LOG_START, 10)]
  for (const read of [first, ...others])
    t.deepEqual(
      (await read).map(({ id }) => id),
      events.map(({ id }) => id),
    )
  t.is(server.faults.hangReads, 0)
})

test('a read in flight when the store is closed is a fault', async (t) => {
  const server = await startEventStoreServer()
  const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false` })
  t.teardown(server.stop)
  await store.append('one', 'none', [numberedEvent(1)])
  server.faults.hangReads = 1
  const read = streamOf(store, 'one', 0)
  await sleep(100)
  await store.close()
  const fault = await t.throwsAsync(read, { instanceOf: StoreFault })
  t.is(fault?.kind, 'unavailable')
})

test.serial('a look past votes costs the server what lies after it, however many votes lie before', async (t) => {
  const server = await startEventStoreServer()
  t.teardown(server.stop)
  const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false` })
  t.teardown(store.close)
  const vote = () => ({
    id: randomUUID(),
    type: 'VoteCast',
    contentType: 'application/json',
    data: Buffer.from('{}'),
    meta: Buffer.from('{}'),
  })
  let written = -1
  let from = await store.head()
  for (const votes of [10, 1_000, 100_000]) {
    server.log.append('vote-1', written < 0 ? 'no_stream' : written, Array.from({ length: votes }, vote))
    written += votes
    from = (await store.glance(from, { types: ['VoteCast'] }))?.upTo ?? ''
    server.calls.take()
    t.is((await store.glance(from, { types: ['VoteCast'] }))?.last, undefined)
    const looked = Object.entries(server.calls.take()).find(([label]) => label.endsWith('looked at'))?.[1] ?? 0
    t.true(looked <= 1, `after ${votes} votes the server looked at ${looked} events`)
  }
})
