import type { Either } from 'fp-ts/lib/Either.js'
import type { SubsiteDocument } from '../../projections/subsites.ts'
import type { App, Recorded } from '../app.ts'
import type { Scope } from '../auth/scopes.ts'
import type { Aggregate, Decide } from '../domain/decision.ts'
import type { AnyEvent, Capacity } from '../domain/event.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Position } from '../ports/event-store.ts'
import type { Command } from '../runtime/command.ts'
import type { Answers, ErrorFamily } from './schemas/answers.ts'

/** Who is asking, as the credentials of the request prove it. */
export type Viewer = {
  /** Undefined for anonymous callers and for tokens without a user. */
  readonly account: AccountId | undefined
  readonly name: string | undefined
  readonly admin: boolean
  readonly via: 'anonymous' | 'session' | 'token' | 'feed'
  /** Of a token; `all` for `*`. Undefined for sessions, which may do everything their account may. */
  readonly scopes: ReadonlySet<Scope> | 'all' | undefined
  /** The modhash to hand out: the session's, `''` when logged out, null with a token. */
  readonly modhash: string | null
  /** The OAuth client of the token. */
  readonly client: string | undefined
  /** The only subsites that there are for this request; undefined: all. */
  readonly within?: ReadonlySet<SubsiteId>
}

/** The site part of a path: which links a listing is of, which subsite an act is in. */
export type Site =
  | { readonly kind: 'home' } // no prefix
  | { readonly kind: 'front' } // /s/subscribed
  | { readonly kind: 'subsite'; readonly subsite: SubsiteDocument }
  | { readonly kind: 'several'; readonly subsites: readonly SubsiteDocument[] } // /s/a+b
  | { readonly kind: 'all'; readonly except: readonly SubsiteDocument[] }
  | { readonly kind: 'moderated'; readonly except: readonly SubsiteDocument[] } // /s/mod, /s/mod-a
  | { readonly kind: 'contributed' } // /s/contrib
  | { readonly kind: 'friends' }

/** The listing protocol's parameters, decoded and clamped; `count` tells nothing that the anchors do not. Anchors are fullnames (or another opaque name), as sent. */
export type PageRequest = {
  readonly limit: number
  readonly after: string | undefined
  readonly before: string | undefined
  /** `show=all`: no filters such as hidden things. */
  readonly showAll: boolean
  readonly srDetail: boolean
}

export type Request<P> = {
  readonly viewer: Viewer
  readonly params: P
  readonly site: Site
  readonly page: PageRequest
  /** The command this request is, by the viewer's account; its position after `run` is noted for `X-Log-Position`. */
  readonly command: Command
  /** Which of the endpoint's paths was asked for, without its site part. */
  readonly path: string
  /** Suffix of the path, carried over to redirects. */
  readonly extension: 'json' | 'rss' | undefined
  /** As `Incoming.ip`: an IPv4 address, or the /64 of an IPv6 address. */
  readonly ip: string
  /** Header fields in lower case, for the few endpoints that are about them (OAuth client credentials). */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Further query parameters that a few handlers look at themselves (`obey_over18`). */
  readonly query: Readonly<Record<string, string>>
  /** Note a position that the answer must name: of an append made outside `run`. */
  readonly wrote: (position: Position | undefined) => void
}

/** What a handler answers; the pipeline turns it into bytes. `body` may hold fragments (json.ts). */
export type Reply =
  | {
      readonly kind: 'json'
      readonly body: unknown
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      /** Not kept for who asks next: it comes of more than the address, who asks and the documents. */
      readonly fleeting?: boolean
    }
  /** A form's success: `{"json":{"errors":[],"data"?}}`. */
  | { readonly kind: 'form'; readonly data?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** A listing's children (fragments or things), first and last fullname as the paging rules say. */
  | {
      readonly kind: 'listing'
      readonly children: readonly unknown[]
      readonly after: string | null
      readonly before: string | null
      readonly extra?: Readonly<Record<string, unknown>>
      readonly fleeting?: boolean
    }
  /** Several listings in one array, or one around others: the body is composed by the presenter. */
  | {
      readonly kind: 'redirect'
      readonly location: string
      readonly status?: 301 | 302
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'empty'; readonly status: 200 | 201 | 202 | 204; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly kind: 'text'
      readonly type: string
      readonly body: string | Buffer
      readonly fleeting?: boolean
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
    }

/** A parameter: its JSON schema is the documentation, its decoder the rule; both made together by params.ts. */
export type Param<T> = {
  readonly decode: (raw: string | undefined, name: string) => Either<Refusal, T>
  readonly schema: Readonly<Record<string, unknown>>
  readonly required: boolean
  readonly description: string
  /** Other names a client may send it under. */
  readonly aliases: readonly string[]
  /** Decoded by a need, not before. */
  readonly late?: true
  /** It is markdown, of which so many characters can be legal. */
  readonly markdown?: number
}

export type Params = Readonly<Record<string, Param<unknown>>>
export type Decoded<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never }

/** A viewer whose account the login gate has established. */
export type SignedIn = Viewer & { readonly account: AccountId }
export type Login = 'anyone' | 'user' | 'moderator' | 'token'
type ViewerOf<L extends Login> = L extends 'anyone' ? Viewer : SignedIn

/**
 * What needs and handlers work with: the request, and the service with `run` and `load` bound to the request's command, so that every
 * state that was read for a write is noted in its events (`seen`).
 */
