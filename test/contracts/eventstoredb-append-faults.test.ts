import { setTimeout as pause } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { TIMINGS } from '../../src/adapters/eventstoredb/timings.ts'
import { MAX_EVENT_BYTES, type ProposedEvent } from '../../src/ports/event-store.ts'
import { differences, numberedEvent, startLoad } from '../support/event-load.ts'
import { begin, hasty, LIMIT, measureTime, SLACK, seedOf, times } from '../support/event-store-faults.ts'
import { streamOf } from '../support/stream-of.ts'

test.serial('on a slow server each call ends within five seconds, and nothing is written twice', async (t) => {
  const { server, open } = await begin(t)
  const store = await open()
  server.faults.appendDelay = 200
  server.faults.readDelay = 200
  Object.assign(server.faults, { stallRate: 0.01, stall: 10_000 })
  const load = startLoad(t, store, { writers: 32, seed: seedOf(t) })
  await pause(times(1_000, 60_000))
  server.faults.appendDelay = 1_900
  await pause(times(2_100, 60_000))
  Object.assign(server.faults, { appendDelay: 0, readDelay: 0, stallRate: 0 })
  await load.stop()
  t.true(load.longest() <= LIMIT + SLACK, `an append was pending for ${load.longest()} ms`)
  t.deepEqual(await differences(store, load.acknowledged), [])
})

test.serial('appends beyond the queue’s limit are refused at once, and the others end in time', async (t) => {
  const { server, open } = await begin(t)
  const call = 1_500
  const store = await open({ call, silence: 600 })
  await store.append('first-1', 'none', [numberedEvent(0)]) // on a busy machine a connection may take longer than that; then nothing is sent
  server.faults.hangAppends = Number.MAX_SAFE_INTEGER
  const outcomes = await Promise.all(
    Array.from({ length: 2_500 }, (_, n) => measureTime(store.append(`many-${n}`, 'none', [numberedEvent(n)]))),
  )
  const refused = outcomes.filter(({ fault }) => fault?.kind === 'unavailable')
  t.is(refused.length, 2_500 - 2_048)
  t.true(refused.every(({ took }) => took < call))
  t.true(outcomes.every(({ took }) => took <= call + 1_000 + SLACK))
  t.true(outcomes.filter((it) => !refused.includes(it)).every(({ fault }) => fault?.kind === 'unknown-outcome'))
})

test.serial('of 64 concurrent appends at one revision exactly one succeeds', async (t) => {
  const { open } = await begin(t)
  const store = await open()
  const rounds = times(20, 1_000)
  for (let round = 0; round < rounds; round++) {
    const began = Date.now()
    const expected = round === 0 ? 'none' : round - 1
    const results = await Promise.all(Array.from({ length: 64 }, () => store.append('contended-1', expected, [numberedEvent(round)])))
    t.is(results.filter(({ outcome }) => outcome === 'appended').length, 1)
    t.true(Date.now() - began <= 1_000 + SLACK)
  }
  const there = await streamOf(store, 'contended-1', 0)
  t.deepEqual(
    there.map(({ revision }) => revision),
    Array.from({ length: rounds }, (_, at) => at),
  )
})

test.serial('an append whose response was lost is written once and returns the first result again, also after a restart', async (t) => {
  const { server, open } = await begin(t)
  const store = await open(hasty)
  const count = times(20, 100)
  const appends = Array.from({ length: count }, (_, n) => ({ stream: `lost-${n}`, events: [numberedEvent(n), numberedEvent(n)] }))
  server.faults.loseAnswers = count
  const results = await Promise.all(appends.map(({ stream, events }) => store.append(stream, 'none', events)))
  for (const { stream } of appends) await store.append(stream, 1, [numberedEvent(0)])
  await server.kill()
  await server.restart()
  const again = await open()
  for (const [n, { stream, events }] of appends.entries()) {
    t.deepEqual(await again.append(stream, 'none', events), results[n])
    const there = await streamOf(again, stream, 0)
    t.is(there.length, 3)
    t.deepEqual(results[n], { outcome: 'appended', revision: 1, position: there[1]?.position ?? '' })
  }
})

test.serial('an append whose response was no message is written once, and its call ends', async (t) => {
  const { server, open } = await begin(t)
  const store = await open()
  server.faults.garbleAnswers = 3
  const results = await Promise.all([1, 2, 3].map((n) => store.append(`garbled-${n}`, 'none', [numberedEvent(n)])))
  t.true(results.every(({ outcome }) => outcome === 'appended'))
  t.is((await streamOf(store, 'garbled-1', 0)).length, 1)
  t.is(server.openCalls('append'), 1)
})

test.serial('appends in flight are not taken for unwritten when the server refuses their stream', async (t) => {
  const { server, open } = await begin(t)
  const store = await open()
  await store.append('first-1', 'none', [numberedEvent(0)])
  server.faults.loseAnswers = 1
  const result = store.append('refused-1', 'none', [numberedEvent(1)])
  while (!server.log.stream('refused-1')) await pause(5)
  server.failCalls('append', status.PERMISSION_DENIED)
  t.is((await result).outcome, 'appended')
  t.is((await streamOf(store, 'refused-1', 0)).length, 1)
})

