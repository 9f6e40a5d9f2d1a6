import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { startCast } from '../support/cast.ts'
import { runCommand } from '../support/command.ts'
import { foundSubsite, id36, names, refusalOf, say, submit } from '../support/posting.ts'
import { contentsOf } from '../support/read-models.ts'
import { startService } from '../support/service-process.ts'
import { startSite, type TestSite, type User } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Every text and number in a value, by its path. */
const leavesOf = (value: unknown, path = ''): readonly (readonly [path: string, leaf: unknown])[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}/${name}`))
    : [[path, value]]

/** Returns the log and the read models of a data file. */
const contents = async (file: string) => {
  const stores = await openSqlite({ file })
  try {
    await stores.documents.prepare(collectionsOf(projections))
    return { events: await stores.events.readAll(LOG_START, 1_000), documents: await contentsOf(stores.documents, projections) }
  } finally {
    await stores.close()
  }
}

const erase = async (file: string, account: string) => {
  const stores = await openSqlite({ file })
  await openKeyring(stores.vault).eraseAccount(account)
  await stores.close()
}

const accepted = (answer: Awaited<ReturnType<User['post']>>) => {
  if (refusalOf(answer) !== '') throw new Error(`refused: ${answer.text}`)
}

/** Two people write in every place there is for text; what ann wrote says so. */
const populate = async (ann: User, bob: User, eve: User) => {
  await foundSubsite(bob, 'tea')
  const link = await submit(ann, 'tea', { title: 'ANN on leaves', url: 'https://example.com/ANN/leaf' })
  const post = await submit(ann, 'tea', { title: 'ANN on water', text: 'ANN says soft water' })
  const comment = await say(bob, post, 'bob says hard water')
  const reply = await say(ann, comment, 'ANN disagrees')
  accepted(await ann.post('/api/editusertext', { thing_id: post, text: 'ANN says softer water', api_type: 'json' }))
  for (const [to, writer] of [
    ['bob', ann],
    ['ann', bob],
  ] as const)
    accepted(
      await writer.post('/api/compose', {
        to,
        subject: `${writer.name.toUpperCase()} asks`,
        text: `${writer.name.toUpperCase()} would like some tea`,
        api_type: 'json',
      }),
    )
  await ann.request('PUT', '/api/v1/me/friends/bob', { json: { note: 'ANN likes him' } })
  await bob.request('PUT', '/api/v1/me/friends/ann', { json: { note: 'bob likes her' } })
  for (const id of [link, post, reply]) await bob.post('/api/remove', { id, spam: false })
  for (const id of [post, comment]) await bob.post('/api/approve', { id })
  await bob.post('/api/vote', { id: post, dir: -1 })
  await say(eve, post, 'eve says nothing nice')
  accepted(await bob.post('/s/tea/api/friend', { type: 'moderator_invite', name: 'ann', permissions: '+all', api_type: 'json' }))
  await ann.post('/s/tea/api/accept_moderator_invite', { api_type: 'json' })
  await bob.post('/api/lock', { id: post })
  const ban = { type: 'banned', name: 'eve', duration: 3, note: 'ANN finds it rude', ban_message: 'ANN asks for peace' }
  accepted(await ann.post('/s/tea/api/friend', { ...ban, api_type: 'json' }))
  return { link, post, comment, reply }
}

/** A data file in which ann wrote in every place there is for text, and its moderation log as bob read it. */
const startWritten = async (t: ExecutionContext) => {
  const directory = temporaryDirectory(t)
  const { site, ann, bob, eve } = await startCast(['ann', 'bob', 'eve'], { directory })
  const things = await populate(ann, bob, eve)
  const log = (await bob.get('/s/tea/about/log?limit=100')).text
  await site.stop()
  return { directory, file: join(directory, 'rostra.db'), ann, bob, log, ...things }
}
type Written = Awaited<ReturnType<typeof startWritten>>

type Leaves = ReadonlyMap<string, unknown>
const leavesIn = async (file: string): Promise<Leaves> => new Map(leavesOf((await contents(file)).documents))

/** Every text of hers became [erased], and nothing else changed but what is derived from them. */
const isErasedAlone = (t: ExecutionContext, { ann }: Written, before: Leaves, after: Leaves) => {
  t.deepEqual([...after.keys()], [...before.keys()], 'the same documents with the same fields')
  const hers = [...before].filter(([, leaf]) => /ANN/.test(String(leaf)))
  t.true(hers.length > 15, `only ${hers.length} texts of hers`)
  t.deepEqual(
    hers.filter(([path]) => after.get(path) !== '[erased]'),
    [],
    'all of her texts are gone',
  )
  const changed = [...after].filter(([path, leaf]) => leaf !== before.get(path))
  const documentOf = (path: string) => path.split('/').slice(0, 3).join('/')
  const isHers = (path: string) => ['author', 'target/author'].some((field) => before.get(`${documentOf(path)}/${field}`) === ann.id)
  const others = changed.filter(([path]) => !hers.some(([known]) => known === path) && !isHers(path))
  t.deepEqual(others, [], "nobody else's differ")
  const derived = /^\/links\/\d+\/(domain[23]?|urlKey)$|^\/comments\/\d+\/length$/
  t.deepEqual([...new Set(changed.filter(([path]) => !derived.test(path)).map(([, leaf]) => leaf))], ['[erased]'])
}

/** The pages stand as they were, with her words gone. */
const isShownErased = async (t: ExecutionContext, site: TestSite, { link, post, comment, reply }: Written) => {
  const page = await site.get(`/s/tea/comments/${id36(post)}?raw_json=1`)
  t.is(page.at('0.data.children.0.data.title'), '[erased]')
  t.is(page.at('0.data.children.0.data.selftext'), '[erased]')
  t.is(page.at('0.data.children.0.data.author'), 'ann')
  t.is(page.at('1.data.children.0.data.body'), 'bob says hard water')
  t.is(names(page, '1.data.children')[0], comment)
  t.notRegex(page.text, /ANN/)
  t.is((await site.get(`/by_id/${link}`)).status, 200)
  t.is((await site.get(`/api/info?id=${reply}`)).status, 200)
  const anonymous = await site.get('/s/tea/about/log?limit=100')
  t.notRegex(anonymous.text, /ANN|"target_(title|body)":"\[erased\]"/, 'the public reads nothing in its place')
}

/** Each entry of the moderation log stands, with her words gone. */
const isLoggedErased = async (t: ExecutionContext, site: TestSite, { bob, log: before }: Written) => {
  const login = await site.post('/api/login', { user: 'bob', passwd: bob.password, api_type: 'json' })
  t.is(refusalOf(login), '')
  const cookie = (login.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  const log = await site.get('/s/tea/about/log?limit=100', { Cookie: cookie })
  // an excerpt that was empty is sealed like any other
  const blank = (text: string) =>
    text
      .replaceAll(/"ANN[^"]*"/g, '"[erased]"')
      .replaceAll(/\/ann_on_\w+\//g, '/erased/')
      .replaceAll('"target_title":"[erased]","target_body":""', '"target_title":"[erased]","target_body":"[erased]"')
  // the numbers of entries come within seconds of them
  const kept = (text: string) => text.replace(/"modhash":[^,]*,/, '').replaceAll(/"k":(\d+|null),"n":(\d+|null),/g, '')
  t.is(kept(log.text), kept(blank(before)))
}

test('a rebuild without an account’s key has [erased] in place of its texts, and everything else as before', async (t) => {
  // given an account with texts everywhere
  const written = await startWritten(t)
  const { directory, file, ann } = written
  const before = await leavesIn(file)

  // when its key is destroyed and the read models are rebuilt
  await erase(file, ann.id)
  const rebuilt = await runCommand('rebuild', file)
  t.is(rebuilt.code, 0, rebuilt.stdout + rebuilt.stderr)

  // then its texts are gone, and they alone
  isErasedAlone(t, written, before, await leavesIn(file))
  const audit = await runCommand('audit', file)
  t.is(audit.code, 0, audit.stdout)
  const again = await startSite({ directory })
  t.teardown(again.stop)
  await isShownErased(t, again, written)
  await isLoggedErased(t, again, written)
})

test('no secret is in an event, a read model or a log line', async (t) => {
  const directory = temporaryDirectory(t)
  const service = await startService(directory, { LOG_LEVEL: 'trace', TRUST_PROXY: '1', CAPTCHA: 'off', RATE_LIMITS: 'off' })
  const password = 'a very secret password'
  const email = 'ann.hidden@mail.example'
  const address = '203.0.113.77'
  const from = { 'X-Forwarded-For': address }
  const register = { user: 'ann', passwd: password, passwd2: password, email, api_type: 'json' }
  const registered = await service.caller.post('/api/register', register, from)
  const cookie = (registered.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  const modhash = String(registered.at('json.data.modhash'))
  const ann = { ...from, Cookie: cookie, 'X-Modhash': modhash }
  const app = await service.caller.post('/api/v1/apps', { name: 'script', app_type: 'script', redirect_uri: 'http://localhost/' }, ann)
  const credentials = `${app.at('client_id')}:${app.at('client_secret')}`
  const basic = { ...from, Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  const granted = await service.caller.post('/api/v1/access_token', { grant_type: 'password', username: 'ann', password }, basic)
  const token = String(granted.at('access_token'))
  const bearer = { ...from, Authorization: `bearer ${token}` }
  t.is((await service.caller.get('/api/v1/me', bearer)).at('name'), 'ann')
  const title = 'a sealed title of ann'
  await service.caller.post('/api/site_admin', { name: 'tea', title: 'Tea', type: 'public', link_type: 'any', api_type: 'json' }, bearer)
  const submitted = await service.caller.post('/api/submit', { sr: 'tea', kind: 'self', title, text: `${title}, and more` }, bearer)
  t.is(refusalOf(submitted), '')
  await service.caller.post('/api/login', { user: 'ann', passwd: `${password}!`, api_type: 'json' }, from)
  await service.caller.get('/s/tea/new?limit=[', bearer)
  await service.caller.get('/api/me.json', { ...from, Cookie: `${cookie}x` })
  t.is((await service.end('SIGTERM')).code, 0)

  const secrets = [password, email, cookie.split('=')[1] ?? '', modhash, token, String(app.at('client_secret')), address]
  t.true(secrets.every((secret) => secret.length > 8))
  const all = await contents(join(directory, 'rostra.db'))
  const events = JSON.stringify(all.events)
  const documents = JSON.stringify(all.documents)
  t.true(events.includes('LinkSubmitted') && documents.includes(title))
  for (const [place, bytes] of Object.entries({ events, documents, 'log lines': service.said() }))
    t.deepEqual(
      secrets.filter((secret) => bytes.includes(secret)),
      [],
      `found in ${place}`,
    )
  t.false(events.includes(title), 'text is sealed in the log')

  const raw = (await readFile(join(directory, 'rostra.db'))).toString('latin1')
  t.deepEqual(
    [password, cookie.split('=')[1] ?? '', token, String(app.at('client_secret')), modhash].filter((secret) => raw.includes(secret)),
    [],
    'even the vault knows these only as hashes',
  )
})
