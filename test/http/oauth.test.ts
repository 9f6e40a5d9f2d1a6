import { createHash } from 'node:crypto'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { startTea } from '../support/cast.ts'
import { addressOf, asking, basic, codeFor, type Fields, ledTo, type OAuthApp, pkce, registerApp } from '../support/oauth.ts'
import { found } from '../support/posting.ts'
import { type Answer, type Caller, callerAt, type TestSite, type User } from '../support/site.ts'

type Cast = {
  readonly site: TestSite
  readonly ann: User
  readonly bob: User
  readonly annHere: Caller & { readonly cookie: string; readonly modhash: string }
  readonly script: OAuthApp
  readonly web: OAuthApp
  readonly installed: OAuthApp
}
/** One after the other: few may wait for their passwords to be hashed, of one address. */
const { serial: test } = anyTest as TestFn<Cast>
type T = ExecutionContext<Cast>

test.before(async (t) => {
  const { site, ann, bob } = await startTea()
  await found(ann, 'coffee')
  t.context = {
    site,
    ann,
    bob,
    annHere: await ann.session(),
    script: await registerApp(ann, 'script'),
    web: await registerApp(bob, 'web', 'https://app.example/back?from=us'),
    installed: await registerApp(bob, 'installed', 'tea.app://back'),
  }
})
test.after.always((t) => t.context.site.stop())

const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate')?.split('=').at(-1)?.replaceAll('"', '')
const tokenOf = (t: T, answer: Answer): string => {
  t.is(answer.status, 200, answer.text)
  const token = answer.at('access_token')
  t.is(typeof token, 'string', answer.text)
  return String(token)
}
const ask = ({ site }: Cast, app: OAuthApp, fields: Record<string, string | undefined>) =>
  site.post('/api/v1/access_token', fields, app.basic)
const withToken = ({ site }: Cast, token: string) => callerAt(site.url, { Authorization: `bearer ${token}` })
const byPassword = (cast: Cast, more: Fields = {}) =>
  ask(cast, cast.script, { grant_type: 'password', username: 'ann', password: cast.ann.password, ...more })

test('an app has an id and a secret of fixed lengths; an installed app has no secret', (t) => {
  const { script, web, installed } = t.context
  for (const { id } of [script, web, installed]) t.regex(id, /^[\w-]{14}$/)
  for (const { secret } of [script, web]) t.regex(secret, /^[\w-]{27}$/)
  t.is(installed.secret, '')
})

test('an invalid app is refused with the reason', async (t) => {
  const { annHere } = t.context
  const right = { name: 'mine', app_type: 'script', redirect_uri: 'http://localhost' }
  for (const [wrong, reason, field] of [
    [{ name: '' }, 'NO_TEXT', 'name'],
    [{ app_type: 'other' }, 'INVALID_OPTION', 'app_type'],
    [{ redirect_uri: '' }, 'NO_URL', 'redirect_uri'],
    [{ redirect_uri: '/back' }, 'BAD_URL', 'redirect_uri'],
    [{ redirect_uri: 'javascript:alert(1)' }, 'BAD_URL', 'redirect_uri'],
    [{ redirect_uri: 'http://localhost/#x' }, 'BAD_URL', 'redirect_uri'],
    [{ redirect_uri: 'http://app.example/back' }, 'BAD_URL', 'redirect_uri'],
    [{ redirect_uri: `http://localhost/${'x'.repeat(2_048)}` }, 'BAD_URL', 'redirect_uri'],
    [{ app_type: 'web', redirect_uri: 'tea.app://back' }, 'INVALID_SCHEME', 'redirect_uri'],
  ] as const) {
    const answer = await annHere.post('/api/v1/apps', { ...right, ...wrong })
    t.is(answer.status, 400, JSON.stringify(wrong))
    t.is(answer.at('reason'), reason)
    t.deepEqual(answer.at('fields'), [field])
  }
  t.is((await t.context.site.post('/api/v1/apps', right)).at('reason'), 'USER_REQUIRED')
})

test('apps are listed to their owner without the secret, and deleting one ends its tokens', async (t) => {
  const { ann, bob, annHere } = t.context
  const app = await registerApp(ann, 'script')
  const token = tokenOf(t, await ask(t.context, app, { grant_type: 'client_credentials' }))
  const listed = await annHere.get('/api/v1/apps')
  t.true(listed.text.includes(app.id) && !listed.text.includes(app.secret))
  t.is((await bob.request('DELETE', `/api/v1/apps/${app.id}`)).status, 404)
  t.is((await withToken(t.context, token).get('/s/tea/about')).status, 200)
  t.is((await annHere.request('DELETE', `/api/v1/apps/${app.id}`)).status, 204)
  const ended = await withToken(t.context, token).get('/s/tea/about')
  t.is(ended.status, 401)
  t.is(challengeOf(ended), 'invalid_token')
  t.is((await ask(t.context, app, { grant_type: 'client_credentials' })).status, 401)
})