test.serial('a retry answered with a wrong version succeeds if its own events are at that revision', async (t) => {
  const { server, open } = await begin(t)
  const store = await open(hasty)
  Object.assign(server.faults, { loseAnswers: 1, denyKnown: 1 })
  const result = await store.append('denied-1', 'none', [numberedEvent(1)])
  t.deepEqual(result, { outcome: 'appended', revision: 0, position: (await streamOf(store, 'denied-1', 0))[0]?.position ?? '' })
})

test.serial('a retry waits for its first try still in flight', async (t) => {
  const { server, open } = await begin(t)
  const store = await open({ silence: 800 })
  Object.assign(server.faults, { appendDelay: 600, inFlightSilence: 1_000 })
  const event = numberedEvent(1)
  const twice = [store.append('beside-1', 'none', [event]), pause(100).then(() => store.append('beside-1', 'none', [event]))]
  const [first, second] = await Promise.all(twice)
  t.deepEqual(first, second)
  t.is((await streamOf(store, 'beside-1', 0)).length, 1)
})

test.serial('known ids with another payload are refused, also by another process', async (t) => {
  const { open } = await begin(t)
  const first = await open()
  const second = await open()
  const changed = ({ id, type, meta }: ProposedEvent): ProposedEvent => ({ id, type, meta, data: '{"n":-1}' })
  for (let n = 0; n < times(20, 100); n++) {
    const event = numberedEvent(n)
    await first.append(`changed-${n}`, 'none', [event])
    await pause(TIMINGS.freshHead + 5)
    for (const store of [first, second]) {
      const { fault } = await measureTime(store.append(`changed-${n}`, 'none', [changed(event)]))
      t.is(fault?.kind, 'changed-retry')
    }
    t.is((await streamOf(first, `changed-${n}`, 0))[0]?.data, event.data)
  }
})

test.serial('a look at the end of the log that was answered late says nothing about later appends', async (t) => {
  const { server, open } = await begin(t)
  const freshHead = 400
  const [first, second] = [await open(), await open({ freshHead })]
  const event = numberedEvent(1)
  await pause(freshHead + 5)
  // the look of the second store is answered after 600 ms, with the end as it was before the first store's append
  server.slowBy(600)
  const looking = second.append('looking-1', 'none', [numberedEvent(0)])
  await pause(300)
  const appending = first.append('late-1', 'none', [event])
  await pause(500)
  const { fault } = await measureTime(second.append('late-1', 'none', [{ ...event, data: '{"n":-1}' }]))
  t.is(fault?.kind, 'changed-retry')
  await Promise.all([looking, appending])
})

test.serial('an invalid event is rejected at once, without effect on other appends', async (t) => {
  const { open } = await begin(t)
  const store = await open()
  const event = numberedEvent(1)
  const bad: readonly Partial<ProposedEvent>[] = [
    { data: '{"b":1,"a":2}' },
    { data: '{' },
    { data: '' },
    { data: `"${'x'.repeat(MAX_EVENT_BYTES)}"` },
    { meta: 'null' },
    { meta: '{"$correlationId":"x"}' },
    { type: '' },
    { type: '$metadata' },
    { id: 'not-a-uuid' },
  ]
  const good = Promise.all(Array.from({ length: 50 }, (_, n) => store.append(`beside-${n}`, 'none', [numberedEvent(n)])))
  for (const part of bad) {
    const began = performance.now()
    await t.throwsAsync(store.append('bad-1', 'none', [{ ...event, ...part }]))
    t.true(performance.now() - began < 3_000, JSON.stringify(part).slice(0, 60))
  }
  await t.throwsAsync(store.append('', 'none', [event]))
  await t.throwsAsync(store.append('bad-1', -1, [event]))
  t.true((await good).every(({ outcome }) => outcome === 'appended'))
  t.deepEqual(await streamOf(store, 'bad-1', 0), [])
})

test.serial('a server whose clock is half a minute ahead accepts appends', async (t) => {
  const { server, open } = await begin(t)
  const store = await open()
  server.faults.clockAhead = 30_000
  t.is((await store.append('clock-1', 'none', [numberedEvent(1)])).outcome, 'appended')
})

test.serial('a server whose clock is two minutes ahead is reported as such', async (t) => {
  const { server, open } = await begin(t)
  const store = await open({ call: 400 })
  server.faults.clockAhead = 120_000
  const { fault } = await measureTime(store.append('clock-2', 'none', [numberedEvent(1)]))
  t.regex(fault?.message ?? '', /its clock is more than 60 s ahead of ours/)
})

test.serial('a stream truncated or deleted on the server is a fault', async (t) => {
  const { server, open } = await begin(t)
  const store = await open()
  const event = numberedEvent(1)
  await store.append('cut-1', 'none', [event, numberedEvent(2)])
  server.log.truncate('cut-1', 1)
  t.is((await measureTime(store.append('cut-1', 'none', [event]))).fault?.kind, 'damaged')
  server.log.tombstone('cut-1')
  t.is((await measureTime(store.append('cut-1', 5, [numberedEvent(3)]))).fault?.kind, 'damaged')
  t.is((await measureTime(streamOf(store, 'cut-1', 0))).fault?.kind, 'damaged')
})
