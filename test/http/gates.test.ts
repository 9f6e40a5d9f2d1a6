import test, { type ExecutionContext } from 'ava'
import type { Scope } from '../../src/auth/scopes.ts'
import { SESSION_COOKIE_NAME } from '../../src/auth/sessions.ts'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { foundSubsite } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const { site, ann } = await startTea()
const session = await ann.session()
const cookieOnly = { Cookie: session.cookie }

/** A session of its own, since one of the endpoints ends it. */
const newSession = async () => {
  const { sessions } = site.running.app
  const { cookie, session: started } = await sessions.create(ann.id, false)
  return { cookieOnly: { Cookie: `${SESSION_COOKIE_NAME}=${cookie}` }, modhash: sessions.modhashOf(started) }
}
const appOnly = await site.appOnly()
const narrowed = new Map<Scope, ReturnType<typeof ann.withScopes>>()
/** Ann with a token of one scope, the same each time. */
const withScope = (scope: Scope) => {
  const caller = narrowed.get(scope) ?? ann.withScopes(scope)
  narrowed.set(scope, caller)
  return caller
}

test.after.always(() => site.stop())

/** An address of the endpoint; what its variables name need not exist. */
const addressOf = ({ path, values }: AnyEndpoint) =>
  path
    .replace('[/s/{sub}]', '/s/tea')
    .replace('{sub}', 'tea')
    .replace(/\{(\w+)\}/g, (_, name: string) => values?.[name]?.[0] ?? 'x1')

const isWrite = ({ method }: AnyEndpoint) => method !== 'GET'
const request = (endpoint: AnyEndpoint, headers: Readonly<Record<string, string>> = {}) =>
  site.request(endpoint.method, addressOf(endpoint), isWrite(endpoint) ? { form: {}, headers } : { headers })

const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate')?.split('=').at(-1)?.replaceAll('"', '')

type Rule = (t: ExecutionContext, endpoint: AnyEndpoint) => Promise<void>

const everyResponseHasItsHeaders: Rule = async (t, endpoint) => {
  const { status, headers } = await request(endpoint)
  t.false(status >= 500, String(status))
  for (const field of ['x-ratelimit-used', 'x-ratelimit-remaining', 'x-ratelimit-reset']) t.regex(headers.get(field) ?? '', /^\d+$/, field)
  t.regex(headers.get('x-log-position') ?? '', /^\d{20}$/)
  t.truthy(headers.get('x-request-id'))
  t.is(headers.get('x-content-type-options'), 'nosniff')
  t.truthy(headers.get('content-security-policy'))
}

const anInvalidTokenIsRefused: Rule = async (t, endpoint) => {
  const answer = await request(endpoint, { Authorization: 'bearer nonsense' })
  t.is(answer.status, 401)
  t.is(challengeOf(answer), 'invalid_token')
  t.deepEqual(answer.body, {
    message: 'Unauthorized',
    error: 401,
    reason: 'UNAUTHORIZED',
    explanation: 'This needs a valid access token.',
    documentation_url: `${site.url}/docs/errors#UNAUTHORIZED`,
  })
}

const otherMethodsAreRefused: Rule = async (t, endpoint) => {
  const answer = await site.request('PROPFIND', addressOf(endpoint))
  t.deepEqual([answer.status, answer.at('reason')], [405, 'METHOD_NOT_ALLOWED'])
  t.true(answer.headers.get('allow')?.split(', ').includes(endpoint.method), 'a 405 names the methods that are allowed')
}

const anAccountIsRequired: Rule = async (t, endpoint) => {
  const { login, errors } = endpoint
  if (login === 'anyone') return
  const answer = await request(endpoint)
  const withoutUser = await appOnly.request(endpoint.method, addressOf(endpoint), isWrite(endpoint) ? { form: {} } : {})
  if (login === 'token') {
    t.is(answer.status, 401)
    t.is(challengeOf(answer), 'invalid_token')
    t.is(withoutUser.at('reason'), 'USER_REQUIRED')
    return
  }
  if (login === 'session') {
    t.is(withoutUser.status, 400)
    t.is(challengeOf(withoutUser), 'invalid_request')
    t.is(withoutUser.at('reason'), 'SESSION_REQUIRED')
  }
  for (const one of login === 'session' ? [answer] : [answer, withoutUser]) {
    if (login === 'moderator') {
      t.is(one.status, 403)
      t.like(one.body, { message: 'Forbidden', error: 403, reason: 'FORBIDDEN', explanation: 'You are not allowed to do that.' })
    } else if (errors === 'silent') {
      t.deepEqual([one.status, one.headers.get('x-reason')], [200, 'USER_REQUIRED'])
      t.deepEqual(one.body, { json: { errors: [['USER_REQUIRED', 'Please log in to do that.', null]] } })
    } else if (errors === 'form') {
      t.is(one.status, 200)
      t.like(one.body, { json: { errors: [['USER_REQUIRED', 'Please log in to do that.', null]] } })
    } else {
      t.is(one.status, 403)
      t.is(one.at('reason'), 'USER_REQUIRED')
    }
    t.is(one.headers.get('www-authenticate'), null)
  }
}