test('an account can have at most a hundred apps, also by concurrent requests', async (t) => {
  const collector = await t.context.site.register('collector')
  const app = { name: 'one of many', app_type: 'script', redirect_uri: 'http://localhost/' }
  const answers = await Promise.all(Array.from({ length: 105 }, () => collector.post('/api/v1/apps', app)))
  t.is(answers.filter(({ status }) => status === 201).length, 100)
  const [refused] = answers.filter(({ status }) => status !== 201)
  t.deepEqual([refused?.status, refused?.at('reason')], [409, 'CONFLICT'])
  const [{ client_id } = { client_id: '' }] = (await collector.get('/api/v1/apps')).body as unknown as { client_id: string }[]
  t.is((await collector.request('DELETE', `/api/v1/apps/${client_id}`)).status, 204)
  t.is((await collector.post('/api/v1/apps', app)).status, 201)
})

test('a client without valid credentials is 401', async (t) => {
  const { site, script, web, installed } = t.context
  const grant = { grant_type: 'client_credentials' }
  const wrong = [
    {},
    basic(script.id, 'wrong'),
    basic(script.id, ''),
    basic(script.id, web.secret),
    basic('unknown', script.secret),
    { Authorization: `Basic ${Buffer.from(script.id).toString('base64')}` },
    { Authorization: 'Basic %%%' },
    { Authorization: 'Basic' },
  ]
  for (const headers of wrong)
    for (const path of ['/api/v1/access_token', '/api/v1/revoke_token']) {
      const answer = await site.post(path, { ...grant, token: 'x' }, headers)
      t.is(answer.status, 401, `${path} ${JSON.stringify(headers)}`)
      t.regex(answer.headers.get('www-authenticate') ?? '', /^Basic realm="/)
      t.deepEqual(answer.body, {
        message: 'Unauthorized',
        error: 401,
        reason: 'OAUTH2_INVALID_CLIENT',
        explanation: 'The client id or its secret is wrong.',
      })
    }
  t.is((await site.post('/api/v1/access_token', { ...grant, client_id: script.id, client_secret: script.secret })).status, 401)
  const device = { grant_type: 'https://oauth.example/grants/installed_client', device_id: 'd'.repeat(20) }
  t.is((await site.post('/api/v1/access_token', device, basic(installed.id, 'whatever'))).at('token_type'), 'bearer')
})

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
  t.is((await byPassword(t.context, { password: 'wrong' })).at('error'), 'invalid_grant')
  t.is((await byPassword(t.context, { username: undefined })).at('error'), 'invalid_grant')
  t.is((await byPassword(t.context, { username: 'bob', password: bob.password })).at('error'), 'invalid_grant', 'not the developer')
  t.is((await byPassword(t.context, { scope: 'read fly' })).at('error'), 'invalid_scope')
  for (const app of [web, installed]) {
    const answer = await ask(t.context, app, { grant_type: 'password', username: 'ann', password: ann.password })
    t.is(answer.status, 200)
    t.is(answer.at('error'), 'unauthorized_client')
    t.is(typeof answer.at('error_description'), 'string')
  }
})

test('the password grant without a place in the hashing queue is 503, not a refusal', async (t) => {
  const { passwords } = t.context.site.running.app
  const { promise, resolve } = Promise.withResolvers<void>()
  const crowd = Array.from({ length: 5 }, () => passwords.enter('127.0.0.1', () => promise))
  const answer = await byPassword(t.context).finally(resolve)
  await Promise.all(crowd)
  t.is(answer.status, 503, answer.text)
  t.is(answer.headers.get('retry-after'), '10')
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
    t.deepEqual(answer.body, { message: 'Forbidden', error: 403, reason: 'FORBIDDEN', explanation: 'You are not allowed to do that.' })
  }
})

test('a token restricted to subsites gives access to their paths only', async (t) => {
  const tea = withToken(t.context, tokenOf(t, await byPassword(t.context, { scope: 'Tea:read' })))
  for (const path of ['/s/tea/new', '/s/TEA/hot', '/s/tea/about', '/s/tea/about/log']) t.is((await tea.get(path)).status, 200, path)
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
  t.is((await visitor.post('/api/vote', { id: 't5_1', dir: 1 })).at('json.errors.0.0'), 'USER_REQUIRED')
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
    t.deepEqual(answer.body, { error: 'unsupported_grant_type' })
  }
})

