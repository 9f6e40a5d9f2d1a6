import { ask, authorizationRequest, byPassword, challengeOf, startOAuth, tokenOf, withToken } from '../support/oauth.ts'
import { callerAt } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

/** One after the other, since only few requests from one address may wait for the hash of a password. */
const { serial: test } = testOn(startOAuth)

test('responses of the token endpoint are readable by pages of any site and never cached', async (t) => {
  const { site, script } = t.context
  for (const answer of [
    await ask(t.context, script, { grant_type: 'client_credentials' }),
    await ask(t.context, script, { grant_type: 'other' }),
    await site.post('/api/v1/access_token', { grant_type: 'other' }),
  ]) {
    t.is(answer.headers.get('access-control-allow-origin'), '*')
    t.is(answer.headers.get('cache-control'), 'no-store')
    t.regex(answer.headers.get('content-type') ?? '', /^application\/json/)
  }
  const preflight = await site.request('OPTIONS', '/api/v1/access_token', { headers: { 'Access-Control-Request-Method': 'POST' } })
  t.regex(preflight.headers.get('access-control-allow-headers') ?? '', /Authorization/)
})

test('the password grant is for the developer of a script app only', async (t) => {
  const granted = await byPassword(t.context)
  const token = tokenOf(t, granted)
  const { ann } = t.context
  t.regex(token, new RegExp(`^${Number.parseInt(ann.id.slice(3), 36)}-[\\w-]{27}$`))
  t.deepEqual(granted.body, { access_token: token, token_type: 'bearer', expires_in: 3600, scope: '*' })
  t.is((await withToken(t.context, token).get('/api/v1/me')).at('name'), 'ann')
  t.is((await callerAt(t.context.site.url, { Authorization: `BEARER ${token}` }).get('/api/v1/me')).at('name'), 'ann')
})

test('the password grant refuses wrong credentials', async (t) => {
  const { bob, web, installed, ann } = t.context
  const wrong = await byPassword(t.context, { password: 'wrong' })
  t.like(wrong.body, { error: 'invalid_grant' })
  t.regex(String(wrong.at('error_description')), /^username or password are wrong/)
  for (const absent of [{ username: undefined }, { password: '' }])
    t.like((await byPassword(t.context, absent)).body, {
      error: 'invalid_request',
      error_description: 'username and password are both needed',
    })
  t.is((await byPassword(t.context, { username: 'bob', password: bob.password })).at('error'), 'invalid_grant', 'not the developer')
  t.is((await byPassword(t.context, { scope: 'read fly' })).at('error'), 'invalid_scope')
  for (const app of [web, installed]) {
    const answer = await ask(t.context, app, { grant_type: 'password', username: 'ann', password: ann.password })
    t.is(answer.status, 200)
    t.is(answer.at('error'), 'unauthorized_client')
    t.is(typeof answer.at('error_description'), 'string')
  }
})

test('the password grant after ten failures for a name is 429, and says how long to wait', async (t) => {
  // others' measure of how long a password takes stays as it is
  const cast = await startOAuth()
  t.teardown(cast.site.stop)
  const asNobody = () => byPassword(cast, { username: 'nobody', password: 'wrong' })
  for (let n = 0; n < 10; n += 1) t.is((await asNobody()).at('error'), 'invalid_grant')
  const { status, headers, at } = await asNobody()
  t.deepEqual([status, at('reason')], [429, 'TOO_MANY_REQUESTS'])
  t.regex(String(at('explanation')), /^you are doing that too much\. try again in \d+ (minute|second)s?\.$/)
  t.regex(headers.get('retry-after') ?? '', /^\d+$/)
})

test('the password grant without a place in the hashing queue is 503, not a refusal', async (t) => {
  const { passwords } = t.context.site.running.app
  const { promise, resolve } = Promise.withResolvers<void>()
  const crowd = Array.from({ length: 33 }, (_, n) => passwords.enter('127.0.0.1', `name${n}`, () => promise))
  const answer = await byPassword(t.context).finally(resolve)
  await Promise.all(crowd)
  t.is(answer.status, 503, answer.text)
  t.is(answer.headers.get('retry-after'), '1', 'so long does it take until one of them has ended')
  t.is(answer.at('reason'), 'TOO_BUSY')
  tokenOf(t, await byPassword(t.context))
})

test('scopes come back sorted, once each, separated by spaces', async (t) => {
  for (const [scope, granted] of [
    ['vote,read identity', 'identity read vote'],
    ['read read', 'read'],
    ['*', '*'],
    ['Tea+coffee:vote,read', 'tea+coffee:read vote'],
  ] as const)
    t.is((await byPassword(t.context, { scope })).at('scope'), granted)
  const many = Array.from({ length: 101 }, (_, n) => `tea${n}`).join('+')
  for (const scope of [`${many}:read`, 'a b:read', `${'x'.repeat(22)}:read`, '+:read', ':read', 'read,', 'Read', '* read', 'tea:', ':'])
    t.is((await byPassword(t.context, { scope })).at('error'), 'invalid_scope', scope)
})

