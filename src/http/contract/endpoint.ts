// Decision 62.

import type { Either } from 'fp-ts/lib/Either.js'
import type { Scope } from '../../auth/scopes.ts'
import type { Aggregate, Decide } from '../../domain/decision.ts'
import type { AnyEvent, Capacity } from '../../domain/event.ts'
import type { Preferences } from '../../domain/preferences.ts'
import type { QuotaName } from '../../domain/quotas.ts'
import type { Refusal as RuleRefusal } from '../../domain/refusal.ts'
import type { Command } from '../../runtime/command.ts'
import type { CommandResult } from '../../runtime/run.ts'
import type { Reply } from './handler-response.ts'
import type { Upload } from './incoming.ts'
import type { Common, EndpointParts, ListingAnchors, ReadParts } from './parts.ts'
import type { Refusal } from './refusals.ts'
import type { Request, SignedIn, Viewer } from './request.ts'
import type { Answers, ErrorFamily, Login } from './schemas/answers.ts'
import type { SectionName } from './sections.ts'

/** A parameter. Its JSON schema is the documentation and its decoder the rule; params.ts makes both together. */
export type Param<T> = {
  readonly decode: (raw: string | undefined, name: string) => Either<Refusal, T>
  readonly schema: Readonly<Record<string, unknown>>
  readonly required: boolean
  readonly description: string
  /** Other names a client may send it under. */
  readonly aliases: readonly string[]
  /** True if a need decodes it, not the router. */
  readonly late?: true
  /** True if it is the fullname of a link, a comment or a message, or a list of them. */
  readonly namesThings?: true
  /** The most characters, if it is markdown. */
  readonly markdown?: number
}

export type Params = Readonly<Record<string, Param<unknown>>>
export type ParamValues<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never }

type ViewerOf<L extends Login> = L extends 'anyone' ? Viewer : SignedIn

/**
 * The context of needs and handlers: the request, the reads, and `run` and `load` bound to the request's command, so that its events record
 * every state that was read for a write (`seen`). Beside it an endpoint receives the parts that it `uses`.
 */
export type Context<P = unknown, V extends Viewer = Viewer> = Omit<ReadParts, 'load' | 'loadRecent'> &
  Common &
  Omit<Request<P>, 'viewer'> & {
    readonly viewer: V
    /** `command` is the request's command in another capacity than the needs established. */
    readonly run: <State, Event extends AnyEvent>(
      aggregate: Aggregate<State, Event>,
      id: string,
      decide: Decide<State, Event>,
      command?: Command,
    ) => Promise<Either<RuleRefusal, CommandResult<Event>>>
    readonly load: <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, id: string) => Promise<State | undefined>
    /** Returns the viewer's preferences from the read models. They are looked up once per request. */
    readonly preferences: () => Promise<Preferences>
    /** Refuses the request's command if somebody decided about the thing after this position. */
    readonly expect: (expected: NonNullable<Command['expected']>) => void
    /** Makes the request's command act in this capacity from now on. */
    readonly actAs: (capacity: Capacity) => void
    /** Decodes a parameter that was not decoded before the needs. */
    readonly decode: (name: string) => Either<Refusal, unknown>
  }

/** The context of requests that only accounts may send. */
export type SignedInContext<P = unknown> = Context<P, SignedIn>

/** Parts that an endpoint names in `uses`. */
export type Uses<U extends keyof EndpointParts> = Pick<EndpointParts, U>

export const isSignedIn = (context: Context): context is Context<unknown, SignedIn> => context.viewer.account !== undefined

type MaybePromise<T> = T | Promise<T>

/** The `left` of a need: ends a valid request that would change nothing. It is answered with success. */
export const nothingToDo = 'nothing to do' as const

/** The reason why a need ends a request: a refusal, nothing to do, a redirect, or a page for a browser. */
export type End = Refusal | typeof nothingToDo | Extract<Reply, { readonly kind: 'redirect' | 'text' }>

export const isRefusal = (end: End): end is Refusal => end !== nothingToDo && 'code' in end

