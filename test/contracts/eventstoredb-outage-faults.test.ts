import { setTimeout as pause } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { differences, numberedEvent, randomFrom, startLoad } from '../support/event-load.ts'
import { begin, hasty, LIMIT, measureTime, SLACK, seedOf, times } from '../support/event-store-faults.ts'
import { startCluster } from '../support/event-store-server/cluster.ts'
import type { EventStoreServer } from '../support/event-store-server/server.ts'
import { streamOf } from '../support/stream-of.ts'

for (const scheme of ['esdb', 'esdb+discover']) {
  test.serial(`over ${scheme}, repeatedly killing the server under load loses and duplicates nothing`, async (t) => {
    const { server, open } = await begin(t, scheme)
    const random = randomFrom(seedOf(t))
    const store = await open()
    const load = startLoad(t, store, { seed: 9, pace: 4 })
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
  const load = startLoad(t, store, { seed: 10, pace: 4 })
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
    while (!lines.some((line) => line.startsWith('EVENT'))) await pause(20) // on a busy machine the first try takes longer
    await server.restart()
    const { value: store, took } = await measureTime(opening)
    t.teardown(async () => store?.close())
    t.true(took <= LIMIT)
    t.regex(
      lines.find((line) => line.startsWith('EVENT')) ?? '',
      /^EVENT_STORE_URL: the connection was refused: no server listens at this address \(127\.0\.0\.1:\d+\); waiting for it$/,
    )
    t.is((await store?.append('late-1', 'none', [numberedEvent(1)]))?.outcome, 'appended')
  })
}

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
    const appends = Array.from({ length: 100 }, (_, n) => ({ stream: `flight-${n}`, event: numberedEvent(n) }))
    const settling = Promise.all(appends.map(({ stream, event }) => measureTime(store.append(stream, 'none', [event]))))
    await pause(30)
    breaks(server)
    const later = appends.map(({ stream, event }) => ({ stream: `${stream}x`, event }))
    const after = Promise.all(later.map(({ stream, event }) => measureTime(store.append(stream, 'none', [event]))))
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
  const appends = Array.from({ length: 20 }, (_, n) => ({ stream: `large-${n}`, event: { ...numberedEvent(n), data: `"${filler}"` } }))
  const settling = Promise.all(appends.map(({ stream, event }) => measureTime(store.append(stream, 'none', [event]))))
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
    const lost = Promise.all(
      Array.from({ length: 20 }, (_, n) => measureTime(dying.append(`dying${round}-${n}`, 'none', [numberedEvent(n)]))),
    )
    const kept = Promise.all(
      Array.from({ length: 20 }, (_, n) => measureTime(healthy.append(`healthy${round}-${n}`, 'none', [numberedEvent(n)]))),
    )
    await pause(20)
    await one.server.kill()
    t.true((await kept).every(({ value }) => value?.outcome === 'appended'))
    await one.server.restart()
    t.true((await lost).every(({ value }) => value?.outcome === 'appended'))
  }
})
