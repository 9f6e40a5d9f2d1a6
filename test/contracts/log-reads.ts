import { randomUUID } from 'node:crypto'
import { MAX_EVENT_BYTES, MAX_PAGE_BYTES, type RecordedEvent, type StreamPage } from '../../src/ports/event-store.ts'
import { streamOf } from '../support/stream-of.ts'
import type { Cases } from './contract.ts'
import { allOf, ids, newStream, type OpenedLog, proposeMany, proposeSized, requireAppended } from './log-entries.ts'

export const order: Cases<OpenedLog> = {
  'revisions have no gaps from 0, positions increase, and an append returns those of its last event': async (t, { events }) => {
    const stream = newStream()
    const all = proposeMany(6)
    const first = requireAppended(t, await events.append(stream, 'none', all.slice(0, 2)))
    const second = requireAppended(t, await events.append(stream, 1, all.slice(2)))
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
    const { position } = requireAppended(t, await events.append(stream, 'none', [event]))
    t.deepEqual(await streamOf(events, stream, 0), [{ ...event, stream, revision: 0, position }])
    t.deepEqual(await allOf(events, '0'.repeat(position.length), new Set([stream])), [{ ...event, stream, revision: 0, position }])
  },
  'a stream is read from a revision on, inclusively': async (t, { events }) => {
    const stream = newStream()
    const all = proposeMany(5)
    await events.append(stream, 'none', all)
    t.deepEqual(ids(await streamOf(events, stream, 3)), ids(all.slice(3)))
    t.deepEqual(await streamOf(events, stream, 5), [])
  },
  'a long stream is read to its end': async (t, { events }) => {
    const stream = newStream()
    const all = proposeMany(1_500)
    for (let i = 0; i < all.length; i += 500) await events.append(stream, i === 0 ? 'none' : i - 1, all.slice(i, i + 500))
    t.deepEqual(ids(await streamOf(events, stream, 0)), ids(all))
  },
  'a stream is read in pages of a given number of events, from either end': async (t, { events }) => {
    const stream = newStream()
    const all = proposeMany(5)
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
    const large = Array.from({ length: 12 }, () => proposeSized(400_000))
    for (const [i, event] of large.entries()) await events.append(stream, i === 0 ? 'none' : i - 1, [event])
    const fits = (page: readonly RecordedEvent[]) => page.length === Math.ceil(MAX_PAGE_BYTES / 400_000)
    const { events: first, more } = await events.read(stream, 0)
    t.true(fits(first) && more)
    t.true(fits((await events.readBackwards(stream)).events))
    t.true((await events.readAll(before, 500)).length <= Math.ceil(MAX_PAGE_BYTES / 400_000))
    t.deepEqual(ids(await streamOf(events, stream)), ids(large))
    t.deepEqual(ids(await allOf(events, before, new Set([stream]))), ids(large))
    const stop = new AbortController()
    const found: string[] = []
    for await (const batch of events.subscribe(before, stop.signal)) {
      const bytes = batch.events.reduce((sum, { data, meta }) => sum + data.length + meta.length, 0)
      t.true(bytes < MAX_PAGE_BYTES + MAX_EVENT_BYTES)
      found.push(...ids(batch.events.filter((event) => event.stream === stream)))
      if (found.length >= large.length) stop.abort()
    }
    t.deepEqual(found, ids(large))
  },
  '50 appends to one stream sent without waiting all succeed in order': async (t, { events }) => {
    const stream = newStream()
    const all = proposeMany(50)
    const results = await Promise.all(all.map((event, i) => events.append(stream, i === 0 ? 'none' : i - 1, [event])))
    t.deepEqual(
      results.map((result) => requireAppended(t, result).revision),
      all.map((_, i) => i),
    )
    t.deepEqual(ids(await streamOf(events, stream, 0)), ids(all))
  },
  'concurrent appends to many streams are all written whole, at the positions they return': async (t, { events }) => {
    const before = await events.head()
    const streams = Array.from({ length: 64 }, newStream)
    const results = await Promise.all(streams.map((stream) => events.append(stream, 'none', proposeMany(3))))
    const there = await allOf(events, before, new Set(streams))
    t.is(there.length, 192)
    streams.forEach((stream, i) => {
      const own = there.flatMap((event, at) => (event.stream === stream ? [{ at, event }] : []))
      t.deepEqual(
        own.map(({ event }) => event.revision),
        [0, 1, 2],
      )
      t.is(own[2]?.event.position, requireAppended(t, results[i] ?? { outcome: 'conflict', actual: 'none' }).position)
    })
  },
  'the log is read after a position, exclusively, in pages': async (t, { events }) => {
    const before = await events.head()
    const streams = [newStream(), newStream()]
    const [one = '', two = ''] = streams
    await events.append(one, 'none', proposeMany(4))
    await events.append(two, 'none', proposeMany(4))
    await events.append(one, 3, proposeMany(2))
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
    const { position } = requireAppended(t, await events.append(stream, 'none', proposeMany(2)))
    t.true((await events.head()) >= position)
    t.deepEqual(await events.readAll(await events.head(), 10), [])
  },
  'the last event is the one that was appended last': async (t, { events }) => {
    const { position } = requireAppended(t, await events.append(newStream(), 'none', proposeMany(2)))
    const last = await events.last()
    t.true(last !== undefined && last.position >= position && last.position <= (await events.head()))
    t.deepEqual((await events.read(last?.stream ?? '', last?.revision ?? 0)).events[0], last)
  },
}
