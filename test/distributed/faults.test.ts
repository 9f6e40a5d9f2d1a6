import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import type { Logged } from '../../src/domain/events.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import type { Position } from '../../src/ports/event-store.ts'
import { runCommand, runCommandWith } from '../support/command.ts'
import { dataOf, eventually, postForm } from '../support/community.ts'
import { type Acknowledged, register, speakingTo, startPeople } from '../support/distributed-load.ts'
import { documentServer } from '../support/document-server.ts'
import { logServer } from '../support/log-server.ts'
import { type Environment, environmentOn, type Process, startApi, startWorker } from '../support/processes.ts'
import { callerAt } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Rounds of all faults, and milliseconds between two of them. */
const full = process.env.FULL_DISTRIBUTED === '1'
const ROUNDS = full ? 4 : 1
const BETWEEN = full ? 6_000 : 1_000

const server = await documentServer()

const headOf = async ({ EVENT_STORE_URL: url = '' }: Environment): Promise<Position> => {
  const log = await openEventStoreDb({ url })
  const head = await log.head()
  await log.close()
  return head
}

const everyEvent = async (stores: Environment, from: Position): Promise<readonly Logged[]> => {
  const { EVENT_STORE_URL: url = '', DOCUMENT_STORE_URL: documentsUrl = '' } = stores
  const log = await openEventStoreDb({ url })
  const mongo = await openMongo({ url: documentsUrl })
  const { open } = codec(openKeyring(mongo.vault))
  const all: Logged[] = []
  for (let after = from; ; ) {
    const page = await log.readAll(after, 500)
    all.push(...(await open(page)))
    const last = page.at(-1)
    if (!last) break
    after = last.position
  }
  await log.close()
  await mongo.close()
  return all
}

/** The acknowledged writes as the log must have them; and the writes of these kinds that it has. */
const historyOf = (acknowledged: readonly Acknowledged[], accounts: ReadonlyMap<string, string>): readonly string[] =>
  acknowledged
    .map((one) =>
      one.kind === 'link'
        ? `link ${one.id} ${one.title}`
        : one.kind === 'comment'
          ? `comment ${one.body}`
          : `vote ${accounts.get(one.voter)} ${one.thing}`,
    )
    .sort()

const recordedOf = (events: readonly Logged[]): readonly string[] =>
  events
    .flatMap((event) =>
      event.type === 'LinkSubmitted'
        ? [`link ${event.data.link} ${event.data.title}`]
        : event.type === 'CommentPosted'
          ? [`comment ${event.data.body}`]
          : event.type === 'VoteCast'
            ? [`vote ${event.data.voter} ${event.data.thing}`]
            : [],
    )
    .sort()

