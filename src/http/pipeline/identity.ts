// Decisions 14 and 70.

import { isIP } from 'node:net'
import { isScope, type Scope } from '../../auth/scopes.ts'
import type { Session } from '../../auth/sessions.ts'
import type { TokenGrant } from '../../auth/tokens.ts'
import { OVERSEER } from '../../commands/read-only-overseer.ts'
import { claimNamed } from '../../commands/username-lookup.ts'
import { Account } from '../../domain/account.ts'
import type { AccountId } from '../../domain/ids.ts'
import { initialPreferences, PreferencesOf } from '../../domain/preferences.ts'
import { bearerOf, type Fields, type IncomingRequest, isRead, sessionCookie } from '../contract/incoming.ts'
import type { Common, EndpointParts, ReadParts } from '../contract/parts.ts'
import { anonymous, type Identity } from '../contract/request.ts'
import type { FoundRoute } from '../contract/router.ts'
import { isViewerSuspended } from '../things/access.ts'

type Identification = {
  /** Undefined if the bearer token is wrong, which is refused whatever the endpoint. */
  readonly identity: Identity | undefined
  /** The query without the credentials of a private feed, which are no parameters. */
  readonly query: Fields
  readonly isPrivateFeed: boolean
}

/** Returns the overseer: nobody's account, which may read everything that a moderator or an admin may. */
const overseerAs = (as: 'moderator' | 'admin'): Identity => ({
  ...anonymous,
  viewer: { ...anonymous.viewer, account: OVERSEER, admin: as === 'admin', via: 'session', modhash: null },
})

/**
 * Tells whether the name by which a request calls the service is an address, or its own. Otherwise a page of another site in a browser on
 * this machine could give its own name the address of the service, and read the answers.
 */
const isCalledRightly = ({ host }: IncomingRequest['headers'], publicUrl: string): boolean => {
  const name = URL.parse(`http://${host}`)?.hostname ?? ''
  return isIP(name.replace(/^\[|\]$/g, '')) > 0 || name === 'localhost' || name === new URL(publicUrl).hostname
}

/** With `isJsonp` a request is anonymous, whatever credentials it has. */
export type Identify = (incoming: IncomingRequest, routed: FoundRoute, sent: Fields, isJsonp: boolean) => Promise<Identification>

type IdentityParts = Pick<ReadParts & Common & EndpointParts, 'config' | 'load' | 'loadRecent' | 'clock' | 'sessions' | 'tokens'>

const tokenIn = ({ authorization }: IncomingRequest['headers']): string | undefined =>
  bearerOf(typeof authorization === 'string' ? authorization : undefined)

/** Reads session cookies and bearer tokens. */
const openCredentials = (app: IdentityParts) => {
  // A session or grant is the same object while it is cached, so values derived from it are cached no longer than that.
  const bySession = new WeakMap<Session, Identity>()
  const byGrant = new WeakMap<TokenGrant, Identity>()
  const admins = new Set(app.config.admins)
  const { readOnlyAs } = app.config
  const overseer = readOnlyAs === 'moderator' || readOnlyAs === 'admin' ? overseerAs(readOnlyAs) : undefined
  /** Nobody can log in if nothing is written: no cookie or token of the site itself is valid there. */
  const everybody = (headers: IncomingRequest['headers']): Identity | undefined => {
    if (readOnlyAs === undefined) return undefined
    return overseer && isCalledRightly(headers, app.config.publicUrl) ? overseer : anonymous
  }

  /**
   * Returns the name of an account. A deleted account counts as anonymous, even with a valid session or token. The state is that of some
   * moment of the last second: identification costs no read of the log, and every check of permissions reads it.
   */
  const nameOf = async (id: AccountId): Promise<string | undefined> => {
    const account = await app.loadRecent(Account, id)
    return account?.deleted ? undefined : account?.name
  }

  const identityOfSession = (session: Session, name: string): Identity => ({
    viewer: {
      account: session.account,
      name,
      admin: admins.has(name.toLowerCase()),
      via: 'session',
      scopes: undefined,
      modhash: app.sessions.modhashOf(session),
      client: undefined,
    },
    session,
    subsites: undefined,
  })

  const identityOfGrant = (grant: TokenGrant, name: string | undefined): Identity => ({
    viewer: {
      account: grant.account ?? undefined,
      name,
      admin: name !== undefined && admins.has(name.toLowerCase()),
      via: 'token',
      scopes: grant.scopes === '*' ? 'all' : new Set<Scope>(grant.scopes.filter(isScope)),
      modhash: null,
      client: grant.client,
    },
    session: undefined,
    subsites: grant.subsites ?? undefined,
  })

  const ofSession = async (session: Session): Promise<Identity> => {
    const name = await nameOf(session.account)
    if (name === undefined) return anonymous
    const identity = bySession.get(session) ?? identityOfSession(session, name)
    bySession.set(session, identity)
    return identity
  }

  const ofGrant = async (grant: TokenGrant): Promise<Identity | undefined> => {
    const name = grant.account === null ? undefined : await nameOf(grant.account)
    if (grant.account !== null && name === undefined) return undefined
    const identity = byGrant.get(grant) ?? identityOfGrant(grant, name)
    byGrant.set(grant, identity)
    return identity
  }

  /** Removes the authority of an admin while that admin is suspended. */
  const unlessSuspended = async (identity: Identity): Promise<Identity> => {
    const { viewer } = identity
    if (!viewer.admin) return identity
    const isSuspended = await isViewerSuspended({ load: app.load, clock: app.clock, viewer })
    return isSuspended ? { ...identity, viewer: { ...viewer, admin: false } } : identity
  }

  const ofToken = async (token: string): Promise<Identity | undefined> => {
    const grant = await app.tokens.find(token)
    const identity = grant && (await ofGrant(grant))
    return identity && unlessSuspended(identity)
  }

  const ofCookie = async (cookie: string | undefined): Promise<Identity> => {
    const session = cookie ? await app.sessions.find(cookie) : undefined
    return session ? unlessSuspended(await ofSession(session)) : anonymous
  }

  return { ofToken, ofCookie, everybody }
}

