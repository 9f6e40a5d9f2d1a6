import { block, Contact } from '../../src/domain/friends-and-blocks.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { five, startCast } from '../support/cast.ts'
import { recordsNothing } from '../support/community.ts'
import { refusalOf } from '../support/posting.ts'
import { accountsIn, newSubsite } from '../support/scenes.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const people = [...five, 'nina'] as const
const test = testOn(() => startCast(people))

test.serial('a session makes friends in the container of its own account', async (t) => {
  const { site, carol, bob } = t.context
  const session = await carol.session()
  const names = async () =>
    ((await session.get('/prefs/friends')).at('0.data.children') as { name: string; note: string }[]).map(
      (row) => `${row.name} ${row.note}`,
    )
  const form = { type: 'friend', name: 'bob', container: carol.id }
  t.is(refusalOf(await session.post('/api/friend', { ...form, note: 'kind' })), '')
  t.deepEqual(await names(), ['bob kind'])
  t.true(
    await recordsNothing(site, async () => {
      t.is((await session.post('/api/friend', { ...form, container: bob.id })).status, 403)
      t.is(refusalOf(await session.post('/api/friend', { ...form, name: 'ann', container: 't2_zzzz' })), '')
      t.is(refusalOf(await session.post('/api/friend', { type: 'friend', name: 'ann' })), '')
      t.is(refusalOf(await session.post('/api/friend', { ...form, note: 'kind' })), '')
      t.is((await site.post('/api/friend', form, { Cookie: session.cookie })).status, 403)
    }),
  )
  t.is((await session.post('/s/all/api/unfriend', form)).text, '{}')
  t.deepEqual(await names(), [])
  t.is((await session.get('/prefs/friends')).at('1.data.children.0'), undefined)
})

const friendAt = '/api/v1/me/friends/DAVE'

test.serial('friends can be added, read and removed by the v1 endpoint', async (t) => {
  const { ann, dave } = t.context
  const created = await ann.request('PUT', friendAt, { json: { note: 'met at tea' } })
  t.is(created.status, 201)
  t.like(created.body, { id: dave.id, name: 'dave', note: 'met at tea' })
  t.is((await ann.get(friendAt)).at('note'), 'met at tea')
  t.deepEqual(
    (await accountsIn(ann, '/api/v1/me/friends/')).map((row) => row.name),
    ['dave'],
  )
  const gone = await ann.request('DELETE', friendAt)
  t.is(gone.status, 204)
  t.is(gone.text, '')
  for (const method of ['DELETE', 'GET']) t.is((await ann.request(method, friendAt)).at('reason'), 'NOT_FRIEND', method)
})

test.serial('a friend put again keeps its note unless there is another, and a null removes it', async (t) => {
  const { ann } = t.context
  const put = (json: unknown) => ann.request('PUT', friendAt, { json })
  await put({ note: 'met at tea' })
  t.is((await put({ name: 'dave', user: 'x' })).status, 200)
  t.is((await ann.get(friendAt)).at('note'), 'met at tea')
  t.is((await put({ note: null })).at('note'), '')
  t.is((await ann.request('PUT', friendAt, { body: '{}' })).status, 200, 'a body without a type')
  await ann.request('DELETE', friendAt)
})

test.serial('the record of an account says to its friend alone that it is one', async (t) => {
  const { ann, bob } = t.context
  await ann.request('PUT', friendAt, { json: {} })
  t.is((await ann.get('/user/dave/about')).at('data.is_friend'), true)
  t.is((await bob.get('/user/dave/about')).at('data.is_friend'), false)
  await ann.request('DELETE', friendAt)
})

test.serial('an invalid friend is refused with its problem, and changes nothing', async (t) => {
  const { site, ann } = t.context
  await ann.request('PUT', friendAt, { json: {} })
  const refused = async (sending: Parameters<Caller['request']>[2], reason: string, field: string | undefined) =>
    t.true(
      await recordsNothing(site, async () => {
        const answer = await ann.request('PUT', friendAt, sending)
        t.is(answer.status, 400)
        t.is(answer.at('reason'), reason)
        if (field) t.deepEqual(answer.at('fields'), [field])
      }),
      reason,
    )
  await refused({ body: '' }, 'JSON_PARSE_ERROR', undefined)
  await refused({ body: '{"note"' }, 'JSON_PARSE_ERROR', undefined)
  await refused({ json: [] }, 'JSON_INVALID', undefined)
  await refused({ json: { note: 'x'.repeat(301) } }, 'TOO_LONG', 'note')
  for (const control of ['\0', '\t', '\n', '\u001b', '\u0085', '\u009b'])
    await refused({ json: { note: `met${control}at tea` } }, 'BAD_STRING', 'note')
  await refused({ json: { name: 'bob' } }, 'BAD_USERNAME', 'name')
  await refused({ json: { name: 'nobody' } }, 'USER_DOESNT_EXIST', 'name')
  t.is((await ann.request('PUT', '/api/v1/me/friends/nobody', { json: {} })).at('reason'), 'USER_DOESNT_EXIST')
  await ann.request('DELETE', friendAt)
})

