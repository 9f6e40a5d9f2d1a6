import { setTimeout as pause } from 'node:timers/promises'
import type { EventStore, Position, RecordedEvent } from '../../src/ports/event-store.ts'
import { streamOf } from '../support/stream-of.ts'
import type { Cases } from './contract.ts'
import { allOf, newStream, type OpenedLog, several } from './log-entries.ts'

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
