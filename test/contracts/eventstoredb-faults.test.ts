import { setTimeout as pause } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import test from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { TIMINGS, type Timings } from '../../src/adapters/eventstoredb/timings.ts'
import { type EventStore, MAX_EVENT_BYTES, type ProposedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { differences, happened, randomFrom, startLoad } from '../support/event-load.ts'
import { startCluster } from '../support/event-store-server/cluster.ts'
import { type EventStoreServer, startEventStoreServer } from '../support/event-store-server/server.ts'
import { FULL } from '../support/full.ts'
import { streamOf } from '../support/stream-of.ts'

const times = (ordinary: number, all: number): number => (FULL ? all : ordinary)
const LIMIT = 5_000
const SLACK = FULL ? 400 : 1_500 // the machine may be busy with other tests

/** Timings that notice silence early, for cases that are not about how long that takes. */
const hasty: Partial<Timings> = { silence: 250 }

type Opened = {
  readonly server: EventStoreServer
  readonly url: string
  readonly open: (timings?: Partial<Timings>) => Promise<EventStore>
}

const begin = async (t: ExecutionContext, scheme = 'esdb'): Promise<Opened> => {
  const server = await startEventStoreServer()
  t.teardown(server.stop)
  const url = `${scheme}://127.0.0.1:${server.port}?tls=false`
  const open = async (timings: Partial<Timings> = {}): Promise<EventStore> => {
    const store = await openEventStoreDb({ url, timings })
    t.teardown(store.close)
    return store
  }
  return { server, url, open }
}

const seedOf = (t: ExecutionContext): number => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
  t.log(`seed ${seed}`)
  return seed
}

/** How long until the promise settles, and whether it was kept. */
const timed = async <T>(work: Promise<T>): Promise<{ readonly took: number; readonly value?: T; readonly fault?: StoreFault }> => {
  const began = Date.now()
  try {
    return { value: await work, took: Date.now() - began }
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault
    return { fault, took: Date.now() - began }
  }
}

for (const scheme of ['esdb', 'esdb+discover']) {
  test.serial(`over ${scheme}, repeatedly killing the server under load loses and duplicates nothing`, async (t) => {
    const { server, open } = await begin(t, scheme)
    const random = randomFrom(seedOf(t))
    const store = await open()
    const load = startLoad(store, { seed: 9 })
    for (let kill = 0; kill < times(scheme === 'esdb' ? 4 : 3, 50); kill++) {
      await pause(100 + random() * 100)
      await server.kill()
      // Longer than a discovery lasts, once: after that the client itself never finds the server again.
      await pause(scheme === 'esdb+discover' && kill === 0 ? 1_500 : random() * 200)
      await server.restart()
      const ready = Date.now()
      while (load.lastSuccess() < ready && Date.now() - ready < 2 * LIMIT) await pause(10)
      t.true(
        load.lastSuccess() - ready <= LIMIT + SLACK,
        `writers succeed again ${load.lastSuccess() - ready} ms after the server is ready`,
      )
    }
    await load.stop()
    t.true(load.acknowledged.length > 20)
    t.true(load.longest() <= LIMIT + SLACK, `an append was pending for ${load.longest()} ms`)
    t.deepEqual(await differences(store, load.acknowledged), [])
  })
}

test.serial('repeatedly killing the leader of three under load loses and duplicates nothing', async (t) => {
  const cluster = await startCluster()
  t.teardown(cluster.stop)
  const random = randomFrom(seedOf(t))
  const store = await openEventStoreDb({ url: `esdb://${cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false` })
  t.teardown(store.close)
  const load = startLoad(store, { seed: 10 })
  for (let kill = 0; kill < times(2, 20); kill++) {
    await pause(100)
    const victim = await cluster.killLeader(100 + random() * times(300, 2_000))
    const elected = Date.now()
    while (load.lastSuccess() < elected && Date.now() - elected < 15_000) await pause(10)
    t.true(load.lastSuccess() - elected <= LIMIT + SLACK, `first success ${load.lastSuccess() - elected} ms after the election`)
    await cluster.revive(victim)
  }
  await load.stop()
  t.deepEqual(await differences(store, load.acknowledged), [])
})