test.serial('the v1 endpoint of friends needs a token with its scope', async (t) => {
  const { ann } = t.context
  t.is((await (await ann.withScopes('read')).request('PUT', friendAt, { json: {} })).status, 403)
  t.is((await (await ann.session()).request('PUT', friendAt, { json: {} })).status, 401)
})

test.serial('half a surrogate pair in the note of a friend becomes U+FFFD, and nothing else in the note changes', async (t) => {
  const { ann, carol } = t.context
  const path = `/api/v1/me/friends/${carol.name}`
  const notes = {
    'a\ud800b': 'a\ufffdb',
    '\udfff': '\ufffd',
    '\udc00\ud800': '\ufffd\ufffd',
    '\ud83c\ud83c\udf75': '\ufffd🍵',
    '\\ud800 \\': '\\ud800 \\',
  }
  for (const [sent, kept] of Object.entries(notes)) {
    t.is((await ann.request('PUT', path, { json: { note: sent } })).at('note'), kept)
    t.is((await ann.get(path)).at('note'), kept)
  }
  const escaped = { '{"note":"\\uD83C\\uDF75 \\\\\\ud800"}': '🍵 \\\ufffd', '{"note":"\\\\ud800"}': '\\ud800' }
  for (const [body, kept] of Object.entries(escaped)) t.is((await ann.request('PUT', path, { body })).at('note'), kept, body)
  for (const body of ['{"note":"\\ud8","}', '{"note":"\\ud80"}', '{"note":\\ud800}'])
    t.is((await ann.request('PUT', path, { body })).at('reason'), 'JSON_PARSE_ERROR', body)
  await ann.request('DELETE', path)
})

test.serial('unfriending with the type enemy ends one’s own block only', async (t) => {
  const { site, ann, bob } = t.context
  const { app } = site.running
  const blocked = async () => (await app.load(Contact, `${ann.id}.${bob.id}`))?.blocked
  const command = commandOf(seedOf(app.mint()), { account: ann.id, as: 'user' })
  await app.run(Contact, `${ann.id}.${bob.id}`, block({ account: ann.id, other: bob.id }), command)
  t.true(
    await recordsNothing(site, async () => {
      t.is((await ann.post('/api/unfriend', { type: 'enemy', name: 'bob', container: bob.id })).status, 403)
      t.is((await ann.post('/api/unfriend', { type: 'enemy', name: 'bob' })).text, '{}')
      t.is((await bob.post('/api/unfriend', { type: 'enemy', name: 'ann', container: bob.id })).text, '{}')
      const token = await ann.withScopes('subscribe')
      t.is((await token.post('/api/unfriend', { type: 'enemy', name: 'bob', container: ann.id })).status, 403)
    }),
  )
  t.true(await blocked())
  const token = await ann.withScopes('privatemessages')
  t.is((await token.post('/s/all/api/unfriend', { type: 'enemy', name: 'bob', container: ann.id })).text, '{}')
  t.false(await blocked())
})

test.serial('the record of an account is public', async (t) => {
  const { site, ann, bob, nina } = t.context
  await newSubsite(t.context)
  const about = await bob.get('/user/ANN/about.json')
  t.like(about.body, { kind: 't2' })
  t.like(about.at('data'), {
    id: ann.id.slice(3),
    name: 'ann',
    link_karma: 1,
    comment_karma: 0,
    total_karma: 1,
    is_gold: false,
    is_mod: true,
    is_friend: false,
  })
  t.is((await nina.get('/user/nina/about')).at('data.is_mod'), false)
  for (const path of ['/user/nobody/about', '/user/a%20b/about', `/user/${'x'.repeat(21)}/about`])
    t.is((await site.get(path)).status, 404, path)
})

test.serial('the record of an account shows its unread count and modhash to the account only, and low karma to admins', async (t) => {
  const { bob, root } = t.context
  t.is((await bob.get('/user/ann/about')).at('data.inbox_count'), undefined)
  t.not((await bob.get('/user/bob/about')).at('data.inbox_count'), undefined)
  t.is((await bob.get('/user/bob/about')).at('data.modhash'), undefined)
  const session = await bob.session()
  t.is((await session.get('/user/bob/about')).at('data.modhash'), session.modhash)
  t.is((await session.get('/api/me.json')).at('data.is_friend'), false)
  t.is((await bob.get('/api/v1/me')).at('is_friend'), undefined)
  t.is((await root.get('/user/ann/about')).at('data.link_karma'), 0, 'admins see below the floor')
})

test.serial('the user me is the account that asks', async (t) => {
  const { site, bob } = t.context
  t.is((await bob.get('/user/me/about.json')).headers.get('location'), '/user/bob/about.json')
  t.is((await site.get('/user/me/about')).at('reason'), 'USER_REQUIRED')
})

test.serial('a user name is available unless an account has it, and is refused if no account could', async (t) => {
  const { site } = t.context
  t.is((await site.get('/api/username_available?user=ANN')).text, 'false')
  t.is((await site.get('/api/username_available.json?user=nobody')).text, 'true')
  for (const user of ['', 'ab', 'x'.repeat(21), 'a b'])
    t.is(refusalOf(await site.get(`/api/username_available?user=${user}`)), 'BAD_USERNAME user', user)
})
