import * as E from 'fp-ts/lib/Either.js'
import { issueCode, withdrawCode } from '../../../auth/authorization-code.ts'
import { type Client, findClient, isConfidential } from '../../../auth/clients.ts'
import { checkRedirect } from '../../../auth/redirect-address.ts'
import { type Grant, parseScopes, scopeText } from '../../../auth/scope-string.ts'
import { ACCESS_TOKEN_LIFETIME_SECONDS } from '../../../auth/tokens.ts'
import { currentPassword, isStillPassword, type Proof } from '../../../commands/credentials.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { type AnyEndpoint, type Context, type Need, type ParamValues, section, type Uses } from '../../contract/endpoint.ts'
import type { Reply } from '../../contract/handler-response.ts'
import { sessionCookie } from '../../contract/incoming.ts'
import { describeParam, documentChoices, documentRequired, rawText, withSchema } from '../../contract/params.ts'
import { type Refusal, refusals, refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { htmlPage, JsonOrMedia, noBody, refusalShape } from '../../contract/schemas/answers.ts'
import { consentPage, invalidAuthorizationPage, ownPage } from '../../present/html-pages.ts'
import { prefersHtml } from '../../wire/wants-page.ts'

const { get, post } = section('Login and apps', { scope: 'any', login: 'anyone', errors: 'coded' })

/** A short parameter, since it is returned in a header field, in an address within an address. */
const brief = rawText({ max: 1000 })

const challengePattern = /^[\w-]{43}$/

const authorizationParams = {
  client_id: describeParam(documentRequired(brief), 'the app'),
  response_type: describeParam(documentRequired(documentChoices(brief, 'code', 'token')), '`token` is for installed apps'),
  redirect_uri: describeParam(documentRequired(brief), 'exactly the registered one'),
  scope: describeParam(documentRequired(brief), 'separated by commas or spaces'),
  state: describeParam(documentRequired(brief), 'given back as it came'),
  duration: describeParam(documentChoices(brief, 'temporary', 'permanent'), 'absent: `temporary`'),
  code_challenge: describeParam(
    withSchema(brief, { type: 'string', pattern: challengePattern.source }),
    'PKCE; installed apps must send it',
  ),
  code_challenge_method: describeParam(documentChoices(brief, 'S256'), 'with `code_challenge`'),
}
type AuthorizationParams = ParamValues<typeof authorizationParams>

type AuthorizationRequest = {
  readonly client: Client
  readonly grant: Grant
  readonly permanent: boolean
  readonly challenge: string | null
}

const authorizationRequest = async ({
  vault,
  params,
}: Pick<Context<AuthorizationParams>, 'vault' | 'params'>): Promise<E.Either<Refusal, AuthorizationRequest>> => {
  const client = await findClient(vault, params.client_id)
  if (!client) return refuseRule('OAUTH2_INVALID_CLIENT', 'client_id')
  // apps registered before the rule for redirect addresses must follow it, too
  if (params.redirect_uri !== client.redirectUri || checkRedirect(client.redirectUri, client.type))
    return refuseRule('OAUTH2_INVALID_REDIRECT_URI', 'redirect_uri')
  if (params.response_type !== 'code' && params.response_type !== 'token')
    return refuseRule('OAUTH2_INVALID_RESPONSE_TYPE', 'response_type')
  const grant = parseScopes(params.scope)
  if (E.isLeft(grant)) return refuseRule('OAUTH2_INVALID_SCOPE', 'scope')
  const permanent = params.duration === 'permanent'
  if (params.response_type === 'token' && isConfidential(client)) return refuseRule('OAUTH2_CONFIDENTIAL_TOKEN', 'response_type')
  if (params.response_type === 'token' && permanent) return refuseRule('OAUTH2_NO_REFRESH_TOKENS_ALLOWED', 'duration')
  if (params.state === '') return refuseRule('INVALID_OPTION', 'state')
  if (!['', 'temporary', 'permanent'].includes(params.duration)) return refuseRule('INVALID_OPTION', 'duration')
  const challenge = params.code_challenge === '' ? null : params.code_challenge
  if (challenge !== null && !challengePattern.test(challenge)) return refuseRule('INVALID_OPTION', 'code_challenge')
  if (challenge !== null && params.code_challenge_method !== 'S256') return refuseRule('INVALID_OPTION', 'code_challenge_method')
  const needsChallenge = params.response_type === 'code' && !isConfidential(client)
  if (needsChallenge && challenge === null) return refuseRule('INVALID_OPTION', 'code_challenge')
  return E.right({ client, grant: grant.right, permanent, challenge })
}

/**
 * Checks the request itself. Its errors are never redirected, since the address may not be the app's. A person in a browser reads them on a
 * page.
 */
const checkRequest: Need<AuthorizationRequest, AuthorizationParams, Viewer> = async (context) => {
  const request = await authorizationRequest(context)
  if (E.isRight(request) || !prefersHtml(context.headers.accept)) return request
  return E.left(ownPage(invalidAuthorizationPage(refusals[request.left.code].text, request.left.field), { status: 400 }))
}

/** JSON for programs, a page for browsers. */
const refusedRequest = new JsonOrMedia(refusalShape, 'text/html')

type User = { readonly account: AccountId; readonly name: string; readonly modhash: string }

/** Returns the user. Only a session can authorize; a token cannot create further tokens. Without a session, a login comes first. */
const user: Need<User, AuthorizationParams, Viewer> = ({ viewer: { via, account, name, modhash }, params }) => {
  if (via === 'session' && account !== undefined && name !== undefined && modhash !== null) return E.right({ account, name, modhash })
  const address = `/api/v1/authorize?${new URLSearchParams(params)}`
  return E.left({ kind: 'redirect', location: `/login?dest=${encodeURIComponent(address)}` })
}

const askConsent = get('/api/v1/authorize', {
  aliases: ['/api/v1/authorize.compact'],
  answers: { 200: htmlPage, 302: noBody, 400: refusedRequest },
  summary: 'The page on which an account authorizes an app.',
  params: authorizationParams,
  needs: { user, checked: checkRequest },
  handle: ({ user, checked, params }) => {
    const { client, grant, permanent } = checked
    const consent = consentPage({
      client,
      user: user.name,
      scopes: grant.scopes,
      subsites: grant.subsites,
      permanent,
      fields: { ...params, uh: user.modhash },
    })
    return ownPage(consent)
  },
})

/** Returns the registered address with the result in its query, or in its fragment for the token flow. */
const answer = (params: AuthorizationParams, members: Readonly<Record<string, string>>): Reply => {
  const address = new URL(params.redirect_uri)
  const fields = new URLSearchParams({ ...members, state: params.state })
  if (params.response_type === 'token') address.hash = fields.toString()
  else for (const [name, value] of fields) address.searchParams.append(name, value)
  return { kind: 'redirect', location: address.href }
}

/**
 * Tells whether the session that consented is open and the password is the same, after the grant was stored: a new password that revokes
 * all grants found only those stored before it.
 */
const isStillWilling = async (
  { headers, sessions, vault }: Context & Uses<'sessions'>,
  account: AccountId,
  password: Proof | undefined,
): Promise<boolean> => {
  const cookie = sessionCookie(headers)
  const isOpen = cookie !== undefined && (await sessions.isOpen(cookie))
  return isOpen && password !== undefined && (await isStillPassword(vault, account, password))
}

/** Returns the present password. A new one ends everything that is granted before it. */
const password: Need<Proof | undefined, unknown, Viewer, { readonly user: User }> = async ({ vault, user }) =>
  E.right(await currentPassword(vault, user.account))

const giveConsent = post('/api/v1/authorize', {
  aliases: ['/api/v1/authorize.compact'],
  idempotency: false,
  answers: { 302: noBody, 400: refusedRequest },
  summary: 'Submits the form of the authorization page.',
  notes: 'Redirects to the app: with `code`, with the token in the fragment, or with `error=access_denied`.',
  params: { ...authorizationParams, authorize: describeParam(brief, 'sent by the allow button only') },
  uses: ['sessions', 'tokens'],
  needs: { user, password, checked: checkRequest },
  handle: async (context) => {
    const { user, password, checked, params, vault, tokens, clock } = context
    const denied = answer(params, { error: 'access_denied' })
    if (params.authorize === '') return denied
    const { client, grant, permanent, challenge } = checked
    const subsites = grant.subsites ?? null
    if (params.response_type === 'token') {
      const token = await tokens.issue({ account: user.account, client: client.id, scopes: grant.scopes, subsites, refresh: null })
      if (!(await isStillWilling(context, user.account, password))) {
        await tokens.revoke(token)
        return denied
      }
      const expires_in = String(ACCESS_TOKEN_LIFETIME_SECONDS)
      return answer(params, { access_token: token, token_type: 'bearer', expires_in, scope: scopeText(grant) })
    }
    const code = await issueCode(
      vault,
      { client: client.id, account: user.account, redirectUri: client.redirectUri, scopes: grant.scopes, subsites, permanent, challenge },
      clock(),
    )
    if (await isStillWilling(context, user.account, password)) return answer(params, { code })
    await withdrawCode(vault, code)
    return denied
  },
})

export const consentEndpoints: readonly AnyEndpoint[] = [askConsent, giveConsent]