test('the consent page names the app, the account and the scopes, and contains no script', async (t) => {
  const { annHere, ann } = t.context
  const evil = await registerApp(ann, 'web', 'https://app.example/<script>')
  const page = await annHere.get(addressOf(asking(evil, { scope: 'vote', state: '"><script>x</script>', duration: 'permanent' })))
  t.is(page.status, 200)
  t.regex(page.headers.get('content-type') ?? '', /^text\/html/)
  t.is(page.headers.get('x-frame-options'), 'DENY')
  t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
  t.is(page.headers.get('cache-control'), 'no-store')
  t.notRegex(page.text, /<script/)
  t.regex(page.text, /a web app/)
  t.regex(page.text, /<strong>ann<\/strong>/)
  t.regex(page.text, /Cast and change your votes/)
  t.regex(page.text, /until you revoke the permission/)
  t.true(page.text.includes(`name="uh" value="${annHere.modhash}"`))
})

test('an invalid authorization request is answered with a page, never redirected', async (t) => {
  const { annHere, web, installed } = t.context
  const { challenge } = pkce()
  const cases: readonly (readonly [OAuthApp, Fields, string])[] = [
    [web, { client_id: 'unknown' }, 'OAUTH2_INVALID_CLIENT'],
    [web, { client_id: undefined }, 'OAUTH2_INVALID_CLIENT'],
    [web, { redirect_uri: 'https://evil.example/' }, 'OAUTH2_INVALID_REDIRECT_URI'],
    [web, { redirect_uri: `${web.redirect}&more=1` }, 'OAUTH2_INVALID_REDIRECT_URI'],
    [web, { redirect_uri: undefined }, 'OAUTH2_INVALID_REDIRECT_URI'],
    [web, { response_type: 'id_token' }, 'OAUTH2_INVALID_RESPONSE_TYPE'],
    [web, { response_type: undefined }, 'OAUTH2_INVALID_RESPONSE_TYPE'],
    [web, { scope: undefined }, 'OAUTH2_INVALID_SCOPE'],
    [web, { scope: 'read,fly' }, 'OAUTH2_INVALID_SCOPE'],
    [web, { response_type: 'token' }, 'OAUTH2_CONFIDENTIAL_TOKEN'],
    [installed, { response_type: 'token', duration: 'permanent' }, 'OAUTH2_NO_REFRESH_TOKENS_ALLOWED'],
    [web, { state: undefined }, 'INVALID_OPTION'],
    [web, { duration: 'for ever' }, 'INVALID_OPTION'],
    [web, { code_challenge: challenge, code_challenge_method: 'plain' }, 'INVALID_OPTION'],
    [web, { code_challenge: challenge }, 'INVALID_OPTION'],
    [web, { code_challenge: 'short', code_challenge_method: 'S256' }, 'INVALID_OPTION'],
    [installed, {}, 'INVALID_OPTION'],
  ]
  for (const [app, fields, reason] of cases)
    for (const answer of [
      await annHere.get(addressOf(asking(app, fields))),
      await annHere.post('/api/v1/authorize', { ...asking(app, fields), authorize: 'Allow' }),
    ]) {
      t.is(answer.status, 400, JSON.stringify(fields))
      t.is(answer.at('reason'), reason, JSON.stringify(fields))
      t.is(answer.at('error'), undefined)
      t.is(answer.headers.get('location'), null)
    }
})

test('the authorization page asks for a login first and then shows the same request', async (t) => {
  const { site, ann, web } = t.context
  const address = addressOf(asking(web))
  for (const somebody of [site, ann]) {
    const sent = await somebody.get(address)
    t.is(sent.status, 302)
    const login = new URL(sent.headers.get('location') ?? '', site.url)
    t.is(login.pathname, '/login')
    const dest = login.searchParams.get('dest') ?? ''
    t.is(new URL(dest, site.url).searchParams.get('state'), 'st&te')
    const back = await site.post('/post/login', { user: 'ann', passwd: ann.password, dest })
    t.is(back.headers.get('location'), dest)
  }
})

