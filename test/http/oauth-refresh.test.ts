import { ask, codeFor, type OAuthApp, type OAuthCast, redeem, startOAuth, tokenOf, withToken } from '../support/oauth.ts'
import { testOn } from '../support/test-on.ts'

/** One after the other, since only few requests from one address may wait for the hash of a password. */
const { serial: test } = testOn(startOAuth)

/** A permanent grant of ann's to bob's web app: its refresh token, and the access token that came with it. */
const permanent = async (cast: OAuthCast) => {
  const granted = await redeem(cast, cast.web, await codeFor(cast.annHere, cast.web, { duration: 'permanent' }))
  return { first: String(granted.at('access_token')), refresh_token: String(granted.at('refresh_token')) }
}

const revoke = ({ site }: OAuthCast, app: OAuthApp, token: string, hint?: string) =>
  site.post('/api/v1/revoke_token', { token, token_type_hint: hint }, app.basic)

test('a permanent grant can be refreshed any number of times', async (t) => {
  const { annHere, web } = t.context
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
})

test('a grant is refreshed only by its client, with its refresh token', async (t) => {
  const { web, script } = t.context
  const { first, refresh_token } = await permanent(t.context)
  for (const [app, token] of [
    [script, refresh_token],
    [web, first],
    [web, 'unknown'],
    [web, undefined],
  ] as const) {
    const refused = await ask(t.context, app, { grant_type: 'refresh_token', refresh_token: token })
    t.is(refused.status, 400)
    t.like(refused.body, {
      error: 'invalid_grant',
      message: 'Bad Request',
      reason: 'OAUTH2_INVALID_GRANT',
      explanation: 'The refresh token is unknown, revoked or of another app.',
      fields: ['refresh_token'],
      documentation_url: `${t.context.site.url}/docs/errors#OAUTH2_INVALID_GRANT`,
    })
  }
})

test('a token of another app cannot be revoked', async (t) => {
  const { script } = t.context
  const { first, refresh_token } = await permanent(t.context)
  const others = await revoke(t.context, script, refresh_token)
  t.is(others.status, 400)
  t.like(others.body, {
    error: 'unauthorized_client',
    message: 'Bad Request',
    reason: 'OAUTH2_UNAUTHORIZED_CLIENT',
    explanation: 'The token is of another app.',
    fields: ['token'],
  })
  t.is((await withToken(t.context, first).get('/api/v1/me')).status, 200)
})

test('revoking an access token ends it alone; revoking a refresh token ends all that was made from it', async (t) => {
  const { web } = t.context
  const { first, refresh_token } = await permanent(t.context)
  const refresh = { grant_type: 'refresh_token', refresh_token }
  const second = tokenOf(t, await ask(t.context, web, refresh))
  t.is((await revoke(t.context, web, first, 'refresh_token')).status, 204, 'a wrong hint is only a hint')
  t.is((await withToken(t.context, first).get('/api/v1/me')).status, 401)
  t.is((await withToken(t.context, second).get('/api/v1/me')).status, 200, 'the others go on')
  const ended = await revoke(t.context, web, refresh_token, 'nonsense')
  t.is(ended.status, 204)
  t.is(ended.text, '')
  t.is((await withToken(t.context, second).get('/api/v1/me')).status, 401, 'made from it, ended with it')
  t.is((await ask(t.context, web, refresh)).status, 400)
  for (const token of [refresh_token, 'unknown', '']) t.is((await revoke(t.context, web, token)).status, 204, token)
})
