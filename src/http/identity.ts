import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import type { App } from '../app.ts'
import { isScope, type Scope } from '../auth/scopes.ts'
import { COOKIE, type Session } from '../auth/sessions.ts'
import type { TokenGrant } from '../auth/tokens.ts'
import { Account } from '../domain/account.ts'
import type { AccountId } from '../domain/ids.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Viewer } from './endpoint.ts'
import { cookieOf, type Incoming } from './incoming.ts'

/** Who asks, and by what right. */
export type Identity = {
  readonly viewer: Viewer
  /** Whose session it is, for the modhash. */
  readonly session: Session | undefined
  /** Lower-cased names of the only subsites that the token opens. */
  readonly subsites: readonly string[] | undefined
}

export const anonymous: Identity = {
  viewer: { account: undefined, name: undefined, admin: false, via: 'anonymous', scopes: undefined, modhash: '', client: undefined },
  session: undefined,
  subsites: undefined,
}

/** A caller with an invalid token: anonymous, but answered like a token. */
export const unproven: Identity = { ...anonymous, viewer: { ...anonymous.viewer, via: 'token', modhash: null } }

const invalidToken: Either<Refusal, never> = E.left({ code: 'UNAUTHORIZED', field: null })

/** The bearer token of a request, however broken; undefined when it carries none. Any other scheme is not for this. */
export const bearerOf = (header: string | undefined): string | undefined => {
  const match = /^bearer(?: +(.*))?$/i.exec(header?.trim() ?? '')
  return match ? (match[1] ?? '') : undefined
}

/** Whether a request carries credentials of any kind; without them it is anonymous for certain. */
export const hasCredentials = (headers: Incoming['headers']): boolean =>
  headers.authorization !== undefined || (headers.cookie?.includes(COOKIE) ?? false)

export type Identify = (headers: Incoming['headers']) => Promise<Either<Refusal, Identity>>

/** Reads session cookies and bearer tokens; a token makes the cookie count for nothing. Left: a token that is not valid. */
export const openIdentity = (app: Pick<App, 'config' | 'load' | 'sessions' | 'tokens'>): Identify => {
  // Names never change. The session and the grant are the same objects while they are remembered, so nothing outlives their end.
  const names = new LRUCache<AccountId, string>({ max: 50_000 })
  const bySession = new WeakMap<Session, Identity>()
  const byGrant = new WeakMap<TokenGrant, Identity>()
  const admins = new Set(app.config.admins)

  const nameOf = async (account: AccountId): Promise<string | undefined> => {
    const known = names.get(account)
    if (known !== undefined) return known
    const name = (await app.load(Account, account))?.name
    if (name !== undefined) names.set(account, name)
    return name
  }

  const ofSession = async (session: Session): Promise<Identity> => {
    const known = bySession.get(session)
    if (known) return known
    const name = await nameOf(session.account)
    if (name === undefined) return anonymous
    const viewer: Viewer = {
      account: session.account,
      name,
      admin: admins.has(name.toLowerCase()),
      via: 'session',
      scopes: undefined,
      modhash: app.sessions.modhashOf(session),
      client: undefined,
    }
    const identity = { viewer, session, subsites: undefined }
    bySession.set(session, identity)
    return identity
  }

  const ofGrant = async (grant: TokenGrant): Promise<Identity | undefined> => {
    const known = byGrant.get(grant)
    if (known) return known
    const name = grant.account === null ? undefined : await nameOf(grant.account)
    if (grant.account !== null && name === undefined) return undefined
    const viewer: Viewer = {
      account: grant.account ?? undefined,
      name,
      admin: name !== undefined && admins.has(name.toLowerCase()),
      via: 'token',
      scopes: grant.scopes === '*' ? 'all' : new Set<Scope>(grant.scopes.filter(isScope)),
      modhash: null,
      client: grant.client,
    }
    const identity = { viewer, session: undefined, subsites: grant.subsites ?? undefined }
    byGrant.set(grant, identity)
    return identity
  }

  return async ({ authorization, cookie }) => {
    const token = bearerOf(typeof authorization === 'string' ? authorization : undefined)
    if (token !== undefined) {
      const grant = await app.tokens.find(token)
      const identity = grant && (await ofGrant(grant))
      return identity ? E.right(identity) : invalidToken
    }
    const value = cookieOf(typeof cookie === 'string' ? cookie : undefined, COOKIE)
    const session = value ? await app.sessions.find(value) : undefined
    return E.right(session ? await ofSession(session) : anonymous)
  }
}
