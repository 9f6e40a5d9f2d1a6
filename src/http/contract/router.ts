// Decision 9.

import { createRequire } from 'node:module'
import type KoaRouter from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { AnyEndpoint, Context, Param } from './endpoint.ts'
import { type Body, type Fields, type Sources, sentUnder } from './incoming.ts'
import { tokens } from './name-params.ts'
import type { Refusal } from './refusals.ts'

// The ES module of @koa/router imports `node:http`, which costs memory: see src/ports/node-http.ts.
const { default: Router } = createRequire(import.meta.url)('@koa/router') as { readonly default: typeof KoaRouter }

/** Decodes the parameters of a request. */
export type Decoder = {
  /** Decodes the parameters that no need decodes, in order. Returns the first refusal. */
  readonly early: (sources: Sources, fixed: Fields) => E.Either<Refusal, Readonly<Record<string, unknown>>>
  readonly one: (sources: Sources, fixed: Fields, name: string) => E.Either<Refusal, unknown>
  /** Returns the values sent for the parameters that name things, even if they name none. */
  readonly things: (sources: Sources) => readonly string[]
  /** Returns markdown texts as sent, unless they are too long. */
  readonly markdown: (sources: Sources) => readonly { readonly name: string; readonly text: string }[]
}

/** Returns the JSON of a request: the body itself, or the field `json` of a form, as some clients send it. */
const jsonOf = ({ fields, text }: Body): string | undefined => (text?.trimStart().startsWith('{') ? text : (fields.json ?? text))

/** Returns the decoder of the declared parameters. A value fixed by the address itself (`/message/inbox`) cannot be overridden. */
const decoderOf = ({ params, jsonBody }: Pick<AnyEndpoint, 'params' | 'jsonBody'>): Decoder => {
  const early = Object.entries<Param<unknown>>(params).filter(([, { late }]) => !late)
  const markdown = Object.entries<Param<unknown>>(params).filter((entry) => entry[1].markdown !== undefined)
  const naming = Object.entries<Param<unknown>>(params).filter(([, { namesThings }]) => namesThings)
  const decode = (sources: Sources, fixed: Fields, name: string, param: Param<unknown>) =>
    param.decode(name === jsonBody ? jsonOf(sources.body) : (fixed[name] ?? sentUnder(sources, name, param.aliases)), name)
  return {
    early: (sources, fixed) => {
      const values: Record<string, unknown> = {}
      for (const [name, param] of early) {
        const decoded = decode(sources, fixed, name, param)
        if (E.isLeft(decoded)) return decoded
        values[name] = decoded.right
      }
      return E.right(values)
    },
    one: (sources, fixed, name) => {
      const param = params[name]
      if (!param) throw new Error(`a need decodes ${name}, but no such parameter is declared`)
      return decode(sources, fixed, name, param)
    },
    things: (sources) => [
      ...new Set(naming.flatMap(([name, { aliases }]) => tokens((sentUnder(sources, name, aliases) ?? '').toLowerCase()))),
    ],
    markdown: (sources) =>
      markdown.flatMap(([name, { aliases, markdown: max = 0 }]) => {
        const text = sentUnder(sources, name, aliases)
        return text === undefined || text.length > 2 * max ? [] : [{ name, text }]
      }),
  }
}

/** One address of an endpoint: a path with the values of its closed variables filled in. */
export type Route = {
  readonly endpoint: AnyEndpoint
  /** The decoder of the endpoint's parameters. */
  readonly decoder: Decoder
  readonly methods: readonly string[]
  /** The path without its site part; variables as `{name}`. */
  readonly path: string
  readonly site: 'never' | 'optional' | 'always'
  /** The closed values of this address. */
  readonly fixed: Fields
}

export type Extension = 'json' | 'rss' | undefined

/** The parts of a request's path. */
export type Address = {
  /** The path without its site part and its extension. */
  readonly inside: string
  readonly site: string | undefined
  readonly extension: Extension
}

