import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { startTea } from '../support/cast.ts'
import { runCommand, runCommandWith } from '../support/command.ts'
import { done } from '../support/community.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { say, submit } from '../support/posting.ts'
import { type Environment, type Process, startApi, startWorker } from '../support/processes.ts'
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

/** A site on a data file with links, comments, votes and locks; its directory and links. */
const populated = async (t: ExecutionContext) => {
  const directory = temporaryDirectory(t)
  const { site, ann, bob } = await startTea([], { directory })
  const links: string[] = []
  for (let n = 0; n < 5; n++) {
    const link = await submit(ann, 'tea')
    links.push(link)
    await say(bob, link)
    await done(bob, '/api/vote', { id: link, dir: 1 })
    if (n % 2) await done(ann, '/api/lock', { id: link })
  }
  await site.stop()
  return { directory, file: join(directory, 'rostra.db'), links }
}

type Ran = Awaited<ReturnType<typeof runCommand>>

/** What a command said that succeeded. */
const saidBy = (t: ExecutionContext, ran: Ran): string => {
  t.is(ran.code, 0, ran.stdout + ran.stderr)
  return ran.stdout
}
/** Without the proof of the history, which stays with its stores. */
const digestsOf = (said: string) => said.replace(/^.* proved in .*\n/m, '')
const digestsOn = async (t: ExecutionContext, stores: Environment) =>
  digestsOf(saidBy(t, await runCommandWith(stores, 'audit', '--digests')))
const digestsIn = async (t: ExecutionContext, file: string) => digestsOf(saidBy(t, await runCommand('audit', file, '--digests')))

/** The events and secrets of an export, whatever store it is from. */
const contentOf = (exported: string) => {
  const { content, events, vault } = JSON.parse(exported.slice(0, exported.indexOf('\n')))
  return { content, events, vault }
}

/** A data file's export on servers, where nothing runs yet. */
const movedToServers = async (t: ExecutionContext, file: string, carried: string, documentStoreUrl: string): Promise<Environment> => {
  const exported = saidBy(t, await runCommand('export', file, '--with-vault'))
  writeFileSync(carried, exported)
  const log = await startEventStoreServer()
  t.teardown(log.stop)
  const stores = {
    EVENT_STORE_URL: `esdb://127.0.0.1:${log.port}?tls=false`,
    DOCUMENT_STORE_URL: documentStoreUrl,
    SESSION_SECRET: 'a secret of at least 32 characters',
    LOG_LEVEL: 'error',
  }
  saidBy(t, await runCommandWith(stores, 'import', carried))
  t.deepEqual(contentOf(saidBy(t, await runCommandWith(stores, 'export', '--with-vault'))), contentOf(exported))
  return stores
}

const started = (t: ExecutionContext, process: Process): Process => {
  t.teardown(() => process.child.exitCode === null && process.child.kill('SIGKILL'))
  return process
}

/** Read models are forgotten only while no worker runs, and built anew by the next. */
const rebuilt = async (t: ExecutionContext, stores: Environment, workers: readonly Process[]): Promise<Process> => {
  const refused = await runCommandWith(stores, 'rebuild')
  t.is(refused.code, 2)
  t.regex(refused.stderr, /stop them first/)
  await Promise.all(workers.map(({ end }) => end()))
  saidBy(t, await runCommandWith(stores, 'rebuild'))
  return started(t, await startWorker(stores))
}

if (typeof server === 'string') test.skip(`a move to servers is not tried: ${server}`, (t) => t.pass())
else
  test('a site moved from a data file to servers and back has the same documents, and accounts can log in', async (t) => {
    t.timeout(240_000)
    t.teardown(server.stop)
    // given a site on a data file
    const { directory, file, links } = await populated(t)
    const before = await digestsIn(t, file)

    // when it moves to servers, then it has the same documents, before any worker, with workers, and rebuilt
    const carried = join(directory, 'site.ndjson')
    const stores = await movedToServers(t, file, carried, server.freshUrl())
    t.is(await digestsOn(t, stores), before, 'right after the import, before any worker')
    const workers = [started(t, await startWorker(stores)), started(t, await startWorker(stores))]
    const process = started(t, await startApi(stores))
    const api = callerAt(process.url)
    t.true(await eventuallyReady(api))
    t.is(await digestsOn(t, stores), before)
    const worker = await rebuilt(t, stores, workers)
    t.true(await eventuallyReady(api))
    t.is(await digestsOn(t, stores), before)

    // when somebody writes there
    await say(await loggedIn(process.url), links[0] ?? '', 'said on the servers')
    t.true(await eventuallyReady(api))
    const last = await digestsOn(t, stores)
    await Promise.all([process.end(), worker.end()])

    // then what was written is back in the data file with the rest, and the site serves it
    writeFileSync(carried, saidBy(t, await runCommandWith(stores, 'export', '--with-vault')))
    const home = temporaryDirectory(t)
    const back = join(home, 'rostra.db')
    saidBy(t, await runCommand('import', back, carried))
    t.is(await digestsIn(t, back), last, 'and back in a data file, before its first start')
    const homeSite = await startSite({ directory: home })
    t.teardown(homeSite.stop)
    const bobAtHome = await loggedIn(homeSite.url)
    t.true((await bobAtHome.get('/user/bob/comments')).text.includes('said on the servers'))
    await say(bobAtHome, links[2] ?? '', 'said at home')
    saidBy(t, await runCommand('audit', back))
  })
