import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext, TestFn } from 'ava'
import {
  type AppendResult,
  type EventStore,
  type Expected,
  MAX_APPEND_BYTES,
  MAX_EVENT_BYTES,
  PAGE_BYTES,
  type Position,
  type ProposedEvent,
  type RecordedEvent,
  type StreamPage,
} from '../../src/ports/event-store.ts'
import { type FaultKind, StoreFault } from '../../src/ports/faults.ts'
import { streamOf } from '../support/stream-of.ts'
import { type Cases, type Exceptions, type Open, runContract } from './contract.ts'

/** A store, and how to get another one on the same log after closing the first. Other cases may write to the log meanwhile. */
export type OpenedLog = { readonly events: EventStore; readonly reopen: () => Promise<EventStore> }

const proposed = (data: object = {}, type = 'ThingHappened'): ProposedEvent => ({
  id: randomUUID(),
  type,
  data: JSON.stringify(data),
  meta: JSON.stringify({ schema: 1 }),
})
const several = (n: number): readonly ProposedEvent[] => Array.from({ length: n }, (_, i) => proposed({ i }))
const newStream = (): string => `contract-${randomUUID()}`
const ids = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id)
const sized = (bytes: number): ProposedEvent => ({ id: randomUUID(), type: 'Grew', data: `"${'x'.repeat(bytes - 4)}"`, meta: '{}' })

const appended = (t: ExecutionContext, result: AppendResult): Extract<AppendResult, { outcome: 'appended' }> => {
  if (result.outcome === 'appended') return result
  t.fail(`appended nothing: ${JSON.stringify(result)}`)
  throw new Error('appended nothing')
}

const refusedAs = async (t: ExecutionContext, kind: FaultKind, work: Promise<unknown>): Promise<void> => {
  const fault = await t.throwsAsync(work, { instanceOf: StoreFault })
  t.is(fault.kind, kind)
}

/** Everything after a position that stands in the given streams. */
const allOf = async (events: EventStore, after: Position, streams: ReadonlySet<string>, limit = 500): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = []
  for (let position = after; ; ) {
    const page = await events.readAll(position, limit)
    found.push(...page.filter(({ stream }) => streams.has(stream)))
    const last = page.at(-1)
    if (!last) return found
    position = last.position
  }
}

/** Listen until so many events of the given streams have come. */
const heard = async (
  events: EventStore,
  after: Position,
  streams: ReadonlySet<string>,
  count: number,
  slow = 0,
): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = []
  const stop = new AbortController()
  for await (const batch of events.subscribe(after, stop.signal)) {
    found.push(...batch.events.filter(({ stream }) => streams.has(stream)))
    if (slow > 0) await pause(slow)
    if (found.length >= count) stop.abort()
  }
  return found
}

const conflicts: Cases<OpenedLog> = {
  'a stream that was never written is empty': async (t, { events }) => {
    t.deepEqual(await streamOf(events, newStream(), 0), [])
  },
  'an append with a wrong expected revision is a conflict that names the actual one, and writes nothing': async (t, { events }) => {
    const stream = newStream()
    t.deepEqual(await events.append(stream, 0, several(1)), { outcome: 'conflict', actual: 'none' })
    await events.append(stream, 'none', several(3))
    for (const expected of ['none', 0, 1, 3, 7] satisfies Expected[])
      t.deepEqual(await events.append(stream, expected, several(1)), { outcome: 'conflict', actual: 2 })
    t.is((await streamOf(events, stream, 0)).length, 3)
  },
  'of 64 concurrent first appends to a stream one succeeds and the others are conflicts': async (t, { events }) => {
    const stream = newStream()
    const claims = Array.from({ length: 64 }, () => proposed())
    const results = await Promise.all(claims.map((claim) => events.append(stream, 'none', [claim])))
    const winners = claims.filter((_, i) => results[i]?.outcome === 'appended')
    t.is(winners.length, 1)
    t.is(results.filter((result) => result.outcome === 'conflict').length, 63)
    t.deepEqual(ids(await streamOf(events, stream, 0)), ids(winners))
  },
}

