import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { runCommand } from '../support/command.ts'
import { FULL } from '../support/full.ts'
import { type Client, insist, insistOnWriting, openClient } from '../support/insistent-client.ts'
import { randomFrom } from '../support/random.ts'
import { registerSession, type ServiceProcess, type Session, startService } from '../support/service-process.ts'
import { type Answer, type Caller, callerAt } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const KILLS = FULL ? 100 : 3
const SEED = Number(process.env.FAULT_SEED ?? 7)
const CLIENTS = 8
const MODERATORS = 4

type Data = Readonly<Record<string, unknown>>

const records = (page: Answer): readonly Data[] => {
  const children = page.at('data.children')
  if (!Array.isArray(children)) throw new Error(`no listing: ${page.status} ${page.text}`)
  return children.map(({ data }: { readonly data: Data }) => data)
}

/** Everything in a listing, from its first page to its last. */
const all = async (reader: Caller, path: string): Promise<readonly Data[]> => {
  const found: Data[] = []
  for (let after: unknown = ''; after !== null; ) {
    const page = await reader.get(`${path}${path.includes('?') ? '&' : '?'}limit=100&raw_json=1&after=${after}`)
    found.push(...records(page))
    after = page.at('data.after')
  }
  return found
}

const valuesOf = (found: readonly Data[], field: string) => found.map((data) => String(data[field])).toSorted()

/** The records of things, however many. */
const things = async (reader: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, Data>> => {
  const found = new Map<string, Data>()
  for (let i = 0; i < ids.length; i += 100) {
    const page = await reader.get(`/api/info?id=${ids.slice(i, i + 100).join(',')}`)
    for (const data of records(page)) found.set(String(data.name), data)
  }
  return found
}

/** A service with a subsite, clients of which some moderate it, and an account that only reads. */
const startScene = async (t: ExecutionContext) => {
  const directory = temporaryDirectory(t)
  const service = await startService(directory)
  const sessions: Session[] = []
  for (let i = 0; i < CLIENTS; i++) sessions.push(await registerSession(service.caller, `client${i}`))
  const reader = await registerSession(service.caller, 'reader')
  const clients = sessions.map(openClient)
  const [founder] = clients as [Client]
  const moderators = clients.slice(0, MODERATORS)
  const url = () => service.url
  const founding = { name: 'tea', title: 'Tea', link_type: 'any', type: 'public' }
  t.is((await insist(url, founder.by, 'tea', '/api/site_admin', founding)).status, 200)
  for (const { by } of moderators.slice(1)) {
    const invitation = { type: 'moderator_invite', name: by.name, permissions: '+all' }
    await insist(url, founder.by, `invite-${by.name}`, '/s/tea/api/friend', invitation)
    t.is((await insist(url, by, 'accept', '/s/tea/api/accept_moderator_invite', {})).status, 200)
  }
  return { directory, service, clients, founder, moderators, reader }
}
type Scene = Omit<Awaited<ReturnType<typeof startScene>>, 'service'>

/** Kills the service while the clients write, and starts it again, again and again; the last one, and what all of them said. */
const killUnderLoad = async (t: ExecutionContext, first: ServiceProcess, { directory, clients, moderators }: Scene) => {
  const random = randomFrom(SEED)
  let service = first
  t.teardown(() => service.end('SIGKILL'))
  let finished = false
  const shared: string[] = []
  const writing = Promise.all(
    clients.map((client, i) =>
      insistOnWriting(client, {
        url: () => service.url,
        finished: () => finished,
        seed: SEED * 100 + i,
        shared,
        moderator: moderators.includes(client),
      }),
    ),
  )
  const acknowledgedSoFar = () => clients.reduce((sum, client) => sum + client.acknowledged.length, 0)
  /** However busy the machine is, there is work between two kills; then they come at any moment of it. */
  const atWork = async () => {
    const enough = acknowledgedSoFar() + 20 + random() * 60
    while (acknowledgedSoFar() < enough) await sleep(2)
    await sleep(random() * 20)
  }
  const starts: number[] = []
  const said: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await atWork()
    await service.end('SIGKILL')
    said.push(service.said())
    service = await startService(directory)
    starts.push(service.startedIn)
  }
  await atWork()
  finished = true
  await writing
  t.log(`${acknowledgedSoFar()} writes, ${KILLS} kills, starts of ${starts.map((ms) => Math.round(ms)).join(', ')} ms`)
  // the machine may be busy with something else, but hardly every time
  if (FULL) t.true(Math.min(...starts.slice(-10)) <= 2_000, 'every start took longer than two seconds')
  return { service, said }
}

