import type { SubsiteDocument } from '../../../projections/subsites.ts'
import type { Scope } from '../../auth/scopes.ts'
import type { Session } from '../../auth/sessions.ts'
import type { AccountId, SubsiteId } from '../../domain/ids.ts'
import type { Position } from '../../ports/event-store.ts'
import type { Command } from '../../runtime/command.ts'

/** The viewer, as authenticated by the credentials of the request. */
export type Viewer = {
  /** Undefined for anonymous callers and for tokens without an account. */
  readonly account: AccountId | undefined
  readonly name: string | undefined
  /** True if they have the authority of an admin; a suspended admin has none. */
  readonly admin: boolean
  readonly via: 'anonymous' | 'session' | 'token' | 'feed'
  /** The scopes of a token; `all` for `*`. Undefined for sessions, which have every scope. */
  readonly scopes: ReadonlySet<Scope> | 'all' | undefined
  /** The modhash to return: the session's, `''` if logged out, null with a token. */
  readonly modhash: string | null
  /** The OAuth client of the token. */
  readonly client: string | undefined
  /** The only subsites that the request can access; undefined means all. */
  readonly within?: ReadonlySet<SubsiteId>
}

/** A viewer whose account the login gate has checked. */
export type SignedIn = Viewer & { readonly account: AccountId }
/** The site part of a path: the subsites that a listing covers or an act is in. */
export type Site =
  | { readonly kind: 'home' } // no prefix
  | { readonly kind: 'front' } // /s/subscribed
  | { readonly kind: 'subsite'; readonly subsite: SubsiteDocument }
  | { readonly kind: 'several'; readonly subsites: readonly SubsiteDocument[] } // /s/a+b
  | { readonly kind: 'all'; readonly except: readonly SubsiteDocument[] }
  | { readonly kind: 'moderated'; readonly except: readonly SubsiteDocument[] } // /s/mod, /s/mod-a
  | { readonly kind: 'contributed' } // /s/contrib
  | { readonly kind: 'friends' }

/** Returns the subsites that the site part of a path names. */
export const subsitesIn = (site: Site): readonly SubsiteDocument[] => {
  if (site.kind === 'subsite') return [site.subsite]
  return site.kind === 'several' ? site.subsites : []
}

/** The listing protocol's parameters, decoded and clamped; `count` is ignored. Anchors are fullnames (or another opaque name), as sent. */
export type PageRequest = {
  readonly limit: number
  readonly after: string | undefined
  readonly before: string | undefined
  /** True with `show=all`: no filters such as hidden things. */
  readonly showAll: boolean
  readonly srDetail: boolean
}

export type Request<P> = {
  readonly viewer: Viewer
  readonly params: P
  readonly site: Site
  readonly page: PageRequest
  /** The command of this request, by the viewer's account. `run` sets its position, for `X-Log-Position`. */
  readonly command: Command
  /** The declared path that matched, without its site part. */
  readonly path: string
  /** Suffix of the path, kept in redirects. */
  readonly extension: 'json' | 'rss' | undefined
  /** The network as in `Incoming.ip`: an IPv4 address, or the /64 of an IPv6 address. */
  readonly ip: string
  /** Header fields in lower case, for endpoints that read them (OAuth client credentials). */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Further query parameters that a few handlers read (`obey_over18`). */
  readonly query: Readonly<Record<string, string>>
  /** The file of endpoints that take an upload. */
  readonly file: Buffer | undefined
  /** Adds a position that `X-Log-Position` must cover: of an append made outside `run`. */
  readonly wrote: (position: Position | undefined) => void
}

/** The viewer and how they authenticated. */
export type Identity = {
  readonly viewer: Viewer
  /** The session's account, for the modhash. */
  readonly session: Session | undefined
  /** Lower-cased names of the only subsites that the token opens. */
  readonly subsites: readonly string[] | undefined
}

export const anonymous: Identity = {
  viewer: { account: undefined, name: undefined, admin: false, via: 'anonymous', scopes: undefined, modhash: '', client: undefined },
  session: undefined,
  subsites: undefined,
}

/** A caller with an invalid token: anonymous, but with the responses that a token gets. */
export const unproven: Identity = { ...anonymous, viewer: { ...anonymous.viewer, via: 'token', modhash: null } }