const order: Cases<OpenedLog> = {
  'revisions have no gaps from 0, positions increase, and an append returns those of its last event': async (t, { events }) => {
    const stream = newStream()
    const all = several(6)
    const first = appended(t, await events.append(stream, 'none', all.slice(0, 2)))
    const second = appended(t, await events.append(stream, 1, all.slice(2)))
    t.is(first.revision, 1)
    t.is(second.revision, 5)
    const there = await streamOf(events, stream, 0)
    t.deepEqual(ids(there), ids(all))
    t.deepEqual(
      there.map(({ revision }) => revision),
      [0, 1, 2, 3, 4, 5],
    )
    const positions = there.map(({ position }) => position)
    t.deepEqual(positions, [...new Set(positions)].sort())
    t.is(there[1]?.position, first.position)
    t.is(there[5]?.position, second.position)
    t.true(positions.every((position) => position.length === positions[0]?.length && /^\d+$/.test(position)))
  },
  'an event is read back unchanged': async (t, { events }) => {
    const stream = newStream()
    const event = {
      id: randomUUID(),
      type: 'Said',
      data: '{"text":"żółw 👍🏽 \\u0000 \\n \\"quoted\\" \u2028"}',
      meta: '{"by":"t2_1","n":9007199254740991}',
    }
    const { position } = appended(t, await events.append(stream, 'none', [event]))
    t.deepEqual(await streamOf(events, stream, 0), [{ ...event, stream, revision: 0, position }])
    t.deepEqual(await allOf(events, '0'.repeat(position.length), new Set([stream])), [{ ...event, stream, revision: 0, position }])
  },
  'a stream is read from a revision on, inclusively': async (t, { events }) => {
    const stream = newStream()
    const all = several(5)
    await events.append(stream, 'none', all)
    t.deepEqual(ids(await streamOf(events, stream, 3)), ids(all.slice(3)))
    t.deepEqual(await streamOf(events, stream, 5), [])
  },
  'a long stream is read to its end': async (t, { events }) => {
    const stream = newStream()
    const all = several(1_500)
    for (let i = 0; i < all.length; i += 500) await events.append(stream, i === 0 ? 'none' : i - 1, all.slice(i, i + 500))
    t.deepEqual(ids(await streamOf(events, stream, 0)), ids(all))
  },
  'a stream is read in pages of a given number of events, from either end': async (t, { events }) => {
    const stream = newStream()
    const all = several(5)
    await events.append(stream, 'none', all)
    const page = async (read: Promise<StreamPage>) => {
      const { events: found, more } = await read
      return [found.map(({ id }) => all.findIndex((event) => event.id === id)), more]
    }
    t.deepEqual(await page(events.read(stream, 0, 2)), [[0, 1], true])
    t.deepEqual(await page(events.read(stream, 2, 2)), [[2, 3], true])
    t.deepEqual(await page(events.read(stream, 3, 2)), [[3, 4], false])
    t.deepEqual(await page(events.read(stream, 5, 2)), [[], false])
    t.deepEqual(await page(events.readBackwards(stream, undefined, 2)), [[4, 3], true])
    t.deepEqual(await page(events.readBackwards(stream, 2, 2)), [[2, 1], true])
    t.deepEqual(await page(events.readBackwards(stream, 1, 2)), [[1, 0], false])
    t.deepEqual(await page(events.readBackwards(stream)), [[4, 3, 2, 1, 0], false])
    t.deepEqual(await page(events.readBackwards(stream, 100, 2)), [[4, 3], true])
    t.deepEqual(await events.readBackwards(newStream()), { events: [], more: false })
  },
  'no page or batch is much larger than its limit of bytes': async (t, { events }) => {
    const stream = newStream()
    const before = await events.head()
    const large = Array.from({ length: 12 }, () => sized(400_000))
    for (const [i, event] of large.entries()) await events.append(stream, i === 0 ? 'none' : i - 1, [event])
    const fits = (page: readonly RecordedEvent[]) => page.length === Math.ceil(PAGE_BYTES / 400_000)
    const { events: first, more } = await events.read(stream, 0)
    t.true(fits(first) && more)
    t.true(fits((await events.readBackwards(stream)).events))
    t.true((await events.readAll(before, 500)).length <= Math.ceil(PAGE_BYTES / 400_000))
    t.deepEqual(ids(await streamOf(events, stream)), ids(large))
    t.deepEqual(ids(await allOf(events, before, new Set([stream]))), ids(large))
    const stop = new AbortController()
    const found: string[] = []
    for await (const batch of events.subscribe(before, stop.signal)) {
      const bytes = batch.events.reduce((sum, { data, meta }) => sum + data.length + meta.length, 0)
      t.true(bytes < PAGE_BYTES + MAX_EVENT_BYTES)
      found.push(...ids(batch.events.filter((event) => event.stream === stream)))
      if (found.length >= large.length) stop.abort()
    }
    t.deepEqual(found, ids(large))
  },
  '50 appends to one stream sent without waiting all succeed in order': async (t, { events }) => {
    const stream = newStream()
    const all = several(50)
    const results = await Promise.all(all.map((event, i) => events.append(stream, i === 0 ? 'none' : i - 1, [event])))
    t.deepEqual(
      results.map((result) => appended(t, result).revision),
      all.map((_, i) => i),
    )
    t.deepEqual(ids(await streamOf(events, stream, 0)), ids(all))
  },
  'concurrent appends to many streams are all written whole, at the positions they return': async (t, { events }) => {
    const before = await events.head()
    const streams = Array.from({ length: 64 }, newStream)
    const results = await Promise.all(streams.map((stream) => events.append(stream, 'none', several(3))))
    const there = await allOf(events, before, new Set(streams))
    t.is(there.length, 192)
    streams.forEach((stream, i) => {
      const own = there.flatMap((event, at) => (event.stream === stream ? [{ at, event }] : []))
      t.deepEqual(
        own.map(({ event }) => event.revision),
        [0, 1, 2],
      )
      t.is(own[2]?.event.position, appended(t, results[i] ?? { outcome: 'conflict', actual: 'none' }).position)
    })
  },
  'the log is read after a position, exclusively, in pages': async (t, { events }) => {
    const before = await events.head()
    const streams = [newStream(), newStream()]
    const [one = '', two = ''] = streams
    await events.append(one, 'none', several(4))
    await events.append(two, 'none', several(4))
    await events.append(one, 3, several(2))
    const there = await allOf(events, before, new Set(streams))
    t.deepEqual(
      there.map(({ stream, revision }) => `${streams.indexOf(stream)}/${revision}`),
      '0/0 0/1 0/2 0/3 1/0 1/1 1/2 1/3 0/4 0/5'.split(' '),
    )
    t.deepEqual(await allOf(events, before, new Set(streams), 3), there)
    t.deepEqual(await allOf(events, there[6]?.position ?? '', new Set(streams)), there.slice(7))
    t.is((await events.readAll(before, 2)).length, 2)
  },
  'the head is the position of the last event': async (t, { events }) => {
    const stream = newStream()
    const { position } = appended(t, await events.append(stream, 'none', several(2)))
    t.true((await events.head()) >= position)
    t.deepEqual(await events.readAll(await events.head(), 10), [])
  },
  'the last event is the one that was appended last': async (t, { events }) => {
    const { position } = appended(t, await events.append(newStream(), 'none', several(2)))
    const last = await events.last()
    t.true(last !== undefined && last.position >= position && last.position <= (await events.head()))
    t.deepEqual((await events.read(last?.stream ?? '', last?.revision ?? 0)).events[0], last)
  },
}

