import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { type EventStore, LOG_START } from '../../src/ports/event-store.ts'
import { numberedEvent } from '../support/event-load.ts'
import type { Gzip } from '../support/event-store-server/compression.ts'
import { type EventStoreServer, startEventStoreServer } from '../support/event-store-server/server.ts'

const serve = async (t: ExecutionContext, gzip: Gzip): Promise<EventStoreServer> => {
  const server = await startEventStoreServer({ gzip })
  t.teardown(server.stop)
  return server
}

/** Only after the client without the adapter was tried: the adapter changes what every client of the process accepts. */
const open = async (t: ExecutionContext, url: string): Promise<EventStore> => {
  const { openEventStoreDb } = await import('../../src/adapters/eventstoredb/event-store.ts')
  const store = await openEventStoreDb({ url })
  t.teardown(store.close)
  return store
}

const everyCall = async (t: ExecutionContext, store: EventStore): Promise<void> => {
  const stream = `calls-${randomUUID()}`
  t.is((await store.append(stream, 'none', [numberedEvent(1)])).outcome, 'appended')
  t.is((await store.append(stream, 'none', [numberedEvent(2)])).outcome, 'conflict')
  t.is((await store.read(stream, 0)).events.length, 1)
  t.true((await store.readAll(LOG_START, 10)).length > 0)
  t.not(await store.head(), LOG_START)
  for await (const { events } of store.subscribe(LOG_START, new AbortController().signal)) if (events.length > 0) break
}

/** An append on a call of its own, which the client makes for credentials that are given with it. */
const appendAlone = async (t: ExecutionContext, url: string): Promise<void> => {
  const { createClient } = await import('../../src/adapters/eventstoredb/client.ts')
  const { readConnectionString } = await import('../../src/adapters/eventstoredb/connection-string.ts')
  const connection = readConnectionString(url)
  if (E.isLeft(connection)) throw new Error(connection.left)
  const { client, close } = createClient(connection.right, 'alone')
  t.teardown(close)
  const credentials = { username: 'ann', password: 'secret' }
  await client.appendToStream('alone', jsonEvent({ type: 'Probed', data: {} }), { expectedRevision: 'no_stream', credentials })
}

test.serial('without the adapter the client accepts gzip, and the simulated server compresses its responses', async (t) => {
  const server = await serve(t, 'accepted')
  const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${server.port}?tls=false`)
  t.teardown(() => client.dispose())
  const data = { text: 'leaves '.repeat(100) }
  await client.appendToStream('bare', jsonEvent({ type: 'Probed', data }), { expectedRevision: 'no_stream' })
  const [read] = await Array.fromAsync(client.readStream('bare'))
  t.deepEqual(read?.event?.data, data)
  for (const [method, said] of server.compression.accepted()) t.deepEqual([...said], ['identity,deflate,gzip'], method)
  t.true(server.compression.compressed() >= 3)
})

test.serial('every call of the adapter accepts uncompressed responses only', async (t) => {
  const server = await serve(t, 'accepted')
  await everyCall(t, await open(t, `esdb://127.0.0.1:${server.port}?tls=false`))
  await everyCall(t, await open(t, `esdb+discover://localhost:${server.port}?tls=false`))
  await appendAlone(t, `esdb://localhost:${server.port}?tls=false`)
  t.deepEqual([...server.compression.accepted().keys()].sort(), [
    '/event_store.client.gossip.Gossip/Read',
    '/event_store.client.server_features.ServerFeatures/GetSupportedMethods',
    '/event_store.client.streams.Streams/Append',
    '/event_store.client.streams.Streams/BatchAppend',
    '/event_store.client.streams.Streams/Read',
  ])
  for (const [method, said] of server.compression.accepted()) t.deepEqual([...said], ['identity'], method)
  t.is(server.compression.compressed(), 0)
})

test.serial('responses that a server compresses nevertheless are read', async (t) => {
  const server = await serve(t, 'always')
  await everyCall(t, await open(t, `esdb://127.0.0.1:${server.port}?tls=false`))
  t.true(server.compression.compressed() > 5)
})