/** Two API processes, two workers and a log, with a community on them; `apis` and `workers` are those that live. */
const startScene = async (t: ExecutionContext, documentStoreUrl: string) => {
  const log = await logServer()
  const stores = environmentOn(log.url, documentStoreUrl)
  const begin = await headOf(stores)
  const apis: Process[] = []
  const workers: Process[] = []
  t.teardown(async () => {
    await Promise.all(
      [...apis, ...workers].map(({ child }) => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')),
    )
    await log.stop()
  })
  const [firstApi, secondApi, firstWorker, secondWorker] = await Promise.all([
    startApi(stores),
    startApi(stores),
    startWorker(stores),
    startWorker(stores),
  ])
  apis.push(firstApi, secondApi)
  workers.push(firstWorker, secondWorker)

  const ann = await register(firstApi.url, log.named('ann'))
  const people = [ann, await register(firstApi.url, log.named('bob')), await register(firstApi.url, log.named('carol'))]
  const tea = log.named('tea')
  await postForm(speakingTo(firstApi.url, ann), '/api/site_admin', { name: tea, title: 'Tea', type: 'public', link_type: 'any' })
  return { log, stores, begin, apis, workers, people, tea }
}
type Scene = Awaited<ReturnType<typeof startScene>>

/** Everything that goes wrong in a round, one after the other. */
const faultsOf = ({ log: { trouble }, stores, apis, workers }: Scene): readonly (() => Promise<void>)[] => [
  async () => {
    await workers.shift()?.kill()
    workers.push(await startWorker(stores))
  },
  async () => {
    await apis.shift()?.kill()
    apis.push(await startApi(stores))
  },
  async () => {
    trouble?.freeze()
    await sleep(3_000)
    trouble?.thaw()
  },
  async () => {
    await trouble?.down()
    await sleep(500)
    await trouble?.up()
  },
]

const suffer = async (scene: Scene) => {
  for (let round = 0; round < ROUNDS; round++)
    for (const fault of faultsOf(scene)) {
      await sleep(BETWEEN)
      await fault()
    }
  await sleep(BETWEEN)
}

/** The log has what was acknowledged, each once; its last position. */
const isRecorded = async (t: ExecutionContext, { stores, begin }: Scene, acknowledged: readonly Acknowledged[]): Promise<Position> => {
  const events = await everyEvent(stores, begin)
  const accounts = new Map(
    events.flatMap((event) => (event.type === 'AccountRegistered' ? [[event.data.name, event.data.account] as const] : [])),
  )
  t.deepEqual(recordedOf(events), historyOf(acknowledged, accounts))
  return events.at(-1)?.position ?? begin
}

/** A listing has every acknowledged link, each once, as soon as it shows the position. */
const isShown = async (t: ExecutionContext, { apis, tea }: Scene, acknowledged: readonly Acknowledged[], position: Position) => {
  const anonymous = callerAt(apis[0]?.url ?? '')
  const isStale = async () => (await anonymous.get(`/s/${tea}/new?limit=1&min_position=${position}`)).headers.get('x-stale') !== null
  t.true(await eventually(async () => !(await isStale())))
  const shown: string[] = []
  for (let after: unknown = ''; after !== null; ) {
    const page = await anonymous.get(`/s/${tea}/new?limit=100&after=${after}`)
    shown.push(...dataOf(page).map(({ title }) => String(title)))
    after = page.at('data.after')
  }
  t.deepEqual(shown.toSorted(), acknowledged.flatMap((one) => (one.kind === 'link' ? [one.title] : [])).toSorted())
  t.is((await anonymous.get('/health/ready')).status, 200)
}

/** An audit finds nothing, and the same history in one data file gives the same documents. */
const isAsInOneFile = async (t: ExecutionContext, { stores }: Scene) => {
  const audited = await runCommandWith(stores, 'audit', '--digests')
  t.is(audited.code, 0, audited.stdout + audited.stderr)
  const moved = temporaryDirectory(t)
  const carried = await runCommandWith(stores, 'export', '--with-vault')
  t.is(carried.code, 0, carried.stderr)
  writeFileSync(join(moved, 'site.ndjson'), carried.stdout)
  const file = join(moved, 'rostra.db')
  t.is((await runCommand('import', file, join(moved, 'site.ndjson'))).code, 0)
  t.is((await runCommand('rebuild', file)).code, 0)
  const there = await runCommand('audit', file, '--digests')
  t.is(there.code, 0, there.stdout)
  t.is(there.stdout, audited.stdout)
}

if (typeof server === 'string') test.skip(`the distributed shape is not tried under fault: ${server}`, (t) => t.pass())
else
  test('while processes are killed and the log freezes or restarts, no acknowledged write is lost, duplicated or shown wrongly', async (t) => {
    t.timeout(full ? 600_000 : 240_000)
    t.teardown(server.stop)
    // given people who write to any process that answers
    const scene = await startScene(t, server.freshUrl())
    const { apis, workers, people, tea } = scene
    const load = startPeople(() => apis.map(({ url }) => url), people, { seed: 1, subsite: tea, pace: 60 })
    if (!scene.log.trouble) t.log('the log is reached directly: nothing happens to it here')

    // when processes die and the log is gone for a while
    await suffer(scene)
    await load.stop()
    t.log(`${load.acknowledged.length} acknowledged, ${load.repeated()} repeated`)
    t.true(load.acknowledged.length > 10)

    // then all of it stands in the log, is shown, and ends in order
    const position = await isRecorded(t, scene, load.acknowledged)
    await isShown(t, scene, load.acknowledged, position)
    await isAsInOneFile(t, scene)
    for (const one of [...apis, ...workers]) t.is(await one.end(), 0, one.said())
  })
