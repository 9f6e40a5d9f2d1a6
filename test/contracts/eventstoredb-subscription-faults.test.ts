import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import type { Timings } from '../../src/adapters/eventstoredb/timings.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { differences, numberedEvent, randomFrom, startLoad } from '../support/event-load.ts'
import { begin, SLACK, times } from '../support/event-store-faults.ts'
import { streamOf } from '../support/stream-of.ts'

const beginOpened = async (t: ExecutionContext, timings?: Partial<Timings>) => {
  const { server, open } = await begin(t)
  return { server, store: await open(timings) }
}

/** A consumer that notes what comes and when, as a projection does that keeps its own checkpoint. */
const follow = (store: EventStore, after: Position = LOG_START) => {
  const stop = new AbortController()
  const events: RecordedEvent[] = []
  let [position, lastAt, longestGap] = [after, Date.now(), 0]
  const running = (async () => {
    for await (const batch of store.subscribe(after, stop.signal)) {
      longestGap = Math.max(longestGap, Date.now() - lastAt)
      lastAt = Date.now()
      position = batch.position
      events.push(...batch.events)
    }
  })()
  return {
    events,
    position: () => position,
    longestGap: () => longestGap,
    lastAt: () => lastAt,
    until: async (count: number, limit = 20_000): Promise<void> => {
      for (const began = Date.now(); events.length < count && Date.now() - began < limit; ) await pause(5)
    },
    stop: async () => {
      stop.abort()
      await running
    },
  }
}

const idsOf = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id)

test.serial('a repeatedly dropped subscription delivers every event in order', async (t) => {
  const { server, store } = await beginOpened(t)
  const random = randomFrom(Number(process.env.SEED ?? 5))
  const consumer = follow(store)
  const load = startLoad(t, store, { seed: 5, pace: 4 })
  const codes = [status.ABORTED, status.UNAVAILABLE, status.INTERNAL, status.CANCELLED]
  for (const began = Date.now(); Date.now() - began < times(2_000, 300_000); ) {
    await pause(random() * 500)
    server.failCalls('subscription', codes[Math.floor(random() * codes.length)] ?? status.UNKNOWN)
  }
  await load.stop()
  await consumer.until(load.acknowledged.length)
  await consumer.stop()
  t.true(consumer.longestGap() <= 1_600 + SLACK, `the longest silence was ${consumer.longestGap()} ms`)
  t.deepEqual(idsOf(consumer.events), idsOf(server.log.all.filter(({ type }) => !type.startsWith('$'))))
  t.deepEqual(await differences(store, load.acknowledged), [])
})

test.serial('a subscription ended by the server is resumed within a second', async (t) => {
  const { server, store } = await beginOpened(t)
  const consumer = follow(store)
  const rounds = times(5, 100)
  for (let round = 0; round < rounds; round++) {
    await store.append(`ended-${round}`, 'none', [numberedEvent(round)])
    await consumer.until(round + 1)
    const ended = Date.now()
    server.endCalls('subscription')
    while (server.openCalls('subscription') === 0 && Date.now() - ended < 5_000) await pause(2)
    t.true(Date.now() - ended <= 1_000 + SLACK)
  }
  t.is(consumer.events.length, rounds)
  await consumer.stop()
})

test.serial('leaving a subscription’s loop, also by an error, closes its call and frees its memory', async (t) => {
  const { server, store } = await beginOpened(t)
  await store.append('left-1', 'none', [numberedEvent(1), numberedEvent(2), numberedEvent(3)])
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const cycle = async (n: number): Promise<void> => {
    try {
      for await (const _ of store.subscribe(LOG_START, new AbortController().signal)) {
        if (n % 2 === 0) break
        throw new Error('the consumer failed')
      }
    } catch (error) {
      t.is((error as Error).message, 'the consumer failed')
    }
  }
  for (let n = 0; n < 50; n++) await cycle(n)
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < times(150, 1_000); n++) await cycle(n)
  for (let waited = 0; server.openCalls('subscription') > 0 && waited < 2_000; waited += 10) await pause(10)
  t.is(server.openCalls('subscription'), 0)
  await pause(50)
  collect()
  const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20
  t.true(grown < 10, `the heap grew by ${grown.toFixed(1)} MB`)
})

