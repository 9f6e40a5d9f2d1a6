import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import type { Logged } from '../../src/domain/events.ts'
import { codec } from '../../src/log/codec.ts'
import { keyring } from '../../src/log/keys.ts'
import type { Position } from '../../src/ports/event-store.ts'
import { runCommand, runCommandWith } from '../support/command.ts'
import { register, speakingTo, startPeople, type Told } from '../support/distributed-load.ts'
import { documentServer } from '../support/document-server.ts'
import { logServer } from '../support/log-server.ts'
import { type Environment, type Process, startApi, startWorker } from '../support/processes.ts'
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
  const { open } = codec(keyring(mongo.vault))
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

/** What was told, as it must stand in the log; and what stands there of that sort. */
const historyOf = (told: readonly Told[], accounts: ReadonlyMap<string, string>): readonly string[] =>
  told
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

if (typeof server === 'string') test.skip(`the distributed shape is not tried under fault: ${server}`, (t) => t.pass())
else
  test('while processes are killed and the log freezes or restarts, no acknowledged write is lost, duplicated or shown wrongly', async (t) => {
    t.timeout(full ? 600_000 : 240_000)
    const log = await logServer()
    const stores = {
      EVENT_STORE_URL: log.url,
      DOCUMENT_STORE_URL: server.freshUrl(),
      SESSION_SECRET: 'a secret of at least 32 characters',
      LOG_LEVEL: 'error',
    }
    const begin = await headOf(stores)
    const apis: Process[] = []
    const workers: Process[] = []
    t.teardown(async () => {
      await Promise.all(
        [...apis, ...workers].map(({ child }) => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')),
      )
      await log.stop()
      await server.stop()
    })
    const [firstApi, secondApi, firstWorker, secondWorker] = await Promise.all([
      startApi(stores),
      startApi(stores),
      startWorker(stores),
      startWorker(stores),
    ])
    apis.push(firstApi, secondApi)
    workers.push(firstWorker, secondWorker)

    const people = []
    for (const name of ['ann', 'bob', 'carol']) people.push(await register(firstApi.url, log.named(name)))
    const [ann] = people
    if (!ann) throw new Error('nobody is here')
    const tea = log.named('tea')
    const founded = await speakingTo(firstApi.url, ann).post('/api/site_admin', {
      api_type: 'json',
      name: tea,
      title: 'Tea',
      type: 'public',
      link_type: 'any',
      wikimode: 'disabled',
    })
    t.is(founded.status, 200, founded.text)

    const load = startPeople(() => apis.map(({ url }) => url), people, { seed: 1, subsite: tea, pace: 60 })
    const { trouble } = log
    if (!trouble) t.log('the log is reached directly: nothing happens to it here')
    const faults: readonly (() => Promise<void>)[] = [
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
    for (let round = 0; round < ROUNDS; round++)
      for (const fault of faults) {
        await sleep(BETWEEN)
        await fault()
      }
    await sleep(BETWEEN)
    await load.stop()

    const [api] = apis
    if (!api) throw new Error('no process is left')
    const anonymous = callerAt(api.url)
    const events = await everyEvent(stores, begin)
    const accounts = new Map(
      events.flatMap((event) => (event.type === 'AccountRegistered' ? [[event.data.name, event.data.account] as const] : [])),
    )
    t.log(`${load.told.length} acknowledged, ${load.repeated()} repeated, ${events.length} events`)
    t.true(load.told.length > 10)
    t.deepEqual(recordedOf(events), historyOf(load.told, accounts))

    const head = events.at(-1)?.position ?? begin
    for (let stale = true, tries = 0; stale && tries < 30; tries++)
      stale = (await anonymous.get(`/s/${tea}/new?limit=1&min_position=${head}`)).headers.get('x-stale') !== null
    const shown = new Set<unknown>()
    for (let after: unknown = ''; after !== null; ) {
      const page = await anonymous.get(`/s/${tea}/new?limit=100&after=${after}`)
      for (const child of page.at('data.children') as readonly { readonly data: { readonly title: string } }[]) shown.add(child.data.title)
      after = page.at('data.after')
    }
    t.deepEqual([...shown].sort(), load.told.flatMap((one) => (one.kind === 'link' ? [one.title] : [])).sort())
    t.is((await anonymous.get('/health/ready')).status, 200)

    const audited = await runCommandWith(stores, 'audit', '--digests')
    t.is(audited.code, 0, audited.stdout + audited.stderr)

    // The same history in one data file gives the same documents.
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

    for (const one of [...apis, ...workers]) t.is(await one.end(), 0, one.said())
  })
