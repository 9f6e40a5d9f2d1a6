import { randomUUID } from 'node:crypto'
import {
  type AllStreamResolvedEvent,
  type AppendResult,
  type EventStoreDBClient,
  type EventTypeToEventData,
  excludeSystemEvents,
  type JSONEventType,
  jsonEvent,
  type Position,
} from '@eventstore/db-client'
import test, { type TestFn } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { createClient } from '../../src/adapters/eventstoredb/client.ts'
import { readConnectionString } from '../../src/adapters/eventstoredb/connection-string.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { realEventStore } from '../support/real-event-store.ts'

/** The client itself checks the answers that the adapter relies on: the server at the wire must answer as a real one does. */

type Event = EventTypeToEventData<JSONEventType>
const event = (id: string = randomUUID(), data: Record<string, unknown> = { a: 1 }): Event =>
  jsonEvent({ id, type: 'Probed', data, metadata: {} })
const newStream = (): string => `probe-${randomUUID()}`

type Reported = Error & {
  readonly type?: string
  readonly code?: number
  readonly expectedVersion?: unknown
  readonly actualVersion?: unknown
}

const all = async <T>(stream: AsyncIterable<T>): Promise<readonly T[]> => Array.fromAsync(stream)

const positionOf = ({ position }: AppendResult): Position => {
  if (!position) throw new Error('the append has no position')
  return position
}

const probes = (on: TestFn, name: string, client: EventStoreDBClient): void => {
  const failing = async (work: Promise<unknown>): Promise<Reported> => {
    try {
      await work
    } catch (error) {
      return error as Reported
    }
    throw new Error('it did not fail')
  }

  on.serial(`${name}: a wrong expected revision is reported with the current one, and nothing is written`, async (t) => {
    const stream = newStream()
    const missing = await failing(client.appendToStream(stream, event(), { expectedRevision: 7n }))
    t.like(missing, { type: 'wrong-expected-version', expectedVersion: 7n, actualVersion: 'no_stream', message: '' })
    await client.appendToStream(stream, [event(), event()], { expectedRevision: 'no_stream' })
    const there = await failing(client.appendToStream(stream, event(), { expectedRevision: 'no_stream' }))
    t.like(there, { type: 'wrong-expected-version', expectedVersion: 'no_stream', actualVersion: 1n })
  })

  on.serial(`${name}: repeating an append with the same ids gives the first result, whatever the payload`, async (t) => {
    const stream = newStream()
    const [one, two] = [event(), event()]
    const first = await client.appendToStream(stream, [one, two], { expectedRevision: 'no_stream' })
    await client.appendToStream(stream, event(), { expectedRevision: 1n })
    t.deepEqual(await client.appendToStream(stream, [one, two], { expectedRevision: 'no_stream' }), first)
    const changed = await client.appendToStream(stream, [event(one.id, { other: true }), two], { expectedRevision: 'no_stream' })
    t.deepEqual(changed, first)
    t.is((await all(client.readStream(stream))).length, 3)
    const partial = await failing(client.appendToStream(stream, [one, event()], { expectedRevision: 'no_stream' }))
    t.is(partial.type, 'wrong-expected-version')
  })

  on(
    `${name}: ids are compared by place only: at a new revision, in another stream or twice in one append they are written again`,
    async (t) => {
      const [stream, other] = [newStream(), newStream()]
      const one = event()
      await client.appendToStream(stream, one, { expectedRevision: 'no_stream' })
      await client.appendToStream(stream, [one, one], { expectedRevision: 0n })
      await client.appendToStream(other, one, { expectedRevision: 'no_stream' })
      t.is((await all(client.readStream(stream))).length, 3)
      t.is((await all(client.readStream(other))).length, 1)
    },
  )

  on.serial(`${name}: an empty append succeeds and makes no stream`, async (t) => {
    const stream = newStream()
    t.true((await client.appendToStream(stream, [], { expectedRevision: 'no_stream' })).success)
    t.is((await failing(all(client.readStream(stream)))).type, 'stream-not-found')
  })

  on.serial(`${name}: appends that are too large or malformed are refused`, async (t) => {
    const stream = newStream()
    const large = event(randomUUID(), { a: 'x'.repeat(1_048_577) })
    t.is((await failing(client.appendToStream(stream, large, { expectedRevision: 'no_stream' }))).type, 'maximum-append-size-exceeded')
    for (const bad of [
      { ...event(), id: 'no-uuid' },
      { ...event(), type: '' },
    ]) {
      const refused = await failing(client.appendToStream(stream, bad, { expectedRevision: 'no_stream' }))
      t.like(refused, { type: 'unknown', message: 'Could not recognize BadRequest' })
    }
  })

  on.serial(`${name}: each event has its own position, and an append returns that of its last`, async (t) => {
    const stream = newStream()
    const result = await client.appendToStream(stream, [event(), event(), event()], { expectedRevision: 'no_stream' })
    const there = await all(client.readStream(stream))
    const positions = there.map(({ event: read }) => read?.position)
    t.is(new Set(positions.map((position) => position?.commit)).size, 3)
    t.true(positions.every((position) => position?.commit === position?.prepare))
    t.deepEqual(positions[2], positionOf(result))
  })

  on.serial(
    `${name}: reading the log includes the start position forwards, excludes it backwards, and refuses an invented one`,
    async (t) => {
      const stream = newStream()
      const result = await client.appendToStream(stream, [event(), event()], { expectedRevision: 'no_stream' })
      const fromPosition = positionOf(result)
      const [same] = await all(client.readAll({ fromPosition, maxCount: 1 }))
      t.is(same?.event?.position.commit, fromPosition.commit)
      const [before] = await all(client.readAll({ fromPosition, maxCount: 1, direction: 'backwards' }))
      t.true((before?.event?.position.commit ?? 0n) < fromPosition.commit)
      const madeUp = { commit: fromPosition.commit + 1n, prepare: fromPosition.prepare + 1n }
      t.is((await failing(all(client.readAll({ fromPosition: madeUp, maxCount: 1 })))).type, 'unknown')
    },
  )

  on.serial(`${name}: a filtered subscription starts after its position, delivers no system event and reports checkpoints`, async (t) => {
    const stream = newStream()
    const first = await client.appendToStream(stream, event(), { expectedRevision: 'no_stream' })
    await client.appendToStream(stream, [event(), event()], { expectedRevision: 0n })
    const checkpoints: Position[] = []
    const subscription = client.subscribeToAll({
      fromPosition: positionOf(first),
      filter: excludeSystemEvents({ checkpointReached: async (_, position) => void checkpoints.push(position) }),
    })
    const found: AllStreamResolvedEvent[] = []
    for await (const resolved of subscription) {
      if (resolved.event?.streamId === stream) found.push(resolved)
      if (found.length === 2) break
    }
    await subscription.unsubscribe()
    t.deepEqual(
      found.map(({ event: read }) => read?.revision),
      [1n, 2n],
    )
  })
}

const connect = (url: string) => {
  const connection = readConnectionString(url)
  if (E.isLeft(connection)) throw new Error(connection.left)
  return createClient(connection.right, 'probes')
}

const real = await realEventStore()
const server = await startEventStoreServer()
const wire = connect(`esdb://127.0.0.1:${server.port}?tls=false`)
test.after.always(async () => {
  await wire.close()
  await server.stop()
})
probes(test, 'at the wire', wire.client)

if ('url' in real) {
  const { client, close } = connect(real.url)
  test.after.always(async () => {
    await close()
    await real.stop()
  })
  probes(test, 'a real server', client)
}
