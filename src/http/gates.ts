import type { Scope } from '../auth/scopes.ts'
import type { Session } from '../auth/sessions.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { AnyEndpoint, Site, Viewer } from './endpoint.ts'
import { challenge } from './errors.ts'
import type { Identity } from './identity.ts'
import { bearerOf } from './identity.ts'
import type { Incoming } from './incoming.ts'

/** Stopped before the endpoint's own work: a refusal, and the challenge that tells an OAuth client what is wrong. */
export type Stop = { readonly refusal: Refusal; readonly headers: Readonly<Record<string, string>> }

const none = {}
const stop = (code: Refusal['code'], headers: Stop['headers'] = none): Stop => ({ refusal: { code, field: null }, headers })

const userRequired = stop('USER_REQUIRED')
const forbidden = stop('FORBIDDEN')
const invalidRequest = stop('BAD_REQUEST', challenge('invalid_request'))
const insufficientScope = stop('FORBIDDEN', challenge('insufficient_scope'))
/** A bad token, or none where only tokens are served. */
export const invalidToken = stop('UNAUTHORIZED', challenge('invalid_token'))

const lacks = ({ scopes }: Viewer, scope: Scope) => scopes !== undefined && scopes !== 'all' && !scopes.has(scope)

/** Whether a token opens an endpoint at all; sessions and anonymous callers have no scopes to check. */
export const scopeGate = ({ scope }: AnyEndpoint, viewer: Viewer): Stop | undefined =>
  typeof scope === 'string' && scope !== 'any' && lacks(viewer, scope) ? insufficientScope : undefined

/** The same where the scope depends on the parameters. */
export const paramScopeGate = ({ scope }: AnyEndpoint, viewer: Viewer, params: unknown): Stop | undefined => {
  if (typeof scope !== 'function' || viewer.via !== 'token') return undefined
  const needed = scope(params as never)
  if ('code' in needed) return { refusal: needed, headers: challenge('invalid_request') }
  return needed.some((one) => lacks(viewer, one)) ? insufficientScope : undefined
}

/** A token for some subsites opens only their paths. */
export const subsiteGate = ({ subsites }: Identity, site: Site): Stop | undefined => {
  if (subsites === undefined) return undefined
  const asked = site.kind === 'subsite' ? [site.subsite] : site.kind === 'several' ? site.subsites : []
  return asked.length > 0 && asked.every(({ lower }) => subsites.includes(lower)) ? undefined : insufficientScope
}

export const loginGate = ({ login }: AnyEndpoint, viewer: Viewer, headers: Incoming['headers']): Stop | undefined => {
  if (login === 'anyone') return undefined
  if (login === 'token' && viewer.via !== 'token')
    return headers.authorization !== undefined && bearerOf(String(headers.authorization)) === undefined ? invalidRequest : invalidToken
  if (viewer.account !== undefined) return undefined
  return login === 'moderator' ? forbidden : userRequired
}

/** Against forged requests: who comes with a cookie must also say what only the site's own pages and clients know. */
export const modhashGate = (
  session: Session | undefined,
  modhash: string,
  isModhash: (session: Session, modhash: string) => boolean,
): Stop | undefined => (session === undefined || isModhash(session, modhash) ? undefined : forbidden)