/** The age of the states that an endpoint loads: all of them, or those of some aggregates, may be a second old. */
export type FactAge = 'recent' | 'current' | readonly Pick<Aggregate<never, never>, 'category'>[]

/**
 * A fact that a handler needs, looked up after the gates. `name` is its declared name. `F` are facts of needs declared before it that it
 * uses. `params` are the parameters that it decodes itself.
 */
export type Need<T, P = unknown, V extends Viewer = SignedIn, F = unknown> = ((
  context: Context<P, V> & F,
  name: string,
) => MaybePromise<Either<End, T>>) & {
  readonly params?: (name: string) => Params
}

/** A listing. The pipeline answers with the requested page of it (listing.ts). */
export type ListingReply = {
  readonly kind: 'listed'
  readonly turn: (context: Context, anchors: ListingAnchors) => Promise<Either<Refusal, Extract<Reply, { readonly kind: 'listing' }>>>
}

/** The result of a handler: a reply or a listing. Any other value is answered with the success of the endpoint's error family. */
export type HandlerOutcome = Reply | ListingReply | undefined | Either<End, unknown>

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Authentication, and the format of refusals. */
type Gate<P extends Params, L extends Login> = {
  /** The scope that a token needs, or a function of the decoded parameters; `any` needs none. */
  readonly scope: Scope | 'any' | ((params: ParamValues<P>) => readonly Scope[] | Refusal)
  /**
   * `user` is a logged-in account. `moderator` is the same, with a plain 403 for anonymous callers because a need checks for a moderator.
   * `token` is a token with an account; sessions are 401 (the v1 account routes). `session` is a session of the account, not a token.
   */
  readonly login: L
  readonly errors: ErrorFamily
}

/** The other declared properties of an endpoint. */
type Declaration<P extends Params, F extends object, L extends Login, U extends keyof EndpointParts> = {
  /** Further paths of the same endpoint that are as current as its own. */
  readonly otherPaths?: readonly string[]
  /** Older spellings of its path, which the document marks as deprecated. */
  readonly aliases?: readonly string[]
  /** The values of a path variable with a closed set: each is a route of its own. */
  readonly values?: Readonly<Record<string, readonly string[]>>
  /** Further methods that it answers (morechildren by POST). */
  readonly alsoMethods?: readonly ('GET' | 'POST')[]
  /** True if a suspended account may call it. Reading is always allowed, unless the need `notSuspended` refuses it. */
  readonly whileSuspended?: true
  /** False to ignore Idempotency-Key, since the response is a secret that is not stored. Otherwise every POST honours it. */
  readonly idempotency?: false
  /**
   * With `recent`, the log's states may be a second old, which can save requests to a server; never for acts of moderators or admins. A
   * list names the aggregates whose states may be. A function if that depends on the decoded parameters.
   */
  readonly facts?: FactAge | ((params: ParamValues<P>) => FactAge)
  /** True to take bodies up to 1 MiB: urlencoding makes a long text up to three times as long. */
  readonly longBody?: true
  /** The account quota that changes count towards. `run` refuses when it is used up. */
  readonly accountQuota?: QuotaName
  /** False to neither count nor limit requests; for monitoring. */
  readonly quota?: false
  /** True to require a modhash with a session cookie. The default is true for every method but GET. */
  readonly modhash?: boolean
  /** The response on success, by status; by default the success of its error family. */
  readonly answers?: Answers
  /** The mark `+json` of the specification's table; absent: true for `form` errors. */
  readonly json?: boolean
  readonly listing?: { readonly max: number }
  readonly rss?: boolean
  readonly summary: string
  /** Shown on the documentation page below the summary. */
  readonly notes?: string
  /** The parameters decoded before the needs. */
  readonly params?: P
  /** The file of a multipart body; a larger one is 413. */
  readonly upload?: Upload
  /** A JSON text body instead of a form; the handler decodes it from `params[name]`. */
  readonly jsonBody?: string
  /** The parts that its needs and its handler receive beside the context. No other one compiles. */
  readonly uses?: readonly U[]
  /** Facts for the handler, looked up in this order; the first refusal is the response. */
  readonly needs?: { readonly [Name in keyof F]: Need<F[Name], ParamValues<P>, ViewerOf<L>, Uses<U> & F> }
  /** Caches responses until a document they read changes: `public` those of anonymous callers, `personal` also by account. */
  readonly cache?: 'public' | 'personal'
  readonly handle: (context: Context<ParamValues<P>, ViewerOf<L>> & Uses<U> & F) => MaybePromise<HandlerOutcome>
}

