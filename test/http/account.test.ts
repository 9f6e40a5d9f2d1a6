import { joinSite, startCast } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(async () => {
  const { site, Ann: ann, root } = await startCast(['Ann', 'root'])
  return { site, ann, root }
})

test('GET /api/v1/me returns the account of the token without an envelope', async (t) => {
  const { ann, root } = t.context
  const me = await ann.get('/api/v1/me')
  t.is(me.status, 200)
  t.like(me.body, {
    id: ann.id.slice(3),
    name: 'Ann',
    link_karma: 1,
    comment_karma: 0,
    total_karma: 1,
    is_mod: false,
    is_employee: false,
    inbox_count: 0,
    has_mail: false,
    is_suspended: false,
    features: {},
  })
  t.is(typeof me.at('created_utc'), 'number')
  for (const member of ['kind', 'data', 'modhash', 'date', 'is_friend']) t.is(me.at(member), undefined, member)
  t.is((await root.get('/api/v1/me')).at('is_employee'), true)
})

test('only a token with the scope privatemessages shows whether there is mail', async (t) => {
  const { ann } = t.context
  const identity = await ann.withScopes('identity')
  t.is((await identity.get('/api/v1/me')).at('has_mail'), undefined)
  t.is((await identity.get('/api/v1/me')).at('inbox_count'), 0)
  t.is((await (await ann.withScopes('identity', 'privatemessages')).get('/api/v1/me')).at('has_mail'), false)
})

test('GET /api/v1/me needs a token of an account with the scope identity', async (t) => {
  const { site, ann } = t.context
  const anonymous = await site.get('/api/v1/me')
  t.is(anonymous.status, 401)
  t.regex(anonymous.headers.get('www-authenticate') ?? '', /error="invalid_token"$/)
  t.is((await (await ann.session()).get('/api/v1/me')).status, 401)
  t.is((await (await site.appOnly()).get('/api/v1/me')).at('reason'), 'USER_REQUIRED')
  t.is((await (await ann.withScopes('read')).get('/api/v1/me')).status, 403)
  t.is((await site.get('/api/v1/me', { Authorization: 'bearer nonsense' })).status, 401)
})

test('GET /api/me.json returns the account and modhash of a session, and to anonymous callers features only', async (t) => {
  const { site, ann } = t.context
  const session = await ann.session()
  for (const path of ['/api/me.json', '/api/me', '/api/me/']) {
    const me = await session.get(path)
    t.is(me.at('kind'), 't2', path)
    t.like(me.at('data'), { name: 'Ann', modhash: session.modhash, has_mail: false })
    t.deepEqual((await site.get(path)).body, { data: { features: {} } })
  }
  t.is((await ann.get('/api/me.json')).status, 400)
})

test('scopes are described, all or those requested; an unknown one is an error that names it', async (t) => {
  const { site } = t.context
  const all = (await site.get('/api/v1/scopes')).body as Record<string, { id: string; name: string; description: string }>
  t.is(Object.keys(all).length, 23)
  for (const [id, scope] of Object.entries(all)) {
    t.is(scope.id, id)
    t.true(scope.description.length > 0)
  }
  const some = async (scopes: string) => Object.keys((await site.get(`/api/v1/scopes?scopes=${scopes}`)).body as object).sort()
  t.deepEqual(await some('read,vote'), ['read', 'vote'])
  t.deepEqual(await some('read%20vote%20read'), ['read', 'vote'])
  for (const between of [',%20', '%20,', '%20,%20', '%20%20', '+']) t.deepEqual(await some(`read${between}vote`), ['read', 'vote'], between)
  t.deepEqual(await some('tea%2Bcoffee:read'), ['read'])
  t.is((await site.get('/api/v1/scopes?min_position=x')).status, 400)
  for (const [scopes, unknown] of [
    ['read,fly', ['fly']],
    ['read,', ['']],
    ['read,%20,vote', ['']],
    ['*', ['*']],
  ] as const) {
    const refused = await site.get(`/api/v1/scopes?scopes=${scopes}`)
    t.is(refused.status, 400)
    t.like(refused.body, { error: 'invalid_scopes', invalid_scopes: unknown, message: 'Bad Request', reason: 'OAUTH2_INVALID_SCOPE' })
  }
})

