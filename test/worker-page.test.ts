import test from 'ava'
import { projections } from '../projections/all.ts'
import { SHARDS } from '../projections/shards.ts'
import { openWorker } from '../projections/worker.ts'
import { serveWorkerPage } from '../src/worker-page.ts'
import { eventually } from './support/community.ts'
import { openFile } from './support/read-models.ts'
import { story } from './support/story.ts'

test('a worker says which shards it holds and how far behind each is', async (t) => {
  const { ports, stores, append } = openFile(t)
  await append(story)
  const stopping = new AbortController()
  const worker = openWorker({ ...ports, ...stores, report: t.log }, projections, stopping.signal)
  const page = await serveWorkerPage({ worker, events: stores.events, clock: Date.now }, '127.0.0.1', 0)
  t.teardown(async () => {
    stopping.abort()
    await worker.done
    await page.close()
  })
  const ask = (path: string) => fetch(`http://127.0.0.1:${page.port}${path}`)
  t.is((await ask('/health/live')).status, 200)
  t.is((await ask('/nothing')).status, 404)
  const caughtUp = async () => worker.events() >= story.length && (await ask('/health/ready')).status === 200
  t.true(await eventually(caughtUp))
  const { ready, shards } = (await (await ask('/health/ready')).json()) as { ready: boolean; shards: Record<string, number> }
  t.true(ready)
  t.deepEqual(Object.values(shards), Array(SHARDS).fill(0))
  const metrics = await (await ask('/metrics')).text()
  for (const line of [`rostra_projection_shards ${SHARDS}`, `rostra_projected_events_total ${story.length}`, 'rostra_projection_parked 0'])
    t.true(metrics.includes(line), line)
  t.regex(metrics, /^rostra_build_info\{.*role="projections",stores="servers"\} 1$/m)
  t.is(metrics.match(/^rostra_projection_shard_lag_seconds\{shard="\d+"\} 0$/gm)?.length, SHARDS)
})
