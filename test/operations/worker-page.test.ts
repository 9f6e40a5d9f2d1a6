import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { SHARD_COUNT, workersOf } from '../../projections/engine/shards.ts'
import { openWorker } from '../../projections/engine/worker.ts'
import { workerPage } from '../../src/http/pages/site/worker.ts'
import { serveWorkerPage } from '../../src/operations/worker-page.ts'
import { htmlProblems } from '../support/browser-requests.ts'
import { eventually } from '../support/community.ts'
import { story } from '../support/example-history.ts'
import { openFile } from '../support/read-models.ts'

/** A member of the workers' group, as its records in the vault have it. */
const member = ({ vault }: Pick<Stores, 'vault'>) => {
  const group = workersOf(projections)
  const put = (id: string, holder: string) => vault.put('lease', `${group}.${id}`, { value: { holder }, owner: group })
  return {
    holdEverything: async () => {
      for (let shard = 0; shard < SHARD_COUNT; shard++) await put(`share.${shard}`, 'other')
    },
    giveSign: () => put('member.other', 'other'),
  }
}

type Stores = ReturnType<typeof openFile>['stores']

const working = async (t: ExecutionContext, { ports, stores }: Pick<ReturnType<typeof openFile>, 'ports' | 'stores'>) => {
  const stopping = new AbortController()
  const worker = openWorker({ ...ports, ...stores, report: t.log }, projections, stopping.signal)
  const page = await serveWorkerPage({ worker, events: stores.events, clock: Date.now, render: workerPage }, '127.0.0.1', 0)
  t.teardown(async () => {
    stopping.abort()
    await worker.done
    await page.close()
  })
  const ask = (path: string) => fetch(`http://127.0.0.1:${page.port}${path}`)
  const readiness = async () => {
    const answer = await ask('/health/ready')
    return { status: answer.status, ...((await answer.json()) as { spare: boolean; shards: Record<string, number>; problems: string[] }) }
  }
  return { worker, ask, readiness }
}

test('a worker is not ready until it has taken over the leases of a dead one', async (t) => {
  const file = openFile(t)
  await file.append(story)
  const { holdEverything, giveSign } = member(file.stores)
  await giveSign()
  await holdEverything()
  const { readiness } = await working(t, file)
  for (let looks = 0; looks < 20; looks++) {
    const { status, shards, problems } = await readiness()
    if (status === 200) {
      t.is(Object.keys(shards).length, SHARD_COUNT)
      return
    }
    if (Object.keys(shards).length === 0) t.regex(problems.join(), /^the (shards are still being|positions of these shards)/)
    await sleep(500)
  }
  t.fail('it never was ready')
})

test('a worker without a shard is ready, and reports itself as a spare', async (t) => {
  const file = openFile(t)
  await file.append(story)
  const { holdEverything, giveSign } = member(file.stores)
  await giveSign()
  await holdEverything()
  const living = setInterval(giveSign, 100)
  t.teardown(() => clearInterval(living))
  const { readiness } = await working(t, file)
  t.true(await eventually(async () => (await readiness()).status === 200))
  t.like(await readiness(), { status: 200, spare: true, shards: {}, problems: [] })
})

test('a worker that is more than five seconds behind on a shard is not ready, and names it', async (t) => {
  const file = openFile(t)
  await file.append(story)
  const stuck = { ...file, ports: { ...file.ports, open: () => new Promise<never>(() => undefined) } }
  const stopping = new AbortController()
  const worker = openWorker({ ...stuck.ports, ...file.stores, report: t.log }, projections, stopping.signal)
  const page = await serveWorkerPage(
    { worker, events: file.stores.events, clock: () => Date.now() + 7_000, render: workerPage },
    '127.0.0.1',
    0,
  )
  t.teardown(page.close)
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${page.port}/health/ready`)
    return [answer.status, ((await answer.json()) as { problems: string[] }).problems] as const
  }
  t.true(await eventually(async () => (await ask())[1].length === SHARD_COUNT))
  const [status, problems] = await ask()
  t.is(status, 503)
  t.regex(problems[0] ?? '', /^shard \d+ is \d+\.\d s behind$/)
  stopping.abort()
})

test('a worker reports its shards and how far behind each is', async (t) => {
  const file = openFile(t)
  await file.append(story)
  const { worker, ask } = await working(t, file)
  t.is((await ask('/health/live')).status, 200)
  t.is((await ask('/nothing')).status, 404)
  const caughtUp = async () => worker.events() >= story.length && (await ask('/health/ready')).status === 200
  t.true(await eventually(caughtUp))
  const { ready, shards } = (await (await ask('/health/ready')).json()) as { ready: boolean; shards: Record<string, number> }
  t.true(ready)
  t.deepEqual(Object.values(shards), Array(SHARD_COUNT).fill(0))
  const shown = await ask('/')
  t.regex(String(shown.headers.get('content-security-policy')), /^default-src 'none'/)
  const text = await shown.text()
  t.deepEqual(await htmlProblems(text), [])
  t.regex(text, /<b>Ready\.<\/b>/)
  t.is(text.match(/<tr><th scope="row">\d+<\/th><td>100 %<\/td><td>none<\/td><\/tr>/g)?.length, SHARD_COUNT)
  t.regex(text, new RegExp(`It has projected ${story.length} events\\. No document is parked\\.`))
  const metrics = await (await ask('/metrics')).text()
  for (const line of [
    `rostra_projection_shards ${SHARD_COUNT}`,
    `rostra_projected_events_total ${story.length}`,
    'rostra_projection_parked 0',
  ])
    t.true(metrics.includes(line), line)
  t.regex(metrics, /^rostra_build_info\{.*role="projections",stores="servers"\} 1$/m)
  t.is(metrics.match(/^rostra_projection_shard_lag_seconds\{shard="\d+"\} 0$/gm)?.length, SHARD_COUNT)
})
