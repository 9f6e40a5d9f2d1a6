// Decisions 24 and 78.

import * as E from 'fp-ts/lib/Either.js'
import type { Modhashes } from '../../auth/modhash.ts'
import type { Scope } from '../../auth/scopes.ts'
import { Account, isSuspended } from '../../domain/account.ts'
import type { RequestsUsed } from '../../limits/rate-limit.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { challenge } from '../contract/error-responses.ts'
import { bearerOf, type IncomingRequest, isRead, readField, type Sources } from '../contract/incoming.ts'
import type { ReadParts } from '../contract/parts.ts'
import type { Refusal } from '../contract/refusals.ts'
import type { Identity, Site, Viewer } from '../contract/request.ts'
import type { Exchange } from '../contract/request-state.ts'
import { type ReachableSubsites, reachOf } from './token-subsites.ts'

/** A refusal before the endpoint runs, with the challenge that tells an OAuth client the reason. */
export type Stop = { readonly refusal: Refusal; readonly headers: Readonly<Record<string, string>> }

const stop = (code: Refusal['code'], headers: Stop['headers'] = {}): Stop => ({ refusal: { code, field: null }, headers })

export const stopWith = (refusal: Refusal, headers: Stop['headers'] = {}): E.Either<Stop, never> => E.left({ refusal, headers })

const userRequired = stop('USER_REQUIRED')
const forbidden = stop('FORBIDDEN')
const invalidRequest = stop('BAD_REQUEST', challenge('invalid_request'))
const sessionRequired = stop('SESSION_REQUIRED', challenge('invalid_request'))
const elsewhere: Stop = {
  refusal: {
    code: 'INSUFFICIENT_SCOPE',
    field: null,
    text: 'The access token is limited to some subsites, and this request is outside of them.',
  },
  headers: challenge('insufficient_scope'),
}
const insufficientScope = (scopes: readonly Scope[]): Stop => ({
  refusal: { code: 'INSUFFICIENT_SCOPE', field: null, text: `The access token does not have the scope ${scopes.join(' and ')}.` },
  headers: challenge('insufficient_scope', scopes),
})
const wrongModhash = stop('INVALID_MODHASH')
const missingModhash: Stop = {
  refusal: {
    code: 'INVALID_MODHASH',
    field: null,
    text: 'The modhash is missing: a write with a session cookie needs the modhash of the session in X-Modhash or uh.',
  },
  headers: {},
}
const inTimeout = stop('IN_TIMEOUT')
/**
 * The refusal of a bad token, or of none where a token is required. RFC 6750 would name no error then, but clients read it from every 401,
 * as the interface says.
 */
export const invalidToken = stop('UNAUTHORIZED', challenge('invalid_token'))

/** Notes the quota of a request for its header fields. Above the limit it is refused. */
export const quotaGate = (exchange: Exchange, quota: RequestsUsed): Stop | undefined => {
  exchange.quota = quota
  if (!quota.exceeded) return undefined
  return { refusal: { code: 'TOO_MANY_REQUESTS', field: null, extra: { ratelimit: quota.reset } }, headers: {} }
}

const lacks = ({ scopes }: Viewer, scope: Scope) => scopes !== undefined && scopes !== 'all' && !scopes.has(scope)

/** Checks whether a token's scopes permit an endpoint at all. Sessions and anonymous callers have no scopes to check. */
export const scopeGate = ({ scope }: AnyEndpoint, viewer: Viewer): Stop | undefined =>
  typeof scope === 'string' && scope !== 'any' && lacks(viewer, scope) ? insufficientScope([scope]) : undefined

/** Checks a scope that depends on the parameters. */
export const paramScopeGate = ({ scope }: AnyEndpoint, viewer: Viewer, params: unknown): Stop | undefined => {
  if (typeof scope !== 'function' || viewer.via !== 'token') return undefined
  const needed = scope(params as never)
  if ('code' in needed) return { refusal: needed, headers: challenge('invalid_request') }
  const lacking = needed.filter((one) => lacks(viewer, one))
  return lacking.length > 0 ? insufficientScope(lacking) : undefined
}

/** Checks a token restricted to some subsites: it is valid only for their paths, and elsewhere for acts on their things. */
export const subsiteGate = async (
  { load }: Pick<ReadParts, 'load'>,
  { subsites }: Identity,
  site: Site,
  things: readonly string[],
): Promise<E.Either<Stop, ReachableSubsites | undefined>> => {
  if (subsites === undefined) return E.right(undefined)
  const reach = await reachOf(load, subsites, site, things)
  return reach ? E.right(reach) : E.left(elsewhere)
}

/** Returns the refusal of a caller without an account. */
const withoutAccount = ({ login }: AnyEndpoint): Stop => (login === 'moderator' ? forbidden : userRequired)

/** Checks the kind of login. `inPage` means that a page asks in the name of its session, which stands for a token then. */
export const loginGate = (
  endpoint: AnyEndpoint,
  viewer: Viewer,
  headers: IncomingRequest['headers'],
  inPage: boolean,
): Stop | undefined => {
  const { login } = endpoint
  if (login === 'anyone') return undefined
  if (login === 'token' && viewer.via !== 'token' && !(inPage && viewer.via === 'session'))
    return headers.authorization !== undefined && bearerOf(String(headers.authorization)) === undefined ? invalidRequest : invalidToken
  if (login === 'session' && viewer.via === 'token') return sessionRequired
  return viewer.account === undefined ? withoutAccount(endpoint) : undefined
}

/**
 * Checks the viewer's account in the log before a write, since sessions and tokens end with their account, but not in all processes at
 * once. A deleted one is anonymous, a suspended one may do little.
 */
export const accountGate = async (
  app: Pick<ReadParts, 'load' | 'loadRecent' | 'clock'>,
  { identity: { viewer }, incoming, seen }: Exchange,
  endpoint: AnyEndpoint,
): Promise<Stop | undefined> => {
  if (viewer.account === undefined || endpoint.login === 'anyone' || isRead(incoming.method)) return undefined
  // if it depends on the parameters, they are not decoded yet
  const load = endpoint.facts === 'recent' ? app.loadRecent : app.load
  const account = await load(Account, viewer.account, { seen })
  if (account?.deleted) return viewer.via === 'token' ? invalidToken : withoutAccount(endpoint)
  return account !== undefined && !endpoint.whileSuspended && isSuspended(account, app.clock()) ? inTimeout : undefined
}

/** Protects against forged requests: a request with a cookie must carry the modhash, which other sites cannot read. */
export const modhashGate = (
  { isModhash }: Modhashes,
  { identity: { session }, incoming }: Exchange,
  endpoint: AnyEndpoint,
  sources: Sources,
): Stop | undefined => {
  if (!(endpoint.modhash ?? !isRead(incoming.method)) || session === undefined) return undefined
  const header = incoming.headers['x-modhash']
  const modhash = typeof header === 'string' && header !== '' ? header : readField(sources, 'uh')
  if (isModhash(session, modhash)) return undefined
  return modhash === '' ? missingModhash : wrongModhash
}
