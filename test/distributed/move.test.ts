import { writeFileSync } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { lastOrigin } from '../../src/history/origins.ts'
import { startTea } from '../support/cast.ts'
import { runCommand, runCommandWith } from '../support/command.ts'
import { postForm } from '../support/community.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { say, submit } from '../support/posting.ts'
import { type Environment, environmentOn, type Process, startApi, startWorker } from '../support/processes.ts'
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

/** Bob, or who is named, with the password of registration. */
const loggedIn = async (url: string, user = 'bob'): Promise<Caller> => {
  const login = await callerAt(url).post('/api/login', { user, passwd: 'correct horse', api_type: 'json' })
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
    await postForm(bob, '/api/vote', { id: link, dir: 1 })
    if (n % 2) await postForm(ann, '/api/lock', { id: link })
  }
  await site.stop()
  return { directory, file: join(directory, 'rostra.db'), links }
}

type Ran = Awaited<ReturnType<typeof runCommand>>

/** Returns the output of a command that succeeded. */
const saidBy = (t: ExecutionContext, ran: Ran): string => {
  t.is(ran.code, 0, ran.stdout + ran.stderr)
  return ran.stdout
}
/** Without the proof of the history, which stays with its stores. */
const digestsOf = (said: string) => said.replace(/^.* proved in .*\n/m, '')
const digestsOn = async (t: ExecutionContext, stores: Environment) =>
  digestsOf(saidBy(t, await runCommandWith(stores, 'audit', '--digests')))
const digestsIn = async (t: ExecutionContext, file: string) => digestsOf(saidBy(t, await runCommand('audit', file, '--digests')))

/** The name of the trees of a data file. */
const originIn = async (file: string): Promise<string | undefined> => {
  const history = sqliteHistory(`${file}.history`, true)
  try {
    return (await lastOrigin(history))?.name
  } finally {
    await history.close()
  }
}

