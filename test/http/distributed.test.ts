import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { Moderators, moderatorOf } from '../../src/domain/moderators.ts'
import { MAX_MULTIS_PER_ACCOUNT } from '../../src/domain/multi.ts'
import { isBanned, Relation } from '../../src/domain/relation.ts'
import { banUser } from '../../src/domain/restrictions.ts'
import { dueTimers } from '../../src/queries/timers.ts'
import { recordExpiry } from '../../src/reactions/expiry.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { eventually } from '../support/community.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { put } from '../support/multis.ts'
import { startApi } from '../support/processes.ts'
import { serverStores } from '../support/server-stores.ts'
import { type Answer, type Caller, callerAt, startSite, type User } from '../support/site.ts'

const DAY = 86_400_000

const server = await documentServer()

if (typeof server === 'string') test.skip(`the service on EventStoreDB and MongoDB is not tested: ${server}`, (t) => t.pass())
else {
  const log = await startEventStoreServer()
  const stores = serverStores(log, server)

  const startWorker = async () => {
    const child = spawn(process.execPath, [new URL('../../src/worker.ts', import.meta.url).pathname], {
      env: {
        ...process.env,
        EVENT_STORE_URL: stores.eventStoreUrl,
        DOCUMENT_STORE_URL: stores.documentStoreUrl,
        SESSION_SECRET: stores.sessionSecret,
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('the worker ended before it worked')))
    await Promise.race([once(child.stdout, 'data'), ended])
    ended.catch(() => undefined)
    return child
  }

  const workers = [await startWorker()]
  const killWorkers = () => Promise.all(workers.splice(0).map((worker) => worker.kill('SIGKILL') && once(worker, 'exit')))
  const first = await startSite({ ...stores, projections: 'external' })
  const second = await startSite({ ...stores, projections: 'external' })
  const ann = await first.register('ann')
  const { cookie, modhash } = await ann.session()
  const elsewhere = callerAt(second.url, { Cookie: cookie, 'X-Modhash': modhash })
  const tea = { api_type: 'json', name: 'tea', title: 'Tea', type: 'public', link_type: 'any', wikimode: 'disabled' }
  await ann.post('/api/site_admin', tea)

  test.after.always(async () => {
    await first.stop()
    await second.stop()
    for (const worker of workers) worker.kill('SIGKILL')
    await log.stop()
    await server.stop()
  })

  const submit = (title: string, headers = {}) =>
    elsewhere.post('/api/submit', { api_type: 'json', sr: 'tea', kind: 'self', title }, headers)

  /** Requests a page until it shows what was written, for a minute at most. */
  const readAfter = async ({ headers }: Answer, reader: Caller, path: string, limit = 1): Promise<Answer> => {
    const deadline = Date.now() + 60_000
    const look = () => reader.get(`${path}?limit=${limit}&min_position=${headers.get('x-log-position')}`)
    let read = await look()
    while (read.headers.get('x-stale') !== null && Date.now() < deadline) read = await look()
    return read
  }

  test.serial(
    'a deleted account is anonymous at every process within a second, also with a session that was just used there',
    async (t) => {
      const ben = await first.register('ben')
      const session = await ben.session()
      const there = callerAt(second.url, { Cookie: session.cookie, 'X-Modhash': session.modhash })
      t.is((await there.get('/api/me.json')).at('data.name'), 'ben')
      const deleted = await session.post('/api/delete_user', { passwd: ben.password })
      t.is(deleted.status, 200, deleted.text)
      await sleep(1_000)
      t.is((await there.get('/api/me.json')).at('data.name'), undefined)
    },
  )

  test.serial('a session begun at one process is valid at the other', async (t) => {
    t.is((await elsewhere.get('/api/me.json')).at('data.name'), 'ann')
  })

  test.serial('a write acknowledged by one process is read at the other with min_position', async (t) => {
    for (let n = 0; n < 5; n++) {
      const written = await submit(`number ${n}`)
      t.is(written.status, 200)
      // a read waits for a second, which may be too little for a busy worker
      const read = await readAfter(written, first, '/s/tea/new')
      t.is(read.headers.get('x-stale'), null)
      t.is(read.at('data.children.0.data.title'), `number ${n}`)
    }
  })

  test.serial('a write acknowledged in time by one process is read at the other at once, also from cached pages', async (t) => {
    const newest = async () => (await first.get('/s/tea/new?limit=1')).at('data.children.0.data.title')
    let inTime = 0
    for (let n = 0; n < 20; n++) {
      for (let look = 0; look < 3; look++) await newest()
      const asked = performance.now()
      const written = await submit(`at once ${n}`)
      if (performance.now() - asked < 900) {
        inTime++
        t.is(await newest(), `at once ${n}`)
      } else await readAfter(written, first, '/s/tea/new')
    }
    t.log(`${inTime} of 20 in time`)
  })

  test.serial('an Idempotency-Key used at one process is replayed at the other', async (t) => {
    const headers = { 'Idempotency-Key': 'shared' }
    const [one, other] = await Promise.all([
      callerAt(first.url, { Cookie: cookie, 'X-Modhash': modhash }).post(
        '/api/submit',
        { api_type: 'json', sr: 'tea', kind: 'self', title: 'once' },
        headers,
      ),
      submit('once', headers),
    ])
    t.is(one.at('json.data.id'), other.at('json.data.id'))
    t.truthy(one.at('json.data.id'))
  })

  test.serial('a name claimed concurrently at two processes is given once', async (t) => {
    const names = await Promise.all(
      [first, second].map((site) =>
        site.post('/api/register', { user: 'contested', passwd: 'correct horse', passwd2: 'correct horse', api_type: 'json' }),
      ),
    )
    t.deepEqual(names.map((answer) => answer.at('json.errors.0.0')).sort(), ['USERNAME_TAKEN', undefined])
  })

  test.serial('concurrent processes record the expiry of one ban once', async (t) => {
    const eve = await first.register('eve')
    const subsite = String((await ann.get('/s/tea/about')).at('data.name'))
    const ago = Date.now() - 2 * DAY
    const { app } = first.running
    const command = { ...commandOf(seedOf(app.mint()), { account: ann.id, as: 'moderator' }), at: ago }
    const between = { subsite, account: eve.id }
    await app.run(
      Relation,
      `${subsite}.${eve.id}`,
      banUser(between, { moderator: false, at: ago }, { days: 1, note: '', message: '' }),
      command,
    )
    // both processes look for expired bans here, in addition to the one that has the lease
    const look = ({ running: { app } }: typeof first) =>
      recordExpiry({ run: app.run, dueTimers: dueTimers(app.documents), clock: Date.now, report: (fault) => t.fail(String(fault)) })()
    const ends = async () => {
      const events = []
      for await (const page of app.readStream(`${Relation.category}-${subsite}.${eve.id}`)) events.push(...page)
      return events.filter(({ type }) => type === 'BanExpired').length
    }
    const lookAll = () => Promise.all([look(first), look(second)])
    t.true(await eventually(async () => (await lookAll()) && (await ends()) > 0))
    await lookAll()
    t.is(await ends(), 1)
    const log = await readAfter(await submit('after the ban'), first, '/s/tea/about/log', 100)
    t.is((log.at('data.children') as { data: { action: string } }[]).filter(({ data }) => data.action === 'unbanuser').length, 1)
  })

  test.serial('a ban at one process and an acceptance at the other leave no banned moderator', async (t) => {
    const { load, clock } = first.running.app
    const subsite = String((await ann.get('/s/tea/about')).at('data.name'))
    const befriend = (by: Caller, type: string, name: string) => by.post('/s/tea/api/friend', { type, name, api_type: 'json' })
    const people = await Promise.all(Array.from({ length: 6 }, (_, n) => first.register(`invited${n}`)))
    for (const { name } of people) t.is((await befriend(ann, 'moderator_invite', name)).text.includes('"errors":[]'), true)
    await Promise.all(
      people.flatMap((who) => [
        befriend(elsewhere, 'banned', who.name),
        who.post('/s/tea/api/accept_moderator_invite', { api_type: 'json' }),
      ]),
    )
    const holds = async ({ id }: User) => {
      const isModerator = moderatorOf(await load(Moderators, subsite), id) !== undefined
      return isModerator !== isBanned(await load(Relation, `${subsite}.${id}`), clock())
    }
    for (const who of people) t.true(await eventually(() => holds(who)), who.name)
  })

  test.serial('of multis created at once at two processes exactly as many are as an account can have', async (t) => {
    const hoarder = await first.register('hoarder')
    const session = await hoarder.session()
    // a process of its own, which shares nothing with the others but the stores
    const api = await startApi({
      EVENT_STORE_URL: stores.eventStoreUrl,
      DOCUMENT_STORE_URL: stores.documentStoreUrl,
      SESSION_SECRET: stores.sessionSecret,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    })
    t.teardown(api.kill)
    const there = callerAt(api.url, { Cookie: session.cookie, 'X-Modhash': session.modhash })
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, n) => put(n % 2 === 0 ? hoarder : there, `user/hoarder/m/no_${n}`, {})),
    )
    t.deepEqual(
      [201, 409].map((status) => answers.filter((answer) => answer.status === status).length),
      [MAX_MULTIS_PER_ACCOUNT, 130 - MAX_MULTIS_PER_ACCOUNT],
    )
  })

  test.serial('the shards of a dead worker are taken over by another', async (t) => {
    workers.push(await startWorker())
    workers[0]?.kill('SIGKILL')
    const written = await submit('after the death')
    t.is(written.status, 200, 'a write does not need the read models')
    t.is((await readAfter(written, first, '/s/tea/new')).at('data.children.0.data.title'), 'after the death')
    t.is((await first.get('/health/ready')).status, 200)
  })

  test.serial('without a running worker, the response to a write still shows what was written', async (t) => {
    await killWorkers()
    const write = async (path: string, form: Readonly<Record<string, string>>) => {
      const answer = await elsewhere.post(path, { api_type: 'json', ...form })
      t.is(answer.status, 200)
      return answer
    }
    const link = String((await submit('unseen')).at('json.data.name'))
    const commented = await write('/api/comment', { thing_id: link, text: 'first words' })
    const comment = String(commented.at('json.data.things.0.data.name'))
    t.like(commented.at('json.data.things.0.data'), { body: 'first words', author: 'ann', link_id: link, likes: true, is_submitter: true })
    const replied = await write('/api/comment', { thing_id: comment, text: 'an answer' })
    t.like(replied.at('json.data.things.0.data'), { body: 'an answer', parent_id: comment })
    for (const id of [link, comment]) {
      const edited = await write('/api/editusertext', { thing_id: id, text: 'other words' })
      const { selftext, body, edited: at } = edited.at('json.data.things.0.data') as Readonly<Record<string, unknown>>
      t.is(id === link ? selftext : body, 'other words')
      t.is(typeof at, 'number')
    }
  })

  test.serial('without a running worker, new accounts and subsites can act and be acted on', async (t) => {
    const nina = await first.register('nina')
    t.is((await nina.get('/api/v1/me')).at('name'), 'nina')
    t.is((await (await nina.session()).get('/api/me.json')).at('data.name'), 'nina')
    t.is((await nina.post('/api/site_admin', { ...tea, name: 'mate' })).text, '{"json":{"errors":[]}}')
    const added = await nina.post('/s/mate/api/friend', { api_type: 'json', type: 'contributor', name: 'ann' })
    t.is(added.text, '{"json":{"errors":[]}}')
    t.is((await nina.post('/s/nowhere/api/friend', { api_type: 'json', type: 'contributor', name: 'ann' })).status, 404)
    workers.push(await startWorker())
    t.true((await readAfter(added, nina, '/s/mate/about/contributors', 10)).text.includes('"ann"'))
  })

  test.serial('a mentioned account is notified, also before it is projected', async (t) => {
    await killWorkers()
    const otto = await first.register('otto')
    const link = String((await submit('for otto')).at('json.data.name'))
    const said = await elsewhere.post('/api/comment', { api_type: 'json', thing_id: link, text: 'ask /u/otto' })
    workers.push(await startWorker())
    const mentions = await readAfter(said, otto, '/message/mentions')
    t.is(mentions.at('data.children.0.data.name'), said.at('json.data.things.0.data.name'))
  })
}
