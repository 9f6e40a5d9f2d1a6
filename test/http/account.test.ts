import anyTest, { type TestFn } from 'ava'
import { startSite, type TestSite, type User } from '../support/site.ts'

type Cast = { readonly site: TestSite; readonly ann: User; readonly root: User }
const test = anyTest as TestFn<Cast>

test.before(async (t) => {
  const site = await startSite()
  t.context = { site, ann: await site.register('Ann'), root: await site.register('root') }
})
test.after.always((t) => t.context.site.stop())

test('a token sees its own account, bare', async (t) => {
  const { ann, root } = t.context
  const me = await ann.get('/api/v1/me')
  t.is(me.status, 200)
  t.like(me.body, {
    id: ann.id.slice(3),
    name: 'Ann',
    link_karma: 1,
    comment_karma: 0,
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

test('only a token that may read messages sees whether there is mail', async (t) => {
  const { ann } = t.context
  const identity = await ann.withScopes('identity')
  t.is((await identity.get('/api/v1/me')).at('has_mail'), undefined)
  t.is((await identity.get('/api/v1/me')).at('inbox_count'), 0)
  t.is((await (await ann.withScopes('identity', 'privatemessages')).get('/api/v1/me')).at('has_mail'), false)
})

test('who may not see an account that way', async (t) => {
  const { site, ann } = t.context
  const anonymous = await site.get('/api/v1/me')
  t.is(anonymous.status, 401)
  t.regex(anonymous.headers.get('www-authenticate') ?? '', /error="invalid_token"$/)
  t.is((await (await ann.session()).get('/api/v1/me')).status, 401)
  t.is((await (await site.appOnly()).get('/api/v1/me')).at('reason'), 'USER_REQUIRED')
  t.is((await (await ann.withScopes('read')).get('/api/v1/me')).status, 403)
  t.is((await site.get('/api/v1/me', { Authorization: 'bearer nonsense' })).status, 401)
})

test('a session sees its account with the modhash, nobody sees only features', async (t) => {
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

test('scopes are described, all or those asked for; an unknown one is named', async (t) => {
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
  t.deepEqual(await some('tea%2Bcoffee:read'), ['read'])
  for (const [scopes, unknown] of [
    ['read,fly', ['fly']],
    ['read,', ['']],
    ['*', ['*']],
  ] as const) {
    const refused = await site.get(`/api/v1/scopes?scopes=${scopes}`)
    t.is(refused.status, 400)
    t.like(refused.body, { error: 'invalid_scopes', invalid_scopes: unknown, message: 'Bad Request', reason: 'OAUTH2_INVALID_SCOPE' })
  }
})
