import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { fillLog } from '../../../bench/fill-log.ts'
import { syntheticLog } from '../../../bench/synthetic-log.ts'
import { projections } from '../../../projections/all.ts'
import { openRunner } from '../../../projections/engine/runner.ts'
import { collectionsOf } from '../../../projections/engine/sets.ts'
import { SHARD_COUNT, shardCheckpoints } from '../../../projections/engine/shards.ts'
import { openWorker } from '../../../projections/engine/worker.ts'
import { openEventStoreDb } from '../../../src/adapters/eventstoredb/event-store.ts'
import { codec } from '../../../src/log/codec.ts'
import { startEventStoreServer } from '../../support/event-store-server/server.ts'
import { catchUp, contentsOf, openFile } from '../../support/read-models.ts'

test('workers whose server filters votes build the same documents while shards change hands, and reach the end of the log', async (t) => {
  t.timeout(180_000)
  const server = await startEventStoreServer()
  t.teardown(server.stop)
  const log = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false`, timings: { call: 60_000, silence: 30_000 } })
  t.teardown(log.close)
  const [shared, whole] = [openFile(t), openFile(t)]
  const sealing = codec(shared.keys)
  const events = [...syntheticLog({ seed: 11, links: 40, subsites: 2, accounts: 9 })]
  const third = Math.floor(events.length / 3)
  const append = (from: number, to: number) => fillLog(log, sealing, events.slice(from, to))
  const faults: unknown[] = []
  const begin = () => {
    const stop = new AbortController()
    const report = (fault: unknown) => void faults.push(fault)
    return { stop, worker: openWorker({ ...shared.ports, ...shared.stores, events: log, report }, projections, stop.signal) }
  }
  const until = async (holds: () => boolean | Promise<boolean>) => {
    for (let tries = 0; tries < 2_000 && !(await holds()); tries++) await sleep(20)
    t.true(await holds())
  }
  await append(0, third)
  const [one, two] = [begin(), begin()]
  await until(() => one.worker.places().size === SHARD_COUNT / 2 && two.worker.places().size === SHARD_COUNT / 2)
  await append(third, 2 * third)
  one.stop.abort()
  await one.worker.done
  await until(() => two.worker.places().size === SHARD_COUNT)
  const three = begin()
  await append(2 * third, events.length)
  await until(() => three.worker.places().size === SHARD_COUNT / 2)
  const head = await log.head()
  await until(async () => {
    const stand = [...(await shared.stores.documents.checkpoints(shardCheckpoints(projections))).values()]
    return stand.length === SHARD_COUNT && stand.every((position) => position === head)
  })
  for (const { stop, worker } of [two, three]) {
    stop.abort()
    await worker.done
  }
  t.deepEqual(faults, [])
  await whole.stores.documents.prepare(collectionsOf(projections))
  const straight = { events: log, documents: whole.stores.documents, open: sealing.open }
  await catchUp(await openRunner(straight, projections, { checkpoint: 'all', onPoison: 'stop' }))
  t.deepEqual(await contentsOf(shared.stores.documents, projections), await contentsOf(whole.stores.documents, projections))
})