/** A need without its type parameters. */
export type AnyNeed = Need<unknown, never, never, never>

/** A declaration without its type parameters, for lists of endpoints. */
export type AnyEndpoint = Omit<Declaration<Params, object, Login, keyof EndpointParts>, 'facts' | 'uses' | 'needs' | 'handle'> & {
  readonly section: SectionName
  readonly facts?: FactAge | ((params: never) => FactAge)
  readonly method: Method
  /** The path as the specification spells it: `[/s/{sub}]` is an optional prefix. */
  readonly path: string
  readonly scope: Scope | 'any' | ((params: never) => readonly Scope[] | Refusal)
  readonly login: Login
  readonly errors: ErrorFamily
  /** All parameters, including those decoded by needs. */
  readonly params: Params
  readonly uses: readonly (keyof EndpointParts)[]
  readonly needs: Readonly<Record<string, AnyNeed>>
  readonly handle: (context: never) => MaybePromise<HandlerOutcome>
}

/** Returns an endpoint's name, as lists of endpoints have it. */
export const toEndpointName = ({ method, path }: Pick<AnyEndpoint, 'method' | 'path'>): string => `${method} ${path}`

type NoParams = Readonly<Record<never, never>>

/** Declares an endpoint at a path; the types of parameters and needs flow into `handle`. */
type Declare = <P extends Params = NoParams, F extends object = object, L extends Login = Login, U extends keyof EndpointParts = never>(
  path: string,
  declaration: Declaration<P, F, L, U> & Gate<P, L>,
) => AnyEndpoint

/** Declares an endpoint behind a given gate. A declaration states only its differences. */
type DeclareBehind<Usual extends Login> = <
  P extends Params = NoParams,
  F extends object = object,
  L extends Login = Usual,
  U extends keyof EndpointParts = never,
>(
  path: string,
  declaration: Declaration<P, F, L, U> & Partial<Gate<P, L>>,
) => AnyEndpoint

type Methods<D> = { readonly [Name in Lowercase<Method>]: D }

/** Properties that several endpoints share: their gate, and everything else that is the same for all. */
type Usual<L extends Login> = Gate<Params, L> & Pick<AnyEndpoint, 'whileSuspended' | 'accountQuota'>

/** Returns functions that declare the endpoints of one section, one for each method. `usual` are their default properties. */
export function section(name: SectionName): Methods<Declare>
export function section<L extends Login>(name: SectionName, usual: Usual<L>): Methods<DeclareBehind<L>>
export function section(name: SectionName, usual?: Usual<Login>): Methods<Declare> {
  const declareMethod =
    (method: Method): Declare =>
    (path, declaration) => {
      const { needs = {}, uses = [] }: Partial<Pick<AnyEndpoint, 'needs' | 'uses'>> = declaration
      const late = Object.entries(needs).flatMap(([need, { params }]) => Object.entries(params?.(need) ?? {}))
      const params = { ...declaration.params, ...Object.fromEntries(late.map(([param, one]) => [param, { ...one, late: true as const }])) }
      const gated = { ...usual, ...declaration }
      return { ...gated, json: gated.json ?? gated.errors === 'form', section: name, method, path, uses, needs, params }
    }
  return {
    get: declareMethod('GET'),
    post: declareMethod('POST'),
    put: declareMethod('PUT'),
    patch: declareMethod('PATCH'),
    delete: declareMethod('DELETE'),
  }
}