for (const scheme of ['esdb', 'esdb+discover']) {
  test.serial(`over ${scheme}, a store opened before its server is ready soon after the server starts`, async (t) => {
    const { server, url } = await begin(t, scheme)
    await server.kill()
    const lines: string[] = []
    const opening = openEventStoreDb({ url, journal: { info: () => undefined, warn: (_, line) => void lines.push(line) } })
    await pause(times(1_200, 60_000))
    await server.restart()
    const { value: store, took } = await timed(opening)
    t.teardown(async () => store?.close())
    t.true(took <= LIMIT)
    t.regex(
      lines.find((line) => line.startsWith('EVENT')) ?? '',
      /^EVENT_STORE_URL: the connection was refused: no server listens at this address \(127\.0\.0\.1:\d+\); waiting for it$/,
    )
    t.is((await store?.append('late-1', 'none', [happened(1)]))?.outcome, 'appended')
  })
}

test.serial('on a slow server each call ends within five seconds, and nothing is written twice', async (t) => {
  const { server, open } = await begin(t)
  const store = await open()
  server.faults.appendDelay = 200
  server.faults.readDelay = 200
  Object.assign(server.faults, { stallRate: 0.01, stall: 10_000 })
  const load = startLoad(store, { writers: 32, seed: seedOf(t) })
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
  server.faults.hangAppends = Number.MAX_SAFE_INTEGER
  const outcomes = await Promise.all(Array.from({ length: 2_500 }, (_, n) => timed(store.append(`many-${n}`, 'none', [happened(n)]))))
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
    const results = await Promise.all(Array.from({ length: 64 }, () => store.append('contended-1', expected, [happened(round)])))
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
  const appends = Array.from({ length: count }, (_, n) => ({ stream: `lost-${n}`, events: [happened(n), happened(n)] }))
  server.faults.loseAnswers = count
  const results = await Promise.all(appends.map(({ stream, events }) => store.append(stream, 'none', events)))
  for (const { stream } of appends) await store.append(stream, 1, [happened(0)])
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

test.serial('a retry answered with a wrong version succeeds if its own events are at that revision', async (t) => {
  const { server, open } = await begin(t)
  const store = await open(hasty)
  Object.assign(server.faults, { loseAnswers: 1, denyKnown: 1 })
  const result = await store.append('denied-1', 'none', [happened(1)])
  t.deepEqual(result, { outcome: 'appended', revision: 0, position: (await streamOf(store, 'denied-1', 0))[0]?.position ?? '' })
})

test.serial('a retry waits for its first try still in flight', async (t) => {
  const { server, open } = await begin(t)
  const store = await open({ silence: 800 })
  Object.assign(server.faults, { appendDelay: 600, inFlightSilence: 1_000 })
  const event = happened(1)
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
    const event = happened(n)
    await first.append(`changed-${n}`, 'none', [event])
    await pause(TIMINGS.freshHead + 5)
    for (const store of [first, second]) {
      const { fault } = await timed(store.append(`changed-${n}`, 'none', [changed(event)]))
      t.is(fault?.kind, 'changed-retry')
    }
    t.is((await streamOf(first, `changed-${n}`, 0))[0]?.data, event.data)
  }
})

test.serial('an invalid event is rejected at once, without effect on other appends', async (t) => {
  const { open } = await begin(t)
  const store = await open()
  const event = happened(1)
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
  const good = Promise.all(Array.from({ length: 50 }, (_, n) => store.append(`beside-${n}`, 'none', [happened(n)])))
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

const breakages: Readonly<Record<string, (server: EventStoreServer) => void>> = {
  'the append stream fails': (server) => server.failCalls('append', status.UNAVAILABLE),
  'the server shuts down (code 13)': (server) => server.failCalls('append', status.INTERNAL),
  'the server ends the append stream in good order': (server) => server.endCalls('append'),
  'the connection breaks': (server) => server.cut(),
  'the node is no longer the leader': (server) => {
    server.faults.leader = { host: '127.0.0.1', port: server.port }
    setTimeout(() => {
      server.faults.leader = undefined
    }, 300)
  },
  'the server is busy': (server) => {
    server.faults.busy = 60
  },
}

for (const [what, breaks] of Object.entries(breakages)) {
  test.serial(`with 100 appends in flight, ${what}: each ends in time with the true outcome`, async (t) => {
    const { server, open } = await begin(t)
    const store = await open(hasty)
    Object.assign(server.faults, { appendDelay: 20, answerDelay: 20 })
    const appends = Array.from({ length: 100 }, (_, n) => ({ stream: `flight-${n}`, event: happened(n) }))
    const settling = Promise.all(appends.map(({ stream, event }) => timed(store.append(stream, 'none', [event]))))
    await pause(30)
    breaks(server)
    const later = appends.map(({ stream, event }) => ({ stream: `${stream}x`, event }))
    const after = Promise.all(later.map(({ stream, event }) => timed(store.append(stream, 'none', [event]))))
    for (const [n, { value, took }] of [...(await settling), ...(await after)].entries()) {
      const { stream = '', event } = [...appends, ...later][n] ?? {}
      t.true(took <= LIMIT + SLACK)
      t.is(value?.outcome, 'appended')
      t.deepEqual(
        (await streamOf(store, stream, 0)).map(({ id }) => id),
        [event?.id],
      )
    }
  })
}

test.serial('large appends queued before a frozen server are each written once', async (t) => {
  const { server, open } = await begin(t)
  const store = await open({ silence: 900, call: 60_000 }) // 8 MB take their time on a busy machine
  server.freeze()
  const filler = 'x'.repeat(400_000)
  const appends = Array.from({ length: 20 }, (_, n) => ({ stream: `large-${n}`, event: { ...happened(n), data: `"${filler}"` } }))
  const settling = Promise.all(appends.map(({ stream, event }) => timed(store.append(stream, 'none', [event]))))
  await pause(1_100)
  server.thaw()
  for (const { value } of await settling) t.is(value?.outcome, 'appended')
  for (const { stream } of appends) t.is((await streamOf(store, stream, 0)).length, 1)
})

test.serial('if the server of one store dies, appends to another in the same process continue', async (t) => {
  const [one, two] = [await begin(t), await begin(t)]
  const [dying, healthy] = [await one.open(hasty), await two.open(hasty)]
  two.server.faults.answerDelay = 100
  for (let round = 0; round < 5; round++) {
    const lost = Promise.all(Array.from({ length: 20 }, (_, n) => timed(dying.append(`dying${round}-${n}`, 'none', [happened(n)]))))
    const kept = Promise.all(Array.from({ length: 20 }, (_, n) => timed(healthy.append(`healthy${round}-${n}`, 'none', [happened(n)]))))
    await pause(20)
    await one.server.kill()
    t.true((await kept).every(({ value }) => value?.outcome === 'appended'))
    await one.server.restart()
    t.true((await lost).every(({ value }) => value?.outcome === 'appended'))
  }
})

test.serial('a server whose clock is half a minute ahead accepts appends', async (t) => {
  const { server, open } = await begin(t)
  const store = await open()
  server.faults.clockAhead = 30_000
  t.is((await store.append('clock-1', 'none', [happened(1)])).outcome, 'appended')
})

test.serial('a server whose clock is two minutes ahead is reported as such', async (t) => {
  const { server, open } = await begin(t)
  const store = await open({ call: 400 })
  server.faults.clockAhead = 120_000
  const { fault } = await timed(store.append('clock-2', 'none', [happened(1)]))
  t.regex(fault?.message ?? '', /its clock is more than 60 s ahead of ours/)
})

test.serial('a stream truncated or deleted on the server is a fault', async (t) => {
  const { server, open } = await begin(t)
  const store = await open()
  const event = happened(1)
  await store.append('cut-1', 'none', [event, happened(2)])
  server.log.truncate('cut-1', 1)
  t.is((await timed(store.append('cut-1', 'none', [event]))).fault?.kind, 'damaged')
  server.log.tombstone('cut-1')
  t.is((await timed(store.append('cut-1', 5, [happened(3)]))).fault?.kind, 'damaged')
  t.is((await timed(streamOf(store, 'cut-1', 0))).fault?.kind, 'damaged')
})