test.serial('while the server is frozen commands fail within five seconds; afterwards nothing is lost', async (t) => {
  const { server, store } = await beginOpened(t)
  const consumer = follow(store)
  const load = startLoad(t, store, { seed: 8, writers: 8, pace: 2 })
  await pause(200)
  server.freeze()
  await pause(times(6_000, 60_000))
  t.true(load.faults.length > 0 && load.faults.every(({ kind }) => kind === 'unknown-outcome' || kind === 'unavailable'))
  const read = await t.throwsAsync(streamOf(store, 'frozen-1', 0), { instanceOf: StoreFault })
  t.is(read.kind, 'unavailable')
  server.thaw()
  const thawed = Date.now()
  const seen = consumer.events.length
  while ((load.lastSuccess() < thawed || consumer.events.length === seen) && Date.now() - thawed < 20_000) await pause(10)
  t.true(load.lastSuccess() - thawed <= 4_600 + SLACK, `writers recovered after ${load.lastSuccess() - thawed} ms`)
  t.true(consumer.lastAt() - thawed <= 4_600 + SLACK, `the subscription recovered after ${consumer.lastAt() - thawed} ms`)
  await load.stop()
  t.true(load.longest() <= 5_000 + SLACK, `an append was pending for ${load.longest()} ms`)
  await consumer.until(load.acknowledged.length)
  await consumer.stop()
  t.deepEqual(await differences(store, load.acknowledged), [])
  t.deepEqual(idsOf(consumer.events), idsOf(server.log.all.filter(({ type }) => !type.startsWith('$'))))
})

test.serial('a consumer whose checkpoints fail a hundred times continues where it stopped', async (t) => {
  const { store } = await beginOpened(t)
  const written = Array.from({ length: 40 }, (_, n) => numberedEvent(n))
  for (const [n, event] of written.entries()) await store.append(`store-${n}`, 'none', [event])
  let [checkpoint, failures] = [LOG_START, 0]
  const applied: string[] = []
  while (applied.length < written.length) {
    const stop = new AbortController()
    try {
      for await (const { events, position } of store.subscribe(checkpoint, stop.signal)) {
        if (failures < 100) {
          failures++
          throw new Error('the checkpoint could not be stored')
        }
        applied.push(...idsOf(events))
        checkpoint = position
        if (applied.length >= written.length) stop.abort()
      }
    } catch (error) {
      t.is((error as Error).message, 'the checkpoint could not be stored')
    }
  }
  t.is(failures, 100)
  t.deepEqual(applied, idsOf(written))
})

test.serial('a subscription without events while the log grows is replaced', async (t) => {
  const { server, store } = await beginOpened(t, { watch: 50, stall: 300, confirmation: 300 })
  server.faults.hangReads = 1 // the first subscription is never confirmed
  const consumer = follow(store)
  await store.append('still-1', 'none', [numberedEvent(1)])
  await consumer.until(1, 3_000)
  t.is(consumer.events.length, 1)
  server.faults.muteSubscriptions = true
  await store.append('still-2', 'none', [numberedEvent(2)])
  await pause(100)
  t.is(consumer.events.length, 1)
  server.faults.muteSubscriptions = false
  await consumer.until(2, 3_000)
  t.is(consumer.events.length, 2)
  await consumer.stop()
})

test.serial('a consumer far slower than the log uses a bounded buffer, and is dropped and resumed without loss', async (t) => {
  const { server, store } = await beginOpened(t)
  server.faults.slowAfter = 1
  const stop = new AbortController()
  const seen: number[] = []
  const consuming = (async () => {
    for await (const { events } of store.subscribe(LOG_START, stop.signal)) {
      t.true(events.length <= 500)
      seen.push(...events.map(({ revision }) => revision))
      await pause(10)
      if (seen.length >= 12_000) stop.abort()
    }
  })()
  for (let n = 0; n < 24; n++) {
    await store.append(
      'flood-1',
      n === 0 ? 'none' : n * 500 - 1,
      Array.from({ length: 500 }, () => numberedEvent(n)),
    )
  }
  await consuming
  t.deepEqual(
    seen,
    Array.from({ length: 12_000 }, (_, n) => n),
  )
})

test.serial('a subscriber that stops reading, while the server sends events and checkpoints, reads every event afterwards', async (t) => {
  const { store } = await beginOpened(t)
  const stop = new AbortController()
  const go = Promise.withResolvers<void>()
  const seen: number[] = []
  await store.append('paused-1', 'none', [numberedEvent(0)])
  const consuming = (async () => {
    for await (const { events } of store.subscribe(LOG_START, stop.signal)) {
      seen.push(...events.filter(({ stream }) => stream === 'paused-1').map(({ revision }) => revision))
      if (events.at(-1)?.stream === 'paused-end') stop.abort()
      await go.promise
    }
  })()
  for (let n = 0; n < 16; n++)
    await store.append(
      'paused-1',
      n * 500,
      Array.from({ length: 500 }, () => numberedEvent(n)),
    )
  await store.append('paused-end', 'none', [numberedEvent(0)])
  await pause(200)
  go.resolve()
  await consuming
  t.deepEqual(
    seen,
    Array.from({ length: 8_001 }, (_, n) => n),
  )
})

