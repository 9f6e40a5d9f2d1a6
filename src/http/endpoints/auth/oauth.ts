// Decision 36.

import * as E from 'fp-ts/lib/Either.js'
import { isUsedOnce, redeemCode } from '../../../auth/authorization-code.ts'
import { authenticateClient, type Client, isConfidential } from '../../../auth/clients.ts'
import { logIn } from '../../../auth/login.ts'
import { type Grant, parseScopes, scopeText } from '../../../auth/scope-string.ts'
import type { Scope } from '../../../auth/scopes.ts'
import { ACCESS_TOKEN_LIFETIME_SECONDS, hashOf, type TokenGrant, type Tokens } from '../../../auth/tokens.ts'
import { isStillPassword } from '../../../commands/credentials.ts'
import { documentationUrl } from '../../contract/documentation-url.ts'
import { type AnyEndpoint, type Context, type Param, type ParamValues, section, type Uses } from '../../contract/endpoint.ts'
import { answerRefusal } from '../../contract/error-responses.ts'
import type { Reply } from '../../contract/handler-response.ts'
import { allowEmpty, describeParam, documentChoices, documentRequired, rawText, withSchema } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { noBody, refusalShape } from '../../contract/schemas/answers.ts'
import { cast } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'

const { post } = section('Login and apps', { scope: 'any', login: 'anyone', errors: 'plain' })

/** A text of which absence differs from emptiness. */
const asSent: Param<string | undefined> = {
  ...rawText(),
  decode: (value, name) => (value === undefined ? E.right(value) : rawText().decode(value, name)),
}

const grantTypes = ['authorization_code', 'refresh_token', 'password', 'client_credentials'] as const
const GRANT_TYPES_IN_WORDS = `${grantTypes.join(', ')}, or an address ending in /grants/installed_client`
const installedClient = /^https?:\/\/.+\/grants\/installed_client$/

const tokenParams = {
  grant_type: describeParam(
    documentRequired(
      withSchema(rawText(), { type: 'string', pattern: `^(?:${grantTypes.join('|')}|${installedClient.source.slice(1, -1)})$` }),
    ),
    GRANT_TYPES_IN_WORDS,
  ),
  code: describeParam(rawText(), 'authorization_code'),
  redirect_uri: describeParam(rawText(), 'authorization_code'),
  code_verifier: describeParam(asSent, 'authorization_code with PKCE: 43 to 128 characters'),
  refresh_token: describeParam(rawText(), 'refresh_token'),
  username: describeParam(rawText(), 'password'),
  password: describeParam(rawText(), 'password'),
  device_id: describeParam(rawText(), 'installed_client: 20 to 50 characters'),
  scope: describeParam(rawText(), 'separated by spaces or commas; everything when left out'),
}
type TokenParams = ParamValues<typeof tokenParams>