/** A request's endpoint, and the values in its path. */
export type FoundRoute = Omit<Address, 'inside'> & { readonly route: Route; readonly variables: Fields }

const OPTIONAL = '[/s/{sub}]'
const ALWAYS = '/s/{sub}'

/** Variables that may hold slashes. */
const spanning: ReadonlySet<string> = new Set(['multipath', 'filterpath', 'page', 'tile'])

type Values = NonNullable<AnyEndpoint['values']>

const expand = (path: string, values: Values): readonly { readonly path: string; readonly fixed: Fields }[] =>
  Object.entries(values).reduce<readonly { readonly path: string; readonly fixed: Fields }[]>(
    (variants, [name, choices]) =>
      variants.flatMap((variant) =>
        variant.path.includes(`{${name}}`)
          ? choices.map((choice) => ({
              path: variant.path.replace(`{${name}}`, choice),
              fixed: { ...variant.fixed, [name]: choice },
            }))
          : [variant],
      ),
    [{ path, fixed: {} }],
  )

const siteOf = (path: string): Route['site'] => (path.startsWith(OPTIONAL) ? 'optional' : path.startsWith(ALWAYS) ? 'always' : 'never')

const withoutSite = (path: string) =>
  path.slice(path.startsWith(OPTIONAL) ? OPTIONAL.length : path.startsWith(ALWAYS) ? ALWAYS.length : 0) || '/'

/** Returns every address of a declaration. Suffixes are removed before routing, so also from paths declared with one (`/openapi.json`). */
export const routesOf = (endpoint: AnyEndpoint): readonly Route[] => {
  const decoder = decoderOf(endpoint)
  return [endpoint.path, ...(endpoint.otherPaths ?? []), ...(endpoint.aliases ?? [])].flatMap((declared) =>
    expand(withoutSite(declared.replace(/\.json$/, '')), endpoint.values ?? {}).map(({ path, fixed }) => ({
      endpoint,
      decoder,
      methods: [endpoint.method, ...(endpoint.alsoMethods ?? [])],
      path,
      site: siteOf(declared),
      fixed,
    })),
  )
}

const isLiteral = (path: string) => !path.includes('{')
const firstSegment = (path: string) => path.slice(1, path.indexOf('/', 1) < 0 ? undefined : path.indexOf('/', 1))

/**
 * Returns a key that sorts more literal paths first, segment by segment: a literal before a variable, and a variable before one that spans
 * segments. After a variable that spans segments, a path that continues comes before one that ends.
 */
const literalness = (path: string): string =>
  `${path
    .split('/')
    .map((segment) => (isLiteral(segment) ? '0' : spanning.has(segment.slice(1, -1)) ? '2' : '1'))
    .join('')}3`

/** Returns the shape of a path. Two paths that differ only in the names of their variables have the same. */
const shapeOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => (spanning.has(name) ? '*' : ':'))

const patternOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => (spanning.has(name) ? `*${name}` : `:${name}`))

/**
 * The part of Koa's context that handlers of a path use. A request that no client sent has nothing more. The router adds the values in the
 * path.
 */
export type RouteContext<State> = { readonly method: string; readonly state: State; readonly params?: Fields }

export type Next = () => Promise<void>

/** A handler that waits for nothing returns the promise of the next one. An `async` function would keep a promise of its own until then. */
export type Handler<State> = (ctx: RouteContext<State>, next: Next) => Promise<void> | undefined

/** The handlers of a path: those of each method, and the one for all other methods. `alike`: all routes with the same path. */
export type Handlers<State> = {
  readonly handle: (route: Route, alike: readonly Route[]) => readonly Handler<State>[]
  readonly refuseMethod: (routes: readonly Route[]) => Handler<State>
}

/** Returns the methods of some routes, as the header field `Allow` lists them. */
export const methodsOf = (routes: readonly Route[]): readonly string[] => {
  const methods = new Set(routes.flatMap((route) => route.methods))
  return [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].sort()
}

type Routers<State> = (path: string) => Handler<State> | undefined