test('consent gives the app a code, declining an error, and a forged decision changes nothing', async (t) => {
  const { annHere, site, web } = t.context
  const fields = asking(web)
  const allowed = await annHere.post('/api/v1/authorize', { ...fields, authorize: 'Allow' })
  t.is(allowed.status, 302)
  const { address, query } = ledTo(allowed)
  t.is(address, 'https://app.example/back')
  t.regex(query.code ?? '', /^[\w-]{27}$/)
  t.deepEqual({ ...query, code: '' }, { from: 'us', code: '', state: 'st&te' })
  const declined = ledTo(await annHere.post('/api/v1/authorize', fields))
  t.deepEqual(declined.query, { from: 'us', error: 'access_denied', state: 'st&te' })
  const forged = await callerAt(site.url, { Cookie: annHere.cookie }).post('/api/v1/authorize', { ...fields, authorize: 'Allow', uh: 'x' })
  t.is(forged.status, 403)
  t.is(forged.headers.get('location'), null)
})

const redeem = (cast: Cast, app: OAuthApp, code: string, more: Fields = {}) =>
  ask(cast, app, { grant_type: 'authorization_code', code, redirect_uri: app.redirect, ...more })

test('an authorization code is valid once, for its client and redirect address', async (t) => {
  const { annHere, web, script } = t.context
  const code = await codeFor(annHere, web)
  for (const missing of [{ code: '' }, { redirect_uri: undefined }]) {
    const answer = await redeem(t.context, web, code, missing)
    t.is(answer.status, 200)
    t.is(answer.at('error'), 'invalid_request')
  }
  const granted = await redeem(t.context, web, code)
  const token = tokenOf(t, granted)
  t.deepEqual(granted.body, { access_token: token, token_type: 'bearer', expires_in: 3600, scope: 'identity read' })
  t.is((await withToken(t.context, token).get('/api/v1/me')).at('name'), 'ann')
  const again = await redeem(t.context, web, code)
  t.is(again.status, 200)
  t.deepEqual(again.body, { error: 'invalid_grant' })
  t.is((await redeem(t.context, script, await codeFor(annHere, web))).at('error'), 'invalid_grant')
  t.is((await redeem(t.context, web, await codeFor(annHere, web), { redirect_uri: 'https://other.example/' })).at('error'), 'invalid_grant')
})

test('using a code twice revokes the tokens made from it and no others', async (t) => {
  const { annHere, web, script } = t.context
  const other = tokenOf(t, await redeem(t.context, web, await codeFor(annHere, web)))
  for (const duration of ['temporary', 'permanent']) {
    const code = await codeFor(annHere, web, { duration })
    const granted = await redeem(t.context, web, code)
    const refresh = { grant_type: 'refresh_token', refresh_token: String(granted.at('refresh_token')) }
    const tokens = [tokenOf(t, granted)]
    if (duration === 'permanent') tokens.push(tokenOf(t, await ask(t.context, web, refresh)))
    for (const token of tokens) t.is((await withToken(t.context, token).get('/api/v1/me')).status, 200)
    t.is((await redeem(t.context, script, code)).at('error'), 'invalid_grant', 'by any client')
    for (const token of tokens) t.is((await withToken(t.context, token).get('/api/v1/me')).status, 401, duration)
    t.is((await ask(t.context, web, refresh)).status, 400)
    t.is((await redeem(t.context, web, code)).at('error'), 'invalid_grant')
  }
  t.is((await withToken(t.context, other).get('/api/v1/me')).status, 200)
})

test('at most one of several concurrent uses of a code gets a token, which is revoked', async (t) => {
  const { annHere, web } = t.context
  for (let round = 0; round < 5; round++) {
    const code = await codeFor(annHere, web, { duration: 'permanent' })
    const all = await Promise.all(Array.from({ length: 8 }, () => redeem(t.context, web, code)))
    const granted = all.filter((answer) => answer.at('access_token') !== undefined)
    t.true(granted.length <= 1)
    for (const answer of granted) {
      t.is((await withToken(t.context, String(answer.at('access_token'))).get('/api/v1/me')).status, 401)
      const refresh = { grant_type: 'refresh_token', refresh_token: String(answer.at('refresh_token')) }
      t.is((await ask(t.context, web, refresh)).status, 400)
    }
  }
})

test('with a challenge, a code is redeemed only with its verifier', async (t) => {
  const { annHere, web, installed } = t.context
  for (const app of [installed, web]) {
    const { verifier, challenge } = pkce()
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
    tokenOf(t, await redeem(t.context, app, await codeFor(annHere, app, proof), { code_verifier: verifier }))
    for (const wrong of [undefined, '', challenge, pkce().verifier])
      t.is((await redeem(t.context, app, await codeFor(annHere, app, proof), { code_verifier: wrong })).at('error'), 'invalid_grant')
  }
})

