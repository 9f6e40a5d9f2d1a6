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

/** Bob, with the password he registered with. */
const loggedIn = async (url: string): Promise<Caller> => {
  const login = await callerAt(url).post('/api/login', { user: 'bob', passwd: 'correct horse', api_type: 'json' })
  const cookie = (login.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  return callerAt(url, { Cookie: cookie, 'X-Modhash': String(login.at('json.data.modhash')) })
}

if (typeof server === 'string') test.skip(`a move to servers is not tried: ${server}`, (t) => t.pass())
else
  test('a site moved from a data file to servers and back has the same documents, and accounts can log in', async (t) => {
    t.timeout(240_000)
    const directory = temporaryDirectory(t)
    const site = await startSite({ directory })
    const [ann, bob] = [await site.register('ann'), await site.register('bob')]
    await found(ann, 'tea')
    const links: string[] = []
    for (let n = 0; n < 5; n++) {
      const link = await submit(ann, 'tea')
      links.push(link)
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

    const unbuilt = await runCommandWith(stores, 'audit', '--digests')
    t.is(unbuilt.code, 0, unbuilt.stdout + unbuilt.stderr)
    t.is(unbuilt.stdout, before.stdout, 'right after the import, before any worker')

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

    const there = await loggedIn(processes[2].url)
    await say(there, links[0] ?? '', 'said on the servers')
    t.true(await eventuallyReady(api))
    const last = await runCommandWith(stores, 'audit', '--digests')
    t.is(last.code, 0, last.stdout + last.stderr)
    await Promise.all([processes[2].end(), worker.end()])

    const leaving = await runCommandWith(stores, 'export', '--with-vault')
    writeFileSync(carried, leaving.stdout)
    const home = temporaryDirectory(t)
    const back = join(home, 'rostra.db')
    const returned = await runCommand('import', back, carried)
    t.is(returned.code, 0, returned.stderr)
    const atHome = await runCommand('audit', back, '--digests')
    t.is(atHome.code, 0, atHome.stdout + atHome.stderr)
    t.is(atHome.stdout, last.stdout, 'and back in a data file, before its first start')
    const homeSite = await startSite({ directory: home })
    t.teardown(() => homeSite.stop())
    const bobAtHome = await loggedIn(homeSite.url)
    t.true((await bobAtHome.get('/user/bob/comments')).text.includes('said on the servers'))
    await say(bobAtHome, links[2] ?? '', 'said at home')
    t.is((await runCommand('audit', back)).code, 0)
  })