/**
 * Returns a function that identifies the credentials of a request now, for responses that go on; undefined for a token that is not valid
 * any more.
 */
export const openViewerNow = (app: IdentityParts): EndpointParts['viewerNow'] => {
  const { ofToken, ofCookie, everybody } = openCredentials(app)
  return async (headers) => {
    const token = tokenIn(headers)
    const all = everybody(headers)
    if (all) return token === undefined ? all.viewer : undefined
    return (await (token === undefined ? ofCookie(sessionCookie(headers)) : ofToken(token)))?.viewer
  }
}

/** Returns a function that identifies the sender of a request. With a token the cookie is ignored. */
export const openIdentity = (app: IdentityParts & Pick<EndpointParts, 'feedTokens'>): Identify => {
  const { ofToken, ofCookie, everybody } = openCredentials(app)
  return async ({ method, headers }, routed, sent, isJsonp) => {
    const token = tokenIn(headers)
    const credentials = token === undefined ? feedCredentialsOf(method, routed, sent) : undefined
    const { user: _user, feed: _feed, ...others } = sent
    const toIdentified = (identity: Identity | undefined) => ({
      identity,
      query: credentials ? others : sent,
      isPrivateFeed: credentials !== undefined,
    })
    const all = everybody(headers)
    if (all && token !== undefined) return toIdentified(undefined)
    if (isJsonp) return toIdentified(anonymous)
    if (all) return toIdentified(all)
    if (credentials) return toIdentified(await feedIdentity(app, credentials))
    if (token !== undefined) return toIdentified(await ofToken(token))
    // feeds are read without cookies
    return toIdentified(await ofCookie(routed.extension === 'rss' ? undefined : sessionCookie(headers)))
  }
}

type Credentials = { readonly user: string; readonly feed: string }

/** Returns the `user` and `feed` parameters of a private feed, or of the same path as JSON; undefined for every other request. */
const feedCredentialsOf = (method: string, { route, extension }: FoundRoute, { user = '', feed }: Fields): Credentials | undefined =>
  feed !== undefined && route.endpoint.rss && extension !== undefined && isRead(method) ? { user, feed } : undefined

/** The viewer with a wrong token is anonymous. The response is not cached for others, since its address contains the attempted token. */
const nobody: Identity = { ...anonymous, viewer: { ...anonymous.viewer, via: 'feed' } }

/** Returns the viewer of a private feed: the account without admin powers, if it has private feeds and the token is right. */
const feedIdentity = async (
  { load, feedTokens }: Pick<ReadParts & EndpointParts, 'load' | 'feedTokens'>,
  { user, feed }: Credentials,
): Promise<Identity> => {
  const claim = await claimNamed({ load }, user)
  if (!claim || !(await feedTokens.isTokenOf(claim.account, feed))) return nobody
  const [account, preferences] = [await load(Account, claim.account), await load(PreferencesOf, claim.account)]
  if (!account || account.deleted || !(preferences ?? initialPreferences).private_feeds) return nobody
  return { ...nobody, viewer: { ...nobody.viewer, account: account.id, name: account.name, modhash: null } }
}