/** These responses are never cached; apps on pages of other sites may read them. */
const readable = { 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' }

const json = (body: unknown, status = 200): Reply => ({ kind: 'json', status, body, headers: readable })

const grantedShape = shape.component('Token', () =>
  shape.recordSchema({
    access_token: shape.text(cast.token),
    token_type: shape.constant('bearer'),
    expires_in: shape.integer(3600, 'Seconds.'),
    scope: shape.text('read vote'),
    refresh_token: shape.optional(shape.text('b2c4d6e8f0a1b3c5d7e9f1a2b4c6d8e0')),
    device_id: shape.optional(shape.text('DO_NOT_TRACK_THIS_DEVICE')),
  }),
)
const failureShape = shape.component('TokenRefusal', () =>
  shape.recordSchema({ error: shape.text('invalid_grant'), error_description: shape.optional(shape.text('')) }),
)

/** Returns an OAuth failure. The interface answers most of these with 200; clients look for `error`. */
const failure = (error: string, description?: string): E.Either<Refusal, Reply> =>
  E.right(json({ error, ...(description !== undefined && { error_description: description }) }))

/** A refusal with 400: `error` for clients of OAuth, and beside it the members of every refusal. */
const unusable = {
  refresh_token: {
    error: 'invalid_grant',
    reason: 'OAUTH2_INVALID_GRANT',
    explanation: 'The refresh token is unknown, revoked or of another app.',
  },
  token: { error: 'unauthorized_client', reason: 'OAUTH2_UNAUTHORIZED_CLIENT', explanation: 'The token is of another app.' },
} as const

const unusableShape = shape.component('UnusableToken', () =>
  shape.recordSchema({
    error: shape.choice(...Object.values(unusable).map(({ error }) => error)),
    message: shape.text('Bad Request'),
    reason: shape.choice(...Object.values(unusable).map(({ reason }) => reason)),
    explanation: shape.text(unusable.refresh_token.explanation),
    documentation_url: shape.text('https://rostra.example/docs/errors#OAUTH2_INVALID_GRANT'),
    fields: shape.listOf(shape.choice(...Object.keys(unusable))),
  }),
)

const unusableToken = (publicUrl: string, field: keyof typeof unusable): E.Either<Refusal, Reply> => {
  const documentation_url = documentationUrl(publicUrl, unusable[field].reason)
  return E.right(json({ ...unusable[field], message: 'Bad Request', documentation_url, fields: [field] }, 400))
}

const badClient = ({ publicUrl }: Context['config']): Reply => {
  const refusal = { code: 'OAUTH2_INVALID_CLIENT', field: null, status: 401, text: 'The client id or its secret is wrong.' } as const
  const { status, body } = answerRefusal('coded', refusal, publicUrl)
  return { kind: 'json', status, body, headers: { ...readable, 'WWW-Authenticate': 'Basic realm="rostra"' } }
}

const grantReply = (access_token: string, grant: TokenGrant, extra: Readonly<Record<string, string>> = {}): E.Either<Refusal, Reply> =>
  E.right(
    json({
      access_token,
      token_type: 'bearer',
      expires_in: ACCESS_TOKEN_LIFETIME_SECONDS,
      scope: scopeText({ scopes: grant.scopes, subsites: grant.subsites ?? undefined }),
      ...extra,
    }),
  )

const success = async (tokens: Tokens, grant: TokenGrant, extra?: Readonly<Record<string, string>>) =>
  grantReply(await tokens.issue(grant), grant, extra)

const scopesAsked = (text: string): E.Either<readonly string[], Grant> =>
  text === '' ? E.right({ scopes: '*', subsites: undefined }) : parseScopes(text)

type TokenContext = Context & Uses<'passwords' | 'tokens'>
type Flow = (params: TokenParams, client: Client, context: TokenContext, address: string) => Promise<E.Either<Refusal, Reply>>

const invalidCode = failure(
  'invalid_grant',
  'the code is unknown, used or older than ten minutes, or app, redirect_uri or code_verifier are not those of it',
)
const invalidPassword = failure('invalid_grant', 'username or password are wrong, or the account is not that of the owner of the app')
const invalidScope = failure('invalid_scope', 'the scope names one that does not exist: /api/v1/scopes has all')

const byCode: Flow = async (params, client, { vault, tokens, clock, log }) => {
  if (params.code === '' || params.redirect_uri === '') return failure('invalid_request', 'code and redirect_uri are both needed')
  const by = { client: client.id, redirectUri: params.redirect_uri, verifier: params.code_verifier }
  const redeemed = await redeemCode(vault, params.code, by, clock())
  if (redeemed.outcome === 'refused') return invalidCode
  const { account, scopes, subsites, permanent, client: owner } = redeemed.grant
  const code = hashOf(params.code)
  if (redeemed.outcome === 'again') {
    if (redeemed.grant.used === 'once')
      log.warn({ account, client: owner }, 'an authorization code was used again; what was made from it is revoked')
    await tokens.revokeMadeFrom(account, code)
    return invalidCode
  }
  const grant: TokenGrant = { account, client: client.id, scopes: scopes as readonly Scope[] | '*', subsites, refresh: null, code }
  const refresh_token = permanent ? await tokens.issueRefresh(grant) : undefined
  const answer = await success(
    tokens,
    { ...grant, refresh: refresh_token === undefined ? null : hashOf(refresh_token) },
    refresh_token === undefined ? {} : { refresh_token },
  )
  // a second use of the code, or an end of the account's access, could not revoke tokens made only now
  if (await isUsedOnce(vault, params.code)) return answer
  await tokens.revokeMadeFrom(account, code)
  return invalidCode
}

const byRefresh: Flow = async (params, client, { tokens, config }) => {
  const grant = await tokens.findRefresh(params.refresh_token)
  if (!grant || grant.client !== client.id) return unusableToken(config.publicUrl, 'refresh_token')
  return success(tokens, { ...grant, refresh: hashOf(params.refresh_token) })
}

const byPassword: Flow = async (params, client, context, address) => {
  if (client.type !== 'script') return failure('unauthorized_client', 'only script apps may use password auth')
  const scopes = scopesAsked(params.scope)
  if (E.isLeft(scopes)) return invalidScope
  if (params.username === '' || params.password === '') return failure('invalid_request', 'username and password are both needed')
  const user = await logIn(context, params.username, params.password, address)
  if (E.isLeft(user) && user.left.code === 'RATELIMIT') return E.left({ ...user.left, code: 'TOO_MANY_REQUESTS' })
  if (E.isLeft(user) && user.left.code !== 'INCORRECT_USERNAME_OR_PASSWORD') return user
  // only the app's developer may log in through it
  if (E.isLeft(user) || user.right.id !== client.owner) return invalidPassword
  const { scopes: wanted, subsites } = scopes.right
  const { id, proof } = user.right
  const grant: TokenGrant = { account: id, client: client.id, scopes: wanted, subsites: subsites ?? null, refresh: null }
  const token = await context.tokens.issue(grant)
  if (await isStillPassword(context.vault, id, proof)) return grantReply(token, grant)
  await context.tokens.revoke(token)
  return invalidPassword
}

const withoutUser = (params: TokenParams, client: Client, { tokens }: TokenContext, extra: Readonly<Record<string, string>> = {}) => {
  const scopes = scopesAsked(params.scope)
  if (E.isLeft(scopes)) return Promise.resolve(invalidScope)
  const { scopes: wanted, subsites } = scopes.right
  return success(tokens, { account: null, client: client.id, scopes: wanted, subsites: subsites ?? null, refresh: null }, extra)
}

const byClient: Flow = async (params, client, context) =>
  isConfidential(client)
    ? withoutUser(params, client, context)
    : failure('unauthorized_client', 'only confidential clients may use client_credentials')

const byDevice: Flow = async (params, client, context) =>
  params.device_id.length >= 20 && params.device_id.length <= 50
    ? withoutUser(params, client, context, { device_id: params.device_id })
    : failure('invalid_request', 'device_id must have 20 to 50 characters')

const flows: Readonly<Record<(typeof grantTypes)[number], Flow>> = {
  authorization_code: byCode,
  refresh_token: byRefresh,
  password: byPassword,
  client_credentials: byClient,
}

const flowOf = (grantType: string): Flow | undefined => {
  const known = grantTypes.find((one) => one === grantType)
  if (known !== undefined) return flows[known]
  return installedClient.test(grantType) ? byDevice : undefined
}

const accessToken = post('/api/v1/access_token', {
  modhash: false,
  idempotency: false,
  answers: { 200: shape.union(grantedShape, failureShape), 400: shape.union(unusableShape, refusalShape) },
  summary: 'Exchange a grant for an access token.',
  notes: 'The client authenticates with HTTP Basic. A failed grant returns 200 and `{"error": …}`, as clients expect.',
  params: tokenParams,
  uses: ['passwords', 'tokens'],
  handle: async (context) => {
    const { params, headers, ip } = context
    const client = await authenticateClient(context.vault, headers.authorization)
    if (!client) return E.right(badClient(context.config))
    const flow = flowOf(params.grant_type)
    return flow ? flow(params, client, context, ip) : failure('unsupported_grant_type', `grant_type is ${GRANT_TYPES_IN_WORDS}`)
  },
})

const revokeToken = post('/api/v1/revoke_token', {
  modhash: false,
  idempotency: false,
  answers: { 204: noBody, 400: shape.union(unusableShape, refusalShape) },
  summary: 'Revoke a token.',
  notes: 'Revoking a refresh token also revokes the access tokens made from it. An unknown token is 204 as well.',
  params: {
    token: documentRequired(allowEmpty(rawText())),
    token_type_hint: describeParam(documentChoices(rawText(), 'access_token', 'refresh_token'), 'of no effect'),
  },
  uses: ['tokens'],
  handle: async (context) => {
    const { params, headers, vault, tokens, config } = context
    const client = await authenticateClient(vault, headers.authorization)
    if (!client) return E.right(badClient(context.config))
    if (params.token === undefined) return refuseRule('BAD_REQUEST', 'token')
    const access = await tokens.find(params.token)
    const grant = access ?? (await tokens.findRefresh(params.token))
    if (grant && grant.client !== client.id) return unusableToken(config.publicUrl, 'token')
    if (access) await tokens.revoke(params.token)
    else if (grant) await tokens.revokeRefresh(params.token)
    return E.right({ kind: 'empty', status: 204, headers: readable })
  },
})

export const tokenEndpoints: readonly AnyEndpoint[] = [accessToken, revokeToken]