export type Context<P = unknown, V extends Viewer = Viewer> = Omit<App, 'run' | 'load'> &
  Omit<Request<P>, 'viewer'> & {
    readonly viewer: V
    /** `command`: the request's own in another capacity, where that differs from what the needs established. */
    readonly run: <State, Event extends AnyEvent>(
      aggregate: Aggregate<State, Event>,
      id: string,
      decide: Decide<State, Event>,
      command?: Command,
    ) => Promise<Either<Refusal, Recorded<Event>>>
    readonly load: <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, id: string) => Promise<State | undefined>
    /** From here on the request's command acts in this capacity. */
    readonly actAs: (capacity: Capacity) => void
    /** Decodes a parameter now that was not decoded before the needs. */
    readonly decode: (name: string) => Either<Refusal, unknown>
  }

type MaybePromise<T> = T | Promise<T>

/** As a need's left: the request is no mistake but asks for nothing, which is a success. */
export const nothingToDo = 'nothing to do' as const

/**
 * A fact that a handler needs, looked up after the gates; `name` is the one it is declared under. `params` are the parameters that it
 * decodes itself, which is after the needs declared before it.
 */
export type Need<T, P = unknown, V extends Viewer = SignedIn> = ((
  context: Context<P, V>,
  name: string,
) => MaybePromise<Either<Refusal | typeof nothingToDo, T>>) & {
  readonly params?: (name: string) => Params
}

/** A listing of which the pipeline answers the page asked for (listing.ts). */
export type Listed = {
  readonly kind: 'listed'
  readonly turn: (context: Context) => Promise<Either<Refusal, Extract<Reply, { readonly kind: 'listing' }>>>
}

/** What a handler comes to: a reply or a listing; anything else is nothing to say, and answered as the endpoint's error family answers success. */
export type Outcome = Reply | Listed | undefined | Either<Refusal | typeof nothingToDo, unknown>

export type Endpoint<P extends Params = Params, F extends object = object, L extends Login = Login> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As the specification spells it: `[/s/{sub}]` is an optional prefix. */
  readonly path: string
  /** Further paths for the same endpoint (alternatives outside the table, older clients' names). */
  readonly aliases?: readonly string[]
  /** For a path variable with a closed set: each value is a route of its own. */
  readonly values?: Readonly<Record<string, readonly string[]>>
  /** Also answers these methods (morechildren by POST). */
  readonly alsoMethods?: readonly ('GET' | 'POST')[]
  /** The scope a token needs, or a function of the decoded parameters; `any` needs none. */
  readonly scope: Scope | 'any' | ((params: Decoded<P>) => readonly Scope[] | Refusal)
  /**
   * `user`: a logged-in account; `moderator`: the same where a need asks for a moderator, so that anonymous callers get a plain
   * 403; `token`: a token with an account, sessions are 401 (the v1 account routes); `anyone`.
   */
  readonly login: L
  /** `false`: an Idempotency-Key means nothing here, since the answer is a secret that is kept nowhere; elsewhere it holds for every POST. */
  readonly idempotency?: false
  /** `recent`: the log's state may be a second old where that saves asking a server; never for what moderators or admins do. */
  readonly facts?: 'recent'
  /** `false`: requests are neither counted nor limited; for monitoring. */
  readonly quota?: false
  /** Needs a modhash with a session cookie. Default: every method but GET. */
  readonly modhash?: boolean
  readonly errors: ErrorFamily
  /** What success is answered with, by status; absent: the success of its error family, with nothing to say. */
  readonly answers?: Answers
  /** Part of the specification's table marks: `+json`, listing, RSS. */
  readonly json?: boolean
  readonly listing?: { readonly max: number }
  readonly rss?: boolean
  readonly section: string
  readonly summary: string
  /** Stands in the documentation page under the summary. */
  readonly notes?: string
  readonly params: P
  /** A JSON text body instead of a form: decoded by the handler from `params[name]`. */
  readonly jsonBody?: string
  /** Facts for the handler, looked up in this order; the first refusal is the answer. */
  readonly needs?: { readonly [Name in keyof F]: Need<F[Name], Decoded<P>, ViewerOf<L>> }
  /** Answers are kept while no document they were read from has changed: `public`: those to anonymous callers; `personal`: also the others, by account. */
  readonly cache?: 'public' | 'personal'
  readonly handle: (context: Context<Decoded<P>, ViewerOf<L>> & F) => MaybePromise<Outcome>
}

/** Declares an endpoint; the types of parameters and needs flow into `handle`. What needs decode is documented with the other parameters. */
export const endpoint = <P extends Params, F extends object, L extends Login>(declaration: Endpoint<P, F, L>): AnyEndpoint => {
  const needs: AnyEndpoint['needs'] = declaration.needs ?? {}
  const late = Object.entries(needs).flatMap(([name, need]) => Object.entries(need.params?.(name) ?? {}))
  const params = { ...declaration.params, ...Object.fromEntries(late.map(([name, param]) => [name, { ...param, late: true as const }])) }
  return { ...declaration, needs, params }
}

/** A declaration whose types are forgotten: what lists of endpoints hold. */
export type AnyEndpoint = Omit<Endpoint, 'scope' | 'needs' | 'handle'> & {
  readonly scope: Scope | 'any' | ((params: never) => readonly Scope[] | Refusal)
  readonly needs: Readonly<Record<string, Need<unknown, never, never>>>
  readonly handle: (context: never) => MaybePromise<Outcome>
}