/** Every acknowledged write is shown exactly once on the pages of its client, and nothing else is. */
const isOnOwnPages = async (t: ExecutionContext, { url }: ServiceProcess, { clients }: Scene) => {
  for (const { by, links, comments, messages, marks } of clients) {
    const own = callerAt(url, by.headers)
    t.deepEqual(valuesOf(await all(own, `/user/${by.name}/submitted`), 'title'), [...links.values()].toSorted())
    t.deepEqual(valuesOf(await all(own, `/user/${by.name}/comments`), 'body'), [...comments.values()].toSorted())
    t.deepEqual(
      valuesOf(await all(own, '/message/sent'), 'subject').filter((subject) => / asks number /.test(subject)),
      messages.toSorted(),
    )
    const seen = await things(own, [...marks.keys()])
    for (const [link, { insightful, funny }] of marks) {
      const { likes, dislikes } = seen.get(link) ?? {}
      t.deepEqual({ likes, dislikes }, { likes: insightful || null, dislikes: funny || null }, `${by.name} on ${link}`)
    }
  }
}

/** Each subsite that somebody founded is theirs, once. */
const isFoundedOnce = async (t: ExecutionContext, { url, caller }: ServiceProcess, { clients }: Scene) => {
  for (const { by, subsites } of clients)
    for (const name of subsites) {
      t.is((await caller.get(`/s/${name}/about`)).at('data.subscribers'), 1, name)
      const moderators = await callerAt(url, by.headers).get(`/s/${name}/about/moderators`)
      t.like(moderators.at('data.children'), [{ name: by.name, mod_permissions: ['all'] }])
    }
}

const isDelivered = async (t: ExecutionContext, { url }: ServiceProcess, { clients, reader }: Scene) =>
  t.deepEqual(
    valuesOf(await all(callerAt(url, reader.headers), '/message/inbox'), 'subject'),
    clients.flatMap(({ messages }) => messages).toSorted(),
  )

/** Votes, locks and removals of all clients together are what the links show, and each act of moderation is an entry of the log. */
const isCounted = async (t: ExecutionContext, { url }: ServiceProcess, { clients, founder, moderators }: Scene) => {
  const own = callerAt(url, founder.by.headers)
  const everyLink = await things(
    own,
    clients.flatMap(({ links }) => [...links.keys()]),
  )
  for (const [link, { ups, downs, locked, banned_by, author }] of everyLink) {
    const marks = clients.flatMap((client) => client.marks.get(link) ?? [])
    t.is(ups, marks.filter(({ insightful }) => insightful).length)
    t.is(downs, marks.filter(({ funny }) => funny).length)
    const owner = clients.find(({ by }) => by.name === author)
    t.is(locked, owner?.locked.get(link) ?? false)
    t.is(banned_by, owner?.removed.get(link) ? author : null)
  }
  for (const { by, entries } of moderators)
    for (const [type, count] of entries)
      t.is((await all(own, `/s/tea/about/log?type=${type}&mod=${by.name}`)).length, count, `${type} by ${by.name}`)
}

const isReplayed = async (t: ExecutionContext, { url }: ServiceProcess, { clients }: Scene) => {
  for (const client of clients)
    for (const { key, path, form, body } of FULL ? client.acknowledged : client.acknowledged.slice(-20)) {
      const again = await insist(() => url, client.by, key, path, form)
      t.is(again.text, body)
      t.is(again.headers.get('idempotent-replayed'), 'true')
    }
}

test('a service repeatedly killed under load loses and duplicates no acknowledged write, and repeated requests get the same response', async (t) => {
  t.timeout(FULL ? 600_000 : 300_000)
  // given clients who go on until they are answered
  const { service: first, ...scene } = await startScene(t)

  // when the service is killed, at any moment of their work
  const { service, said } = await killUnderLoad(t, first, scene)

  // then all that was acknowledged is there, once
  await isOnOwnPages(t, service, scene)
  await isFoundedOnce(t, service, scene)
  await isDelivered(t, service, scene)
  await isCounted(t, service, scene)
  await isReplayed(t, service, scene)

  // then nothing had to be reported, and an audit finds nothing
  t.is((await service.end('SIGTERM')).code, 0)
  t.deepEqual(
    [...said, service.said()].filter((lines) => /"level":[56]0/.test(lines)),
    [],
    'nothing that went wrong needed to be told',
  )
  const audit = await runCommand('audit', join(scene.directory, 'rostra.db'))
  t.is(audit.code, 0, audit.stdout + audit.stderr)
})