test('a token gives access to what its scopes allow only', async (t) => {
  const reader = withToken(t.context, tokenOf(t, await byPassword(t.context, { scope: 'read' })))
  t.is((await reader.get('/s/tea/new')).status, 200)
  for (const [method, path] of [
    ['GET', '/api/v1/me'],
    ['POST', '/api/submit'],
    ['POST', '/api/vote'],
    ['GET', '/message/inbox'],
  ] as const) {
    const answer = await reader.request(method, path, method === 'POST' ? { form: {} } : {})
    t.is(answer.status, 403, path)
    t.is(challengeOf(answer), 'insufficient_scope')
    t.is(answer.at('reason'), 'INSUFFICIENT_SCOPE')
  }
})

test('a token restricted to subsites gives access to their paths only', async (t) => {
  const tea = withToken(t.context, tokenOf(t, await byPassword(t.context, { scope: 'Tea:read' })))
  for (const path of ['/s/tea/new', '/s/TEA/hot', '/s/tea/about', '/s/tea/about/log']) t.is((await tea.get(path)).status, 200, path)
  t.regex(String((await tea.get('/new')).at('explanation')), /limited to some subsites/)
  for (const path of ['/s/coffee/new', '/s/tea+coffee/new', '/s/all/new', '/new', '/api/info?id=t5_1', '/s/mod/about/log']) {
    const answer = await tea.get(path)
    t.is(answer.status, 403, path)
    t.is(challengeOf(answer), 'insufficient_scope')
  }
})

test('the client_credentials grant gives confidential clients the access of an anonymous caller', async (t) => {
  const { web, installed } = t.context
  const granted = await ask(t.context, web, { grant_type: 'client_credentials', duration: 'permanent' })
  const token = tokenOf(t, granted)
  t.regex(token, /^-[\w-]{27}$/)
  t.deepEqual(granted.body, { access_token: token, token_type: 'bearer', expires_in: 3600, scope: '*' })
  const visitor = withToken(t.context, token)
  t.is((await visitor.get('/s/tea/new')).status, 200)
  t.is((await visitor.get('/api/v1/me')).at('reason'), 'USER_REQUIRED')
  t.is((await visitor.post('/api/vote', { id: 't5_1', dir: 1 })).headers.get('x-reason'), 'USER_REQUIRED')
  t.is((await ask(t.context, installed, { grant_type: 'client_credentials' })).at('error'), 'unauthorized_client')
})

test('any client can use the device grant, whatever the host of the grant type', async (t) => {
  const { installed, web } = t.context
  const device_id = 'DO_NOT_TRACK_THIS_DEVICE'
  for (const app of [installed, web])
    for (const host of ['https://oauth.example', 'http://127.0.0.1:8080']) {
      const granted = await ask(t.context, app, { grant_type: `${host}/grants/installed_client`, device_id, scope: 'read' })
      tokenOf(t, granted)
      t.is(granted.at('device_id'), device_id)
      t.is(granted.at('scope'), 'read')
    }
  for (const wrong of [undefined, 'x'.repeat(19), 'x'.repeat(51)]) {
    const refused = await ask(t.context, installed, { grant_type: 'https://x.example/grants/installed_client', device_id: wrong })
    t.is(refused.status, 200)
    t.is(refused.at('error'), 'invalid_request')
    t.regex(String(refused.at('error_description')), /device_id/)
  }
})

test('other kinds of grants are refused', async (t) => {
  for (const grant_type of [undefined, '', 'implicit', 'toString', '__proto__', 'constructor']) {
    const answer = await ask(t.context, t.context.script, { grant_type })
    t.is(answer.status, 200)
    t.is(answer.at('error'), 'unsupported_grant_type')
    for (const known of ['authorization_code', 'refresh_token', 'password', 'client_credentials', '/grants/installed_client'])
      t.true(String(answer.at('error_description')).includes(known), known)
  }
})

test('a token cannot manage sessions or give consent', async (t) => {
  const { ann, web } = t.context
  const me = await ann.get('/api/me.json')
  t.is(me.status, 400)
  t.is(challengeOf(me), 'invalid_request')
  const consent = await ann.post('/api/v1/authorize', { ...authorizationRequest(web), authorize: 'Allow' })
  t.regex(consent.headers.get('location') ?? '', /^\/login\?/)
})

test('a refusal for lack of authority has no WWW-Authenticate challenge; a malformed bearer is an invalid token', async (t) => {
  const { bob, site } = t.context
  const refused = await bob.post('/api/lock', { id: 't5_1' })
  t.is(refused.status, 403)
  t.is(refused.headers.get('www-authenticate'), null)
  for (const Authorization of [
    'bearer',
    'Bearer  ',
    'bearer a b',
    'bearer ü'.normalize('NFD').replace(/[^ -~]/g, '~'),
    `bearer ${'x'.repeat(5_000)}`,
  ]) {
    const answer = await site.get('/s/tea/new', { Authorization })
    t.is(answer.status, 401, Authorization)
    t.is(challengeOf(answer), 'invalid_token')
  }
})

test('an expired token is invalid', async (t) => {
  const { site, ann, script } = t.context
  const { tokens, clock, vault } = site.running.app
  const token = await tokens.issue({ account: ann.id, client: script.id, scopes: '*', subsites: null, refresh: null })
  const [record] = (await vault.list('access', ann.id)).slice(-1)
  t.true(Math.abs((record?.expires ?? 0) - clock() - 3_600_000) < 60_000)
  await vault.put('access', record?.id ?? '', { value: record?.value, owner: ann.id, expires: clock() - 1 })
  t.is((await withToken(t.context, token).get('/api/v1/me')).status, 401)
})