test('karma is listed by subsite, the highest first, with minimums, and stays when the post is deleted', async (t) => {
  const { site } = t.context
  const { who, fan } = await joinSite(site, 'who', 'fan')
  for (const name of ['little', 'much', 'none']) await foundSubsite(fan, name)
  t.deepEqual((await who.get('/api/v1/me/karma')).body, { kind: 'KarmaList', data: [] })
  const [one, other] = [await submit(who, 'little'), await submit(who, 'much')]
  const comment = await say(who, other)
  await submit(who, 'none')
  await postForm(who, '/api/vote', { id: comment, dir: -1 })
  await postForm(fan, '/api/vote', { id: one, dir: -1 })
  await postForm(fan, '/api/vote', { id: other, dir: 1 })
  await postForm(fan, '/api/vote', { id: comment, dir: -1 })
  const karma = [
    { sr: 'much', link_karma: 2, comment_karma: 1 },
    { sr: 'little', link_karma: 1, comment_karma: 0 },
  ]
  t.deepEqual((await who.get('/api/v1/me/karma')).at('data'), karma)
  await postForm(who, '/api/del', { id: other })
  t.deepEqual((await who.get('/api/v1/me/karma')).at('data'), karma)
  await postForm(fan, '/api/vote', { id: one, dir: 0 })
  t.is((await who.get('/api/v1/me/karma')).at('data.1.link_karma'), 1, 'shown as one, though it is none')
  t.is((await (await who.withScopes('identity')).get('/api/v1/me/karma')).status, 403)
  t.is((await (await who.session()).get('/api/v1/me/karma')).status, 401)
})

test('an account with gold has the trophy of gold, and an unknown account is an error', async (t) => {
  const { site, ann, root } = t.context
  const none = { kind: 'TrophyList', data: { trophies: [] } }
  t.deepEqual((await ann.get('/api/v1/me/trophies')).body, none)
  t.is((await (await ann.session()).get('/api/v1/me/trophies')).status, 401)
  for (const reader of [ann, site, await site.appOnly()]) t.deepEqual((await reader.get('/api/v1/user/ANN/trophies')).body, none)
  const { rich } = await joinSite(site, 'rich')
  await postForm(root, '/api/v1/gold/give/rich', { months: 1 })
  const own = await rich.get('/api/v1/me/trophies')
  t.deepEqual(own.at('data.trophies.0.kind'), 't3')
  t.like(own.at('data.trophies.0.data'), { award_id: 'gold', name: 'Gold' })
  t.is((own.at('data.trophies') as readonly unknown[]).length, 1)
  for (const reader of [ann, site]) t.deepEqual((await reader.get('/api/v1/user/rich/trophies')).body, own.body)
  for (const size of [40, 70]) {
    const { pathname } = new URL(String(own.at(`data.trophies.0.data.icon_${size}`)))
    const image = await fetch(`${site.url}${pathname}`)
    t.is(image.headers.get('content-type'), 'image/png')
    const png = Buffer.from(await image.arrayBuffer())
    t.deepEqual([png.subarray(1, 4).toString(), png.readUInt32BE(16), png.readUInt32BE(20)], ['PNG', size, size])
  }
  const { gone } = await joinSite(site, 'gone')
  await postForm(await gone.session(), '/api/delete_user', { passwd: gone.password })
  for (const name of ['gone', 'nobody_here', 'x'.repeat(300)]) {
    const refused = await ann.get(`/api/v1/user/${name}/trophies`)
    t.deepEqual([refused.status, refused.at('reason')], [400, 'USER_DOESNT_EXIST'], name)
  }
})