/** The size of the last head that a host keeps. */
const keptIn = async ({ HISTORY_HEAD_FILE = '' }: Environment): Promise<number> =>
  Number(/\n\[(\d+),/.exec(await readFile(HISTORY_HEAD_FILE, 'utf8'))?.[1])

/** The events and secrets of an export, whatever store it is from. */
const contentOf = (exported: string) => {
  const { content, events, vault } = JSON.parse(exported.slice(0, exported.indexOf('\n')))
  return { content, events, vault }
}

/** Empty servers, and where the key of the history and its last head are kept. */
const emptyServers = async (t: ExecutionContext, directory: string, documentStoreUrl: string): Promise<Environment> => {
  const log = await startEventStoreServer()
  t.teardown(log.stop)
  return {
    ...environmentOn(`esdb://127.0.0.1:${log.port}?tls=false`, documentStoreUrl),
    HISTORY_KEY_FILE: join(directory, 'rostra.db.history-key'),
    HISTORY_HEAD_FILE: join(directory, 'last-head-on-servers'),
    HISTORY_HEAD_SECONDS: '1',
  }
}

/** A data file's export on servers, where nothing runs yet. */
const movedToServers = async (t: ExecutionContext, directory: string, carried: string, documentStoreUrl: string): Promise<Environment> => {
  const file = join(directory, 'rostra.db')
  const exported = saidBy(t, await runCommand('export', file, '--with-vault'))
  writeFileSync(carried, exported)
  const stores = await emptyServers(t, directory, documentStoreUrl)
  saidBy(t, await runCommandWith(stores, 'import', carried))
  t.regex(saidBy(t, await runCommandWith(stores, 'history', 'carry', '--from', `${file}.history`)), /goes on here\n$/)
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
else {
  test.after.always(server.stop)
  test.serial('a site moved from a data file to servers and back has the same documents, and accounts can log in', async (t) => {
    t.timeout(240_000)
    // given a site on a data file
    const { directory, file, links } = await populated(t)
    const before = await digestsIn(t, file)
    const origin = await originIn(file)

    // when it moves to servers, then it has the same documents, before any worker, with workers, and rebuilt
    const carried = join(directory, 'site.ndjson')
    const stores = await movedToServers(t, directory, carried, server.freshUrl())
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
    const copy = join(directory, 'copy.history')
    saidBy(t, await runCommandWith(stores, 'history', 'carry', '--to', copy))
    writeFileSync(carried, saidBy(t, await runCommandWith(stores, 'export', '--with-vault')))
    const home = temporaryDirectory(t)
    const back = join(home, 'rostra.db')
    saidBy(t, await runCommand('import', back, carried))
    t.is(await digestsIn(t, back), last, 'and back in a data file, before its first start')
    await copyFile(stores.HISTORY_KEY_FILE ?? '', `${back}.history-key`)
    t.regex(saidBy(t, await runCommand('history', back, 'carry', '--from', copy)), /goes on here\n$/)
    const homeSite = await startSite({ directory: home })
    t.teardown(homeSite.stop)
    const bobAtHome = await loggedIn(homeSite.url)
    t.true((await bobAtHome.get('/user/bob/comments')).text.includes('said on the servers'))
    await say(bobAtHome, links[2] ?? '', 'said at home')
    t.is((await homeSite.get('/history')).at('origin'), origin, 'verifiers continue')
    saidBy(t, await runCommand('audit', back))
  })

  const long = process.env.FULL_DISTRIBUTED === '1' ? test.serial : test.serial.skip
  long('servers that are backed up under load in the order of the manual are restored, audited, proved and go on', async (t) => {
    t.timeout(240_000)
    const { directory, links } = await populated(t)
    const stores = await movedToServers(t, directory, join(directory, 'site.ndjson'), server.freshUrl())
    const worker = started(t, await startWorker(stores))
    const process = started(t, await startApi(stores))
    const api = callerAt(process.url)
    t.true(await eventuallyReady(api))
    const head = async (from: Caller) => (await from.get('/history/log/checkpoint')).text
    const sizeOf = async (from: Caller) => Number((await head(from)).split('\n')[1])
    const grown = async (from: Caller, size: number) => {
      for (let tries = 0; tries < 300 && !((await sizeOf(from)) > size); tries++) await sleep(100)
      return (await sizeOf(from)) > size
    }
    const heads = join(directory, 'heads.json')
    const keep = async (from: Caller, log: string) =>
      writeFileSync(heads, JSON.stringify({ site: { origin: (await from.get('/history')).at('origin'), heads: { log } } }))

    // given acts and votes without pause
    const [ann, bob] = await Promise.all(['ann', 'bob'].map((user) => loggedIn(process.url, user)))
    let stopping = false
    const working = [ann, bob].map(async (who, n) => {
      for (let round = 0; !stopping; round++)
        if (n === 0) await who?.post(round % 2 === 0 ? '/api/lock' : '/api/unlock', { id: links[0] ?? '' })
        else await who?.post('/api/vote', { id: links[round % links.length] ?? '', dir: (round % 3) - 1 })
    })
    t.true(await grown(api, await sizeOf(api)))
    const early = await head(api)
    await keep(api, early)

    // when the history is backed up first, then the log with the vault
    const [copy, backup] = [join(directory, 'backup.history'), join(directory, 'backup.ndjson')]
    saidBy(t, await runCommandWith(stores, 'history', 'carry', '--to', copy))
    writeFileSync(backup, saidBy(t, await runCommandWith(stores, 'export', '--with-vault')))
    t.true(await grown(api, await sizeOf(api)))
    stopping = true
    await Promise.all(working)
    await Promise.all([process.end(), worker.end()])
    const late = (await keptIn(stores)) ?? 0

    // then it is restored, audited and proved
    const restored = { ...(await emptyServers(t, directory, server.freshUrl())), HISTORY_HEAD_FILE: stores.HISTORY_HEAD_FILE ?? '' }
    saidBy(t, await runCommandWith(restored, 'import', backup))
    t.regex(saidBy(t, await runCommandWith(restored, 'history', 'carry', '--from', copy)), /goes on here\n$/)
    const elsewhere = { ...restored, HISTORY_HEAD_FILE: join(directory, 'no-last-head') }
    t.regex(saidBy(t, await runCommandWith(elsewhere, 'audit')), / proved in \d+ ms: as they were signed under /)
    saidBy(t, await runCommandWith(elsewhere, 'verify', '--heads', heads))

    // but it lies behind the last head, which the host still has: that must be said
    const behind = await runCommandWith(restored, 'verify')
    t.is(behind.code, 1)
    t.regex(
      behind.stdout,
      /a head of \d+ leaves is kept in \S+, but there are only \d+: log and history were restored from an older backup\n/,
    )
    await t.throwsAsync(startApi(restored), { message: /a head of \d+ was signed and is kept in .*new-origin/ })
    const begun = saidBy(t, await runCommandWith(restored, 'history', 'new-origin'))
    t.regex(begun, new RegExp(`it names the last head, of ${late} events, of`))
    const again = started(t, await startWorker(restored))
    const next = started(t, await startApi(restored))
    const after = callerAt(next.url)
    t.true(await eventuallyReady(after))
    t.true(await grown(after, 0))
    t.is(String((await after.get('/history')).at('previous.0.checkpoint')).split('\n')[1], String(late))
    const before = await sizeOf(after)
    await say(await loggedIn(next.url), links[0] ?? '', 'said after the restore')
    t.true(await grown(after, before))
    await Promise.all([next.end(), again.end()])
    saidBy(t, await runCommandWith(restored, 'audit'))
  })
}
