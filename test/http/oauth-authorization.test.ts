import { createHash } from 'node:crypto'
import {
  addressOf,
  ask,
  authorizationRequest,
  codeFor,
  type Fields,
  ledTo,
  type OAuthApp,
  pkce,
  redeem,
  registerApp,
  startOAuth,
  tokenOf,
  withToken,
} from '../support/oauth.ts'
import { callerAt } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

/** One after the other, since only few requests from one address may wait for the hash of a password. */
const { serial: test } = testOn(startOAuth)

test('the consent page names the app, the account and the scopes, and contains no script', async (t) => {
  const { annHere, ann } = t.context
  const evil = await registerApp(ann, 'web', 'https://app.example/<script>')
  const page = await annHere.get(
    addressOf(authorizationRequest(evil, { scope: 'vote', state: '"><script>x</script>', duration: 'permanent' })),
  )
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
      await annHere.get(addressOf(authorizationRequest(app, fields))),
      await annHere.post('/api/v1/authorize', { ...authorizationRequest(app, fields), authorize: 'Allow' }),
    ]) {
      t.is(answer.status, 400, JSON.stringify(fields))
      t.is(answer.at('reason'), reason, JSON.stringify(fields))
      t.is(answer.at('error'), answer.status, 'the status, no code of OAuth')
      t.is(answer.headers.get('location'), null)
    }
})

test('an invalid authorization request is a page for browsers, which says what is wrong', async (t) => {
  const { annHere, web, installed } = t.context
  const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const [app, fields, words] of [
    [installed, {}, /that option is not valid \(<code>code_challenge<\/code>\)/],
    [installed, { code_challenge: 'short' }, /that option is not valid \(<code>code_challenge<\/code>\)/],
    [web, { client_id: '<b>' }, /invalid client id \(<code>client_id<\/code>\)/],
  ] as const)
    for (const answer of [
      await annHere.get(addressOf(authorizationRequest(app, fields)), browser),
      await annHere.post('/api/v1/authorize', { ...authorizationRequest(app, fields), authorize: 'Allow' }, browser),
    ]) {
      t.is(answer.status, 400)
      t.regex(answer.headers.get('content-type') ?? '', /^text\/html/)
      t.regex(answer.text, words)
      t.is(answer.headers.get('location'), null)
    }
})

test('the authorization page asks for a login first and then shows the same request', async (t) => {
  const { site, ann, web } = t.context
  const address = addressOf(authorizationRequest(web))
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
  const fields = authorizationRequest(web)
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
  t.is(again.at('error'), 'invalid_grant')
  t.regex(String(again.at('error_description')), /^the code is unknown, used or older than ten minutes/)
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
  const fields = authorizationRequest(installed, { response_type: 'token', scope: 'read' })
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
