import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { runCommand, runCommandWith } from '../support/command.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { found, say, submit } from '../support/posting.ts'
import { startApi, startWorker } from '../support/processes.ts'
import { type Caller, callerAt, startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const server = await documentServer()

/** The read models of a process lack nothing. */
const eventuallyReady = async (api: Caller): Promise<boolean> => {
  for (let tries = 0; tries < 200; tries++) {
    const { body, status } = await api.get('/health/ready')
    if (status === 200 && (body as { readonly lag: number }).lag === 0) return true
    await sleep(200)
  }
  return false
}

if (typeof server === 'string') test(`a move to servers is not tried: ${server}`, (t) => t.pass())
else
  test('a site moves from a data file to servers: two workers build the same documents from zero, and people log in', async (t) => {
    t.timeout(240_000)
    const directory = temporaryDirectory(t)
    const site = await startSite({ directory })
    const [ann, bob] = [await site.register('ann'), await site.register('bob')]
    await found(ann, 'tea')
    for (let n = 0; n < 5; n++) {
      const link = await submit(ann, 'tea')
      await say(bob, link)
      await bob.post('/api/vote', { id: link, dir: 1 })
      if (n % 2) await ann.post('/api/lock', { id: link })
    }
    await site.stop()
    const file = join(directory, 'rostra.db')
    const exported = await runCommand('export', file, '--with-vault')
    t.is(exported.code, 0, exported.stderr)
    const carried = join(directory, 'site.ndjson')
    writeFileSync(carried, exported.stdout)
    const before = await runCommand('audit', file, '--digests')
    t.is(before.code, 0, before.stdout)

    const log = await startEventStoreServer()
    const stores = {
      EVENT_STORE_URL: `esdb://127.0.0.1:${log.port}?tls=false`,
      DOCUMENT_STORE_URL: server.freshUrl(),
      SESSION_SECRET: 'a secret of at least 32 characters',
      LOG_LEVEL: 'error',
    }
    const imported = await runCommandWith(stores, 'import', carried)
    t.is(imported.code, 0, imported.stderr)
    const again = await runCommandWith(stores, 'export', '--with-vault')
    const [header, copied] = [exported, again].map(({ stdout }) => JSON.parse(stdout.slice(0, stdout.indexOf('\n'))))
    t.deepEqual([copied.content, copied.events, copied.vault], [header.content, header.events, header.vault])

    const processes = await Promise.all([startWorker(stores), startWorker(stores), startApi(stores)])
    t.teardown(async () => {
      await Promise.all(processes.map(({ child }) => child.exitCode === null && child.kill('SIGKILL')))
      await log.stop()
      await server.stop()
    })
    const api = callerAt(processes[2].url)
    t.true(await eventuallyReady(api))
    const after = await runCommandWith(stores, 'audit', '--digests')
    t.is(after.code, 0, after.stdout + after.stderr)
    t.is(after.stdout, before.stdout)

    const [one, two] = processes
    const refused = await runCommandWith(stores, 'rebuild')
    t.is(refused.code, 2)
    t.regex(refused.stderr, /stop them first/)
    await Promise.all([one.end(), two.end()])
    const forgotten = await runCommandWith(stores, 'rebuild')
    t.is(forgotten.code, 0, forgotten.stderr)
    const worker = await startWorker(stores)
    t.teardown(() => worker.end())
    const rebuilt = await eventuallyReady(api)
    t.true(rebuilt)
    t.is((await runCommandWith(stores, 'audit', '--digests')).stdout, before.stdout)

    const login = await api.post('/api/login', { user: 'bob', passwd: 'correct horse', api_type: 'json' })
    t.truthy(login.at('json.data.modhash'), login.text)
  })
