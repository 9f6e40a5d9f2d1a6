import type { ExecutionContext } from 'ava'
import { type ExpectedRevision, MAX_APPEND_BYTES, MAX_EVENT_BYTES } from '../../src/ports/event-store.ts'
import { type FaultKind, StoreFault } from '../../src/ports/faults.ts'
import { streamOf } from '../support/stream-of.ts'
import type { Cases } from './contract.ts'
import { appended, ids, newStream, type OpenedLog, proposed, several, sized } from './log-entries.ts'

const refusedAs = async (t: ExecutionContext, kind: FaultKind, work: Promise<unknown>): Promise<void> => {
  const fault = await t.throwsAsync(work, { instanceOf: StoreFault })
  t.is(fault.kind, kind)
}

export const conflicts: Cases<OpenedLog> = {
  'a stream that was never written is empty': async (t, { events }) => {
    t.deepEqual(await streamOf(events, newStream(), 0), [])
  },
  'an append with a wrong expected revision is a conflict that names the actual one, and writes nothing': async (t, { events }) => {
    const stream = newStream()
    t.deepEqual(await events.append(stream, 0, several(1)), { outcome: 'conflict', actual: 'none' })
    await events.append(stream, 'none', several(3))
    for (const expected of ['none', 0, 1, 3, 7] satisfies ExpectedRevision[])
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

export const retries: Cases<OpenedLog> = {
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

export const limits: Cases<OpenedLog> = {
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