const retries: Cases<OpenedLog> = {
  'repeating an append with the same ids returns the first result, also after later appends': async (t, { events }) => {
    const stream = newStream()
    const all = several(3)
    const first = await events.append(stream, 'none', all)
    t.deepEqual(await events.append(stream, 'none', all), first)
    const more = several(2)
    const second = await events.append(stream, 2, more)
    t.deepEqual(await events.append(stream, 'none', all), first)
    t.deepEqual(await events.append(stream, 2, more), second)
    t.deepEqual(ids(await streamOf(events, stream, 0)), ids([...all, ...more]))
  },
  'the same append sent many times concurrently is written once': async (t, { events }) => {
    const stream = newStream()
    const all = several(2)
    const results = await Promise.all(Array.from({ length: 20 }, () => events.append(stream, 'none', all)))
    for (const result of results) t.deepEqual(result, results[0])
    t.is((await streamOf(events, stream, 0)).length, 2)
  },
  'repeating an append with the same ids succeeds after a restart': async (t, { events, reopen }) => {
    const stream = newStream()
    const all = several(3)
    const first = await events.append(stream, 'none', all)
    const again = await reopen()
    t.deepEqual(await again.append(stream, 'none', all), first)
    t.is((await streamOf(again, stream, 0)).length, 3)
  },
  'an append of which only some ids are at that revision is a conflict': async (t, { events }) => {
    const stream = newStream()
    const [one = proposed(), two = proposed()] = several(2)
    await events.append(stream, 'none', [one, two])
    t.deepEqual(await events.append(stream, 'none', [one, proposed()]), { outcome: 'conflict', actual: 1 })
    t.deepEqual(await events.append(stream, 'none', [proposed(), two]), { outcome: 'conflict', actual: 1 })
    t.deepEqual(await events.append(stream, 'none', [two, one]), { outcome: 'conflict', actual: 1 })
    t.deepEqual(await events.append(stream, 'none', [one, two, proposed()]), { outcome: 'conflict', actual: 1 })
    t.is((await streamOf(events, stream, 0)).length, 2)
  },
  'known ids with another payload are refused as a changed retry': async (t, { events }) => {
    const stream = newStream()
    const [one = proposed(), two = proposed()] = several(2)
    await events.append(stream, 'none', [one, two])
    await refusedAs(t, 'changed-retry', events.append(stream, 'none', [one, { ...two, data: '{"i":2}' }]))
    await refusedAs(t, 'changed-retry', events.append(stream, 'none', [{ ...one, meta: '{}' }, two]))
    t.deepEqual(
      (await streamOf(events, stream, 0)).map(({ data }) => data),
      [one.data, two.data],
    )
  },
  'appends repeated as one append, and a part of an earlier append, succeed again': async (t, { events }) => {
    const stream = newStream()
    const [one = proposed(), two = proposed(), three = proposed()] = several(3)
    const first = appended(t, await events.append(stream, 'none', [one]))
    const last = appended(t, await events.append(stream, 0, [two, three]))
    t.deepEqual(await events.append(stream, 'none', [one, two, three]), last)
    t.deepEqual(await events.append(stream, 'none', [one]), first)
    t.is(appended(t, await events.append(stream, 0, [two])).revision, 1)
    t.is((await streamOf(events, stream, 0)).length, 3)
  },
  'of two concurrent payloads with the same id one is written and the other refused as a changed retry': async (t, { events }) => {
    for (let round = 0; round < 20; round++) {
      const stream = newStream()
      const event = proposed()
      const payloads = [event, { ...event, data: '{"other":1}' }]
      const results = await Promise.allSettled(payloads.map((payload) => events.append(stream, 'none', [payload])))
      const [refused, ...others] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as StoreFault] : []))
      t.is(refused?.kind, 'changed-retry')
      t.is(others.length, 0)
      t.is((await streamOf(events, stream, 0)).length, 1)
    }
  },
}