test.serial('subscriptions that have come equally far are one call, and go on when the one of them ends that made it', async (t) => {
  const { server, store } = await beginOpened(t)
  let written = 0
  const write = async (): Promise<number> => {
    for (let n = 0; n < 5; n++) await store.append(`shared-${written++}`, 'none', [numberedEvent(n)])
    return written
  }
  const calls = async (expected: number): Promise<void> => {
    for (let waited = 0; server.openCalls('subscription') !== expected && waited < 5_000; waited += 10) await pause(10)
    t.is(server.openCalls('subscription'), expected)
  }
  await write()
  const first = follow(store)
  await first.until(written)
  const [behind, level] = [follow(store), follow(store, first.position())]
  const consumers = [first, behind, level]
  const all = async () => {
    await write()
    await Promise.all(consumers.map((one) => one.until(written - (one === level ? 5 : 0))))
  }
  await all()
  await calls(1)
  await all()
  server.failCalls('subscription', status.UNAVAILABLE)
  await all()
  await calls(1)
  await first.stop()
  consumers.shift()
  await all()
  await all()
  await calls(1)
  await behind.stop()
  await level.stop()
  await calls(0)
  const ids = idsOf(server.log.all.filter(({ type }) => !type.startsWith('$')))
  t.deepEqual([idsOf(behind.events), idsOf(level.events)], [ids, ids.slice(5)])
})

test.serial('a subscriber that stops reading delays no other subscriber of the same process', async (t) => {
  const { store } = await beginOpened(t)
  const stop = new AbortController()
  const go = Promise.withResolvers<void>()
  const seen: number[] = []
  await store.append('together-1', 'none', [numberedEvent(0)])
  const consuming = (async () => {
    for await (const { events } of store.subscribe(LOG_START, stop.signal)) {
      seen.push(...events.map(({ revision }) => revision))
      await go.promise
      if (seen.length >= 6_000) stop.abort()
    }
  })()
  const other = follow(store)
  await other.until(1)
  for (let n = 0; n < 12; n++) {
    const some = Array.from({ length: n === 11 ? 499 : 500 }, () => numberedEvent(n))
    await store.append('together-1', n * 500, some)
  }
  await other.until(6_000)
  t.is(other.events.length, 6_000)
  go.resolve()
  await consuming
  await other.stop()
  t.deepEqual(
    seen,
    Array.from({ length: 6_000 }, (_, n) => n),
  )
})

test.serial(
  'an event that another program wrote is an error for each subscriber, also while another subscriber of the process stops reading',
  async (t) => {
    const { server, store } = await beginOpened(t)
    const stop = new AbortController()
    const go = Promise.withResolvers<void>()
    await store.append('together-1', 'none', [numberedEvent(0)])
    const still = (async () => {
      for await (const _ of store.subscribe(LOG_START, stop.signal)) await go.promise
    })()
    const other = Array.fromAsync(store.subscribe(LOG_START, stop.signal))
    while (server.openCalls('subscription') !== 1) await pause(5)
    for (let n = 1; n <= 5; n++) await store.append('together-1', n - 1, [numberedEvent(n)])
    while (server.openCalls('subscription') !== 1) await pause(5)
    const data = Buffer.from('theirs')
    server.log.append('foreign-1', 'no_stream', [
      { id: randomUUID(), type: 'Theirs', contentType: 'application/octet-stream', data, meta: data },
    ])
    const foreign = { instanceOf: StoreFault, message: /foreign-1/ }
    const timeout = pause(5_000).then(() => t.fail('the other consumer waits'))
    await Promise.race([t.throwsAsync(other, foreign), timeout])
    go.resolve()
    await t.throwsAsync(still, foreign)
  },
)

test.serial('system events advance the position of a subscription and are never delivered', async (t) => {
  const { server, store } = await beginOpened(t)
  const consumer = follow(store)
  await store.append('quiet-1', 'none', [numberedEvent(1)])
  await consumer.until(1)
  server.log.writeSystemEvents(600)
  const passed = server.log.all.at(-400)?.position ?? 0n
  for (let waited = 0; BigInt(consumer.position()) <= passed && waited < 2_000; waited += 10) await pause(10)
  t.true(BigInt(consumer.position()) > passed)
  const own = await store.append('quiet-2', 'none', [numberedEvent(2)])
  await consumer.until(2)
  await consumer.stop()
  t.deepEqual(
    consumer.events.map(({ type }) => type),
    ['VoteCast', 'VoteCast'],
  )
  t.is(await store.head(), own.outcome === 'appended' ? own.position : '')
  server.log.writeSystemEvents(300)
  t.is(await store.head(), own.outcome === 'appended' ? own.position : '')
  t.is((await store.readAll(LOG_START, 10)).length, 2)
  t.deepEqual(await store.readAll(consumer.position(), 10), [])
})
