import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventStore, LeftOut, Position, RecordedEvent } from '../../src/ports/event-store.ts'
import { streamOf } from '../support/stream-of.ts'
import type { Cases } from './contract.ts'
import { allOf, newStream, type OpenedLog, proposeMany } from './log-entries.ts'

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

export const subscriptions: Cases<OpenedLog> = {
  'a subscription delivers existing events and then new ones': async (t, { events }) => {
    const before = await events.head()
    const streams = new Set([newStream(), newStream()])
    const [one = '', two = ''] = streams
    await events.append(one, 'none', proposeMany(3))
    const listening = heard(events, before, streams, 6)
    await pause(50)
    await events.append(two, 'none', proposeMany(1))
    await events.append(two, 0, proposeMany(2))
    const found = await listening
    t.deepEqual(found, await allOf(events, before, streams))
  },
  'a subscription leaves out the types that it is told, and its position passes them': async (t, { events }) => {
    const before = await events.head()
    const stream = newStream()
    const [first, ...others] = proposeMany(5).map((event, n) => ({ ...event, type: n === 0 || n === 3 ? 'Kept' : 'LeftOut' }))
    if (!first) return t.fail()
    await events.append(stream, 'none', [first, ...others])
    const end = await events.append(
      stream,
      4,
      proposeMany(1).map((event) => ({ ...event, type: 'Kept' })),
    )
    const found: RecordedEvent[] = []
    const stop = new AbortController()
    let reached = before
    for await (const batch of events.subscribe(before, stop.signal, { types: ['LeftOut'] })) {
      found.push(...batch.events.filter((event) => event.stream === stream))
      reached = batch.position
      if (found.length >= 3) stop.abort()
    }
    t.deepEqual(
      found.map(({ revision, type }) => [revision, type]),
      [
        [0, 'Kept'],
        [3, 'Kept'],
        [5, 'Kept'],
      ],
    )
    t.true(end.outcome === 'appended' && reached >= end.position)
  },
  'a subscription leaves out the streams of a category but those with some endings, and its position passes them': async (
    t,
    { events },
  ) => {
    const before = await events.head()
    const run = randomUUID()
    const names = ['t5_1a', 't5_1b', 't5_a', 't5_2a', 't1_00', 't5_1A', 't5_a1a'].map((thing) => `apart-${run}.${thing}`)
    const others = [`other-${run}.t5_1b`, `apartment-${run}.t5_1b`]
    const leftOut: LeftOut = { category: 'apart', except: ['1a', '_a', '00'] }
    const kept = [0, 2, 4, 6].map((n) => names[n]).concat(others)
    for (const name of [...names, ...others]) await events.append(name, 'none', proposeMany(1))
    const end = await events.head()
    const stop = new AbortController()
    const found: string[] = []
    let reached = before
    for await (const batch of events.subscribe(before, stop.signal, leftOut)) {
      found.push(...batch.events.map(({ stream }) => stream).filter((stream) => stream.includes(run)))
      reached = batch.position
      if (found.length >= kept.length) stop.abort()
    }
    t.deepEqual(found, kept)
    t.true(reached >= end)
    t.is((await events.glance(before, leftOut))?.last, end)
    await events.append(`apart-${run}.t5_1c`, 'none', proposeMany(1))
    const glance = await events.glance(end, leftOut)
    t.is(glance?.last, undefined)
    t.true((glance?.upTo ?? '') >= (await events.head()))
    const none: LeftOut = { category: 'apart', except: [] }
    t.is((await events.glance(before, none))?.last, end)
  },
  'a glance past some types finds the last other event, and the end of the log': async (t, { events }) => {
    const stream = newStream()
    const typed = (type: string, count: number) => proposeMany(count).map((event) => ({ ...event, type }))
    await events.append(stream, 'none', typed('Kept', 1))
    const start = await events.head()
    await events.append(stream, 0, typed('LeftOut', 3))
    const passed = await events.head()
    const quiet = await events.glance(start, { types: ['LeftOut'] })
    t.is(quiet?.last, undefined)
    t.true((quiet?.upTo ?? '') >= passed)
    await events.append(stream, 3, typed('Kept', 2))
    const last = await events.head()
    await events.append(stream, 5, typed('LeftOut', 1))
    for (const from of [start, passed, quiet?.upTo ?? '']) t.is((await events.glance(from, { types: ['LeftOut'] }))?.last, last)
    t.is((await events.glance(last, { types: ['LeftOut'] }))?.last, undefined)
    await events.append(stream, 6, typed('Kept', 300))
    await events.append(stream, 306, typed('Kept', 300))
    t.is(await events.glance(start, { types: ['LeftOut'] }), undefined)
  },
  'a subscription resumes after any position, and delivers the same events again from an older one': async (t, { events }) => {
    const before = await events.head()
    const stream = newStream()
    await events.append(stream, 'none', proposeMany(5))
    const all = await streamOf(events, stream, 0)
    t.deepEqual(await heard(events, all[2]?.position ?? '', new Set([stream]), 2), all.slice(3))
    t.deepEqual(await heard(events, before, new Set([stream]), 5), all)
    t.deepEqual(await heard(events, before, new Set([stream]), 5), all)
  },
  'a slow consumer gets every event exactly once': async (t, { events }) => {
    const before = await events.head()
    const stream = newStream()
    const listening = heard(events, before, new Set([stream]), 1_200, 20)
    for (let i = 0; i < 12; i++) await events.append(stream, i === 0 ? 'none' : i * 100 - 1, proposeMany(100))
    t.deepEqual(
      (await listening).map(({ revision }) => revision),
      Array.from({ length: 1_200 }, (_, i) => i),
    )
  },
  'a batch names the position to which the log was read': async (t, { events }) => {
    const before = await events.head()
    const stream = newStream()
    await events.append(stream, 'none', proposeMany(3))
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
    await events.append(stream, 'none', proposeMany(2))
    for (let i = 0; i < 20; i++) for await (const _ of events.subscribe(before, new AbortController().signal)) break
    t.is((await heard(events, before, new Set([stream]), 2)).length, 2)
  },
}