const limits: Cases<OpenedLog> = {
  'an append without events is refused': async (t, { events }) => {
    await t.throwsAsync(events.append(newStream(), 'none', []))
  },
  'an event or append over the size limit is refused whole, without effect on others': async (t, { events }) => {
    const streams = [newStream(), newStream(), newStream(), newStream()]
    const [one = '', two = '', three = '', four = ''] = streams
    const half = MAX_EVENT_BYTES
    await Promise.all([
      refusedAs(t, 'too-large', events.append(one, 'none', [proposed(), sized(MAX_EVENT_BYTES + 1)])),
      refusedAs(t, 'too-large', events.append(two, 'none', [sized(half), sized(MAX_APPEND_BYTES - half), sized(10)])),
      events.append(three, 'none', [sized(MAX_EVENT_BYTES)]),
      events.append(four, 'none', several(1)),
    ])
    const lengths = await Promise.all(streams.map(async (stream) => (await streamOf(events, stream, 0)).length))
    t.deepEqual(lengths, [0, 0, 1, 1])
  },
}

const subscriptions: Cases<OpenedLog> = {
  'a subscription delivers existing events and then new ones': async (t, { events }) => {
    const before = await events.head()
    const streams = new Set([newStream(), newStream()])
    const [one = '', two = ''] = streams
    await events.append(one, 'none', several(3))
    const listening = heard(events, before, streams, 6)
    await pause(50)
    await events.append(two, 'none', several(1))
    await events.append(two, 0, several(2))
    const found = await listening
    t.deepEqual(found, await allOf(events, before, streams))
  },
  'a subscription resumes after any position, and delivers the same events again from an older one': async (t, { events }) => {
    const before = await events.head()
    const stream = newStream()
    await events.append(stream, 'none', several(5))
    const all = await streamOf(events, stream, 0)
    t.deepEqual(await heard(events, all[2]?.position ?? '', new Set([stream]), 2), all.slice(3))
    t.deepEqual(await heard(events, before, new Set([stream]), 5), all)
    t.deepEqual(await heard(events, before, new Set([stream]), 5), all)
  },
  'a slow consumer gets every event exactly once': async (t, { events }) => {
    const before = await events.head()
    const stream = newStream()
    const listening = heard(events, before, new Set([stream]), 1_200, 20)
    for (let i = 0; i < 12; i++) await events.append(stream, i === 0 ? 'none' : i * 100 - 1, several(100))
    t.deepEqual(
      (await listening).map(({ revision }) => revision),
      Array.from({ length: 1_200 }, (_, i) => i),
    )
  },
  'a batch names the position to which the log was read': async (t, { events }) => {
    const before = await events.head()
    const stream = newStream()
    await events.append(stream, 'none', several(3))
    const stop = new AbortController()
    for await (const { events: found, position } of events.subscribe(before, stop.signal)) {
      t.true(position >= (found.at(-1)?.position ?? before))
      if (found.some((event) => event.stream === stream && event.revision === 2)) stop.abort()
    }
  },
  'a subscription ends when its signal aborts, also without new events': async (t, { events }) => {
    const stop = new AbortController()
    const after = await events.head()
    const listening = (async () => {
      for await (const _ of events.subscribe(after, stop.signal));
      return 'ended'
    })()
    await pause(30)
    stop.abort()
    t.is(await listening, 'ended')
    for await (const _ of events.subscribe(after, AbortSignal.abort())) t.fail('listened after the end')
  },
  'leaving a subscription early does not affect others': async (t, { events }) => {
    const before = await events.head()
    const stream = newStream()
    await events.append(stream, 'none', several(2))
    for (let i = 0; i < 20; i++) for await (const _ of events.subscribe(before, new AbortController().signal)) break
    t.is((await heard(events, before, new Set([stream]), 2)).length, 2)
  },
}

/** The definition of the event store port. */
export const eventStoreContract = (test: TestFn, name: string, open: Open<OpenedLog>, exceptions: Exceptions = {}): void =>
  runContract(test, name, { ...conflicts, ...order, ...retries, ...limits, ...subscriptions }, open, exceptions)