/**
 * Returns a look-up of the router of a path. There is one for each literal path, and one for all other paths with the same first segment: a
 * router of the library tries all of its paths in turn, which would take 45 µs of every request. Each path is followed by the refusal of
 * methods that it does not have. The library would go on to a less literal path, which takes `mine` for the name of a multi.
 */
const routersOf = <State>(routes: readonly Route[], { handle, refuseMethod }: Handlers<State>): Routers<State> => {
  const routers = new Map<string, KoaRouter<State>>()
  const ordered = [...routes].sort((a, b) => (literalness(a.path) < literalness(b.path) ? -1 : 1))
  for (const alike of Map.groupBy(ordered, ({ path }) => shapeOf(path)).values()) {
    const [{ path }] = alike as [Route]
    const key = isLiteral(path) ? path : firstSegment(path)
    const router = routers.get(key) ?? new Router<State>({ sensitive: true, strict: true })
    routers.set(key, router)
    for (const route of alike) router.register(patternOf(route.path), [...route.methods], [...handle(route, alike)])
    router.all(patternOf(path), refuseMethod(alike))
  }
  const middlewares = new Map([...routers].map(([key, router]) => [key, router.routes() as unknown as Handler<State>]))
  return (path) => middlewares.get(path) ?? middlewares.get(firstSegment(path))
}

const splitSuffix = (path: string): { readonly path: string; readonly extension: Extension } => {
  const suffix = path.lastIndexOf('.') < path.length - 5 ? undefined : /\/?\.(json|rss|xml)$/.exec(path)
  const bare = suffix ? path.slice(0, suffix.index) : path
  const trimmed = bare.length > 1 && bare.endsWith('/') ? bare.slice(0, -1) : bare
  return { path: trimmed || '/', extension: suffix ? (suffix[1] === 'json' ? 'json' : 'rss') : undefined }
}

/** Matches the site part of a path: a subsite, a multi of an account, or one's own multi or filter. */
const sitePart = /^(?:\/[sr]\/([^/]*)|(\/(?:user|u)\/[^/]+\/[mf]\/[^/]+|\/me\/[mf]\/[^/]+))(\/.*)?$/

/**
 * Splits off the site part: `/s/tea/hot` (or `/r/tea/hot`) is `/hot` in `tea`; `/user/ann/m/drinks/hot` is `/hot` in the subsites of that
 * multi.
 */
const splitSite = (path: string): { readonly site: string | undefined; readonly rest: string } => {
  const [, subsite, multi, rest = '/'] = sitePart.exec(path) ?? []
  const site = subsite ?? multi
  return site === undefined ? { site, rest: path } : { site: decodeURIComponent(site), rest }
}

/** Returns the parts of a path, whose percent-encoding is sound. */
export const addressOf = (path: string): Address => {
  const { path: bare, extension } = splitSuffix(path)
  const { site, rest } = splitSite(bare)
  return { inside: rest, site, extension }
}

/** Registers the paths of the endpoints with their handlers. Returns the middleware that hands each request to those of its address. */
export const openRoutes = <State extends { readonly address: Address }>(
  endpoints: readonly AnyEndpoint[],
  handlers: Handlers<State>,
): Handler<State> => {
  const routes = endpoints.flatMap(routesOf)
  const inSites = routersOf(
    routes.filter(({ site }) => site !== 'never'),
    handlers,
  )
  const outside = routersOf(
    routes.filter(({ site }) => site !== 'always'),
    handlers,
  )
  return ({ method, state }, next) => {
    const { inside, site } = state.address
    const router = (site === undefined ? outside : inSites)(inside)
    if (!router) return next()
    // The library always reads `ctx.path`, whose getter in Koa throws for some addresses that Node accepts.
    const context = { method, path: inside, request: {}, state }
    return router(context, next)
  }
}

/** Tells whether a request is answered with a feed. */
export const isFeed = ({ extension }: Pick<Context, 'extension'>): boolean => extension === 'rss'