const aSessionIsNoToken: Rule = async (t, endpoint) => {
  if (endpoint.login !== 'token') return
  const answer = await request(endpoint, { ...cookieOnly, 'X-Modhash': session.modhash })
  t.is(answer.status, 401)
  t.is(challengeOf(answer), 'invalid_token')
  const odd = await request(endpoint, { Authorization: 'Basic abc' })
  t.is(odd.status, 400)
  t.is(challengeOf(odd), 'invalid_request')
}

const aSessionWritesWithItsModhash: Rule = async (t, endpoint) => {
  if (!(endpoint.modhash ?? isWrite(endpoint)) || endpoint.login === 'token') return
  const own = await newSession()
  for (const [headers, what] of [
    [own.cookieOnly, /^The modhash is missing/],
    [{ ...own.cookieOnly, 'X-Modhash': `${own.modhash.slice(1)}0` }, /^The modhash is not that of this session/],
  ] as const) {
    const answer = await request(endpoint, headers)
    t.is(answer.status, 403)
    t.like(answer.body, { error: 403, reason: 'INVALID_MODHASH', documentation_url: `${site.url}/docs/errors#INVALID_MODHASH` })
    t.regex(String(answer.at('explanation')), what)
  }
}

const aTokenNeedsTheScope: Rule = async (t, endpoint) => {
  const { scope } = endpoint
  if (typeof scope !== 'string' || scope === 'any') return
  const other: Scope = scope === 'identity' ? 'history' : 'identity'
  const answer = await (await withScope(other)).request(endpoint.method, addressOf(endpoint), isWrite(endpoint) ? { form: {} } : {})
  t.is(answer.status, 403)
  t.is(challengeOf(answer), 'insufficient_scope')
  t.deepEqual(answer.body, {
    message: `The access token does not have the scope ${scope}.`,
    error: 403,
    reason: 'INSUFFICIENT_SCOPE',
    explanation: `The access token does not have the scope ${scope}.`,
    documentation_url: `${site.url}/docs/errors#INSUFFICIENT_SCOPE`,
  })
  t.regex(answer.headers.get('www-authenticate') ?? '', new RegExp(` scope="${scope}", error="insufficient_scope"$`))
  const right = await (await withScope(scope)).request(endpoint.method, addressOf(endpoint), isWrite(endpoint) ? { form: {} } : {})
  t.is(right.headers.get('www-authenticate'), null)
}

const rules: readonly Rule[] = [
  everyResponseHasItsHeaders,
  anInvalidTokenIsRefused,
  otherMethodsAreRefused,
  anAccountIsRequired,
  aSessionIsNoToken,
  aSessionWritesWithItsModhash,
  aTokenNeedsTheScope,
]

for (const endpoint of endpoints)
  test(`${endpoint.method} ${endpoint.path}: only its methods and sufficient credentials are accepted, and every response has its headers`, async (t) => {
    for (const rule of rules) await rule(t, endpoint)
  })

test('an unknown path is 404 in JSON for every method', async (t) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const answer = await site.request(method, '/api/there_is_no_such_thing', method === 'POST' ? { form: {} } : {})
    t.is(answer.status, 404)
    t.like(answer.body, { message: 'Not Found', error: 404, reason: 'NOT_FOUND', explanation: 'Nothing exists at this address.' })
  }
})

test('a literal path says its own methods, whatever path with a variable matches it, too', async (t) => {
  const allowed = { copy: 'POST', rename: 'POST', mine: 'GET, HEAD', 'user/ann': 'GET, HEAD', 'user/ann/m/x/description': 'GET, HEAD, PUT' }
  for (const kind of ['multi', 'filter'])
    for (const [path, allow] of Object.entries(allowed))
      for (const method of ['OPTIONS', 'PATCH', 'DELETE']) {
        const { status, headers } = await site.request(method, `/api/${kind}/${path}`)
        t.deepEqual([status, headers.get('allow')], [method === 'OPTIONS' ? 204 : 405, allow], `${method} ${kind}/${path}`)
      }
  t.is((await site.request('OPTIONS', '/api/multi/user/ann/m/x')).headers.get('allow'), 'DELETE, GET, HEAD, POST, PUT')
})