test('a verifier has 43 to 128 characters of the right kind, and comes only with a challenge', async (t) => {
  const { annHere, web } = t.context
  const redeemed = async (verifier: string, challenged = true) => {
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const code = await codeFor(annHere, web, challenged ? { code_challenge, code_challenge_method: 'S256' } : {})
    return (await redeem(t.context, web, code, { code_verifier: verifier })).at('error')
  }
  for (const right of ['x'.repeat(43), 'x'.repeat(128), `-._~${'0'.repeat(40)}`]) t.is(await redeemed(right), undefined, right)
  for (const wrong of ['', 'x', 'x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(43)}!`, `${'x'.repeat(43)}\n`])
    t.is(await redeemed(wrong), 'invalid_grant', wrong)
  for (const unasked of ['x'.repeat(43), '']) t.is(await redeemed(unasked, false), 'invalid_grant', `'${unasked}' without a challenge`)
})

test('the implicit grant returns everything in the fragment', async (t) => {
  const { annHere, installed } = t.context
  const fields = asking(installed, { response_type: 'token', scope: 'read' })
  const allowed = await annHere.post('/api/v1/authorize', { ...fields, authorize: 'Allow' })
  const { fragment, query } = ledTo(allowed)
  t.deepEqual(query, {})
  t.deepEqual(
    { ...fragment, access_token: '' },
    { access_token: '', token_type: 'bearer', expires_in: '3600', scope: 'read', state: 'st&te' },
  )
  t.is((await withToken(t.context, fragment.access_token ?? '').get('/s/tea/new')).status, 200)
  const declined = ledTo(await annHere.post('/api/v1/authorize', fields))
  t.deepEqual(declined.fragment, { error: 'access_denied', state: 'st&te' })
})

test('a permanent grant can be refreshed any number of times, by its client only, until it is revoked', async (t) => {
  const { annHere, web, script } = t.context
  const granted = await redeem(t.context, web, await codeFor(annHere, web, { duration: 'permanent' }))
  const first = tokenOf(t, granted)
  const refresh_token = String(granted.at('refresh_token'))
  const refresh = { grant_type: 'refresh_token', refresh_token }
  const again = await ask(t.context, web, refresh)
  const second = tokenOf(t, again)
  t.not(second, first)
  t.is(again.at('refresh_token'), undefined)
  t.is(again.at('scope'), 'identity read')
  tokenOf(t, await ask(t.context, web, refresh))
  for (const [app, token] of [
    [script, refresh_token],
    [web, first],
    [web, 'unknown'],
    [web, undefined],
  ] as const) {
    const refused = await ask(t.context, app, { grant_type: 'refresh_token', refresh_token: token })
    t.is(refused.status, 400)
    t.deepEqual(refused.body, {
      error: 'invalid_grant',
      message: 'Bad Request',
      reason: 'OAUTH2_INVALID_GRANT',
      explanation: 'The refresh token is unknown, revoked or of another app.',
      fields: ['refresh_token'],
    })
  }

  const revoke = (app: OAuthApp, token: string, hint?: string) =>
    t.context.site.post('/api/v1/revoke_token', { token, token_type_hint: hint }, app.basic)
  const others = await revoke(script, refresh_token)
  t.is(others.status, 400)
  t.deepEqual(others.body, {
    error: 'unauthorized_client',
    message: 'Bad Request',
    reason: 'OAUTH2_UNAUTHORIZED_CLIENT',
    explanation: 'The token is of another app.',
    fields: ['token'],
  })
  t.is((await revoke(web, first, 'refresh_token')).status, 204, 'a wrong hint is only a hint')
  t.is((await withToken(t.context, first).get('/api/v1/me')).status, 401)
  t.is((await withToken(t.context, second).get('/api/v1/me')).status, 200, 'the others go on')
  const ended = await revoke(web, refresh_token, 'nonsense')
  t.is(ended.status, 204)
  t.is(ended.text, '')
  t.is((await withToken(t.context, second).get('/api/v1/me')).status, 401, 'made from it, ended with it')
  t.is((await ask(t.context, web, refresh)).status, 400)
  for (const token of [refresh_token, 'unknown', '']) t.is((await revoke(web, token)).status, 204, token)
})

test('a token cannot manage sessions or give consent', async (t) => {
  const { ann, web } = t.context
  const me = await ann.get('/api/me.json')
  t.is(me.status, 400)
  t.is(challengeOf(me), 'invalid_request')
  const consent = await ann.post('/api/v1/authorize', { ...asking(web), authorize: 'Allow' })
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