test('suffixes, trailing slashes and the old prefix lead to the same endpoint', async (t) => {
  for (const path of [
    '/s/tea/hot',
    '/s/tea/hot/',
    '/s/tea/hot.json',
    '/s/tea/hot/.json',
    '/r/tea/hot.json',
    '/r/TEA/hot',
    '/s/tea',
    '/s/tea/.json',
  ])
    t.is((await site.get(path)).at('kind'), 'Listing', path)
  t.is((await site.get('/s/tea/about.rss')).status, 404)
})

test('an unknown subsite is 404 with a reason, a private one 403 for outsiders', async (t) => {
  const unknown = await site.get('/s/nowhere/hot')
  t.is(unknown.status, 404)
  t.is(unknown.at('reason'), 'SUBSITE_NOEXIST')
  t.is((await site.get('/s/%21%21/hot')).status, 404)
  await foundSubsite(ann, 'hidden', { type: 'private' })
  t.is((await site.get('/s/hidden/hot')).status, 403)
  t.is((await site.get('/s/hidden/about')).status, 403)
  t.is((await ann.get('/s/hidden/hot')).status, 200)
  t.is((await site.get('/s/tea+hidden/hot')).status, 200)
})

test('a cookie is ignored beside a token and in jsonp', async (t) => {
  const both = await ann.get('/s/tea/hot', cookieOnly)
  t.is(both.at('data.modhash'), null)
  t.is((await session.get('/s/tea/hot')).at('data.modhash'), session.modhash)
  t.is((await site.get('/s/tea/hot')).at('data.modhash'), '')
  const script = await session.get('/s/tea/hot.json?jsonp=a.b%5B0%5D')
  t.true(script.text.startsWith('/**/a.b[0]({'))
  t.true(script.text.includes('"modhash":""'))
  for (const path of ['/s/tea/hot', '/api/saved_categories']) {
    const answer = await site.get(`${path}?jsonp=alert(1)`)
    t.deepEqual([answer.status, answer.at('reason')], [400, 'BAD_JSONP_CALLBACK'], path)
  }
  t.is((await session.post('/api/del?jsonp=x')).text, '{}', 'a write knows no jsonp')
})

test('a page of another site can read public data and use a token, but not a session', async (t) => {
  t.is((await site.get('/s/tea/hot')).headers.get('access-control-allow-origin'), '*')
  t.is((await ann.get('/s/tea/hot')).headers.get('access-control-allow-origin'), '*')
  t.is((await session.get('/s/tea/hot')).headers.get('access-control-allow-origin'), null)
  t.is((await session.get('/s/tea/hot')).headers.get('cache-control'), 'private, s-maxage=0, max-age=0, must-revalidate')
  const asked = await site.request('OPTIONS', '/api/vote')
  t.is(asked.status, 204)
  t.regex(asked.headers.get('access-control-allow-headers') ?? '', /Authorization/)
})

test('a cache in front may keep pages of the site that are made for nobody in particular, if the operator says so', async (t) => {
  const shared = await startTea([], { sharedCacheSeconds: 60 })
  t.teardown(shared.site.stop)
  const fieldOf = async (caller: Caller, path: string) => (await caller.get(path)).headers.get('cache-control')
  t.is(await fieldOf(site, '/s/tea/hot'), 'public, max-age=0, must-revalidate')
  for (const path of ['/s/tea/hot', '/s/tea/hot?n=1', '/s/tea/hot'])
    t.is(await fieldOf(shared.site, path), 'public, max-age=0, s-maxage=60, stale-while-revalidate=60, stale-if-error=60')
  const usual = 'public, max-age=0, must-revalidate'
  const late = `/s/tea/hot?min_position=${'9'.repeat(18)}`
  for (const path of ['/s/none/hot', '/api/me.json', late]) t.is(await fieldOf(shared.site, path), usual, path)
  const own = await shared.ann.session()
  for (const reader of [shared.ann, own]) t.regex((await fieldOf(reader, '/s/tea/hot')) ?? '', /^private, s-maxage=0,/)
})

test('the modhash can be in the header, the body or the query; the header takes precedence', async (t) => {
  const { cookieOnly: cookie, modhash } = await newSession()
  const post = (path: string, form: Readonly<Record<string, string>>, headers = {}) =>
    site.request('POST', path, { form, headers: { ...cookie, ...headers } })
  t.is((await post('/api/del', {}, { 'X-Modhash': modhash })).text, '{}')
  t.is((await post('/api/del', { uh: modhash })).text, '{}')
  t.is((await post(`/api/del?uh=${modhash}`, {})).text, '{}')
  t.is((await post('/api/del', { uh: modhash }, { 'X-Modhash': 'wrong' })).status, 403)
  t.is((await post('/api/del', { uh: session.modhash })).status, 403, 'that of another session')
})
