// Decision 9.

import Router from '@koa/router'
import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import type { AnyEndpoint, Context, Param } from './endpoint.ts'
import { type Body, type Fields, type Sources, sentUnder } from './incoming.ts'
import { tokens } from './name-params.ts'
import type { Refusal } from './refusals.ts'

/** Decodes the parameters of a request. */
export type Decoder = {
  /** Decodes the parameters that no need decodes, in order. Returns the first refusal. */
  readonly early: (sources: Sources, fixed: Fields) => Either<Refusal, Readonly<Record<string, unknown>>>
  readonly one: (sources: Sources, fixed: Fields, name: string) => Either<Refusal, unknown>
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

export type Match =
  | {
      readonly kind: 'route'
      readonly route: Route
      readonly variables: Fields
      readonly site: string | undefined
      readonly extension: Extension
    }
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  | { readonly kind: 'unknown' }

/** A request's endpoint, and the values in its path. */
export type FoundRoute = Extract<Match, { readonly kind: 'route' }>

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

type RouteMatch = { readonly route: Route; readonly variables: Fields }
type Lookup = (method: string, path: string, allow: Set<string>) => RouteMatch | undefined

/** Returns a look-up. Literal paths are looked up in a map; other paths are tried only if their first segment matches. */
const tableOf = (routes: readonly Route[]): Lookup => {
  const literals = new Map<string, Map<string, Route>>()
  const patterns = new Map<string, Router>()
  const byLayer = new Map<unknown, Route & { readonly shape: string }>()
  const ordered = [...routes].sort((a, b) => (literalness(a.path) < literalness(b.path) ? -1 : 1))
  for (const route of ordered) {
    if (isLiteral(route.path)) {
      const methods = literals.get(route.path) ?? new Map<string, Route>()
      for (const method of route.methods) if (!methods.has(method)) methods.set(method, route)
      literals.set(route.path, methods)
    } else {
      const first = firstSegment(route.path)
      const key = isLiteral(first) ? first : ''
      const router = patterns.get(key) ?? new Router({ sensitive: true, strict: true })
      const layer = router.register(patternOf(route.path), [...route.methods], () => undefined)
      byLayer.set(layer, { ...route, shape: shapeOf(route.path) })
      patterns.set(key, router)
    }
  }

  const among = (router: Router | undefined, method: string, path: string, allow: Set<string>): RouteMatch | undefined => {
    if (!router) return undefined
    // the most literal path that matches decides the methods, not one that would take it for a variable's value
    const matched = router.match(path, method).path
    const shape = byLayer.get(matched[0])?.shape
    for (const layer of matched) {
      const route = byLayer.get(layer)
      if (route?.shape !== shape || !route) continue
      if (route.methods.includes(method)) return { route, variables: { ...layer.params(path, layer.captures(path)), ...route.fixed } }
      for (const allowed of route.methods) allow.add(allowed)
    }
    return undefined
  }

  return (method, path, allow) => {
    const methods = literals.get(path)
    const route = methods?.get(method)
    if (route) return { route, variables: route.fixed }
    for (const allowed of methods?.keys() ?? []) allow.add(allowed)
    if (methods) return undefined
    return among(patterns.get(firstSegment(path)), method, path, allow) ?? among(patterns.get(''), method, path, allow)
  }
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

/** Returns a function that finds the endpoint of a method and a path, whose percent-encoding is sound. */
export const openRouter = (endpoints: readonly AnyEndpoint[]): ((method: string, path: string) => Match) => {
  const routes = endpoints.flatMap(routesOf)
  const inSites = tableOf(routes.filter(({ site }) => site !== 'never'))
  const outside = tableOf(routes.filter(({ site }) => site !== 'always'))

  return (sentMethod, path) => {
    const method = sentMethod === 'HEAD' ? 'GET' : sentMethod
    const allow = new Set<string>()
    const { path: bare, extension } = splitSuffix(path)
    const { site, rest } = splitSite(bare)
    const found = (site === undefined ? outside : inSites)(method, rest, allow)
    if (found) return { kind: 'route', ...found, site, extension }
    if (allow.size === 0) return { kind: 'unknown' }
    return { kind: 'method', allow: [...allow, ...(allow.has('GET') ? ['HEAD'] : [])].sort() }
  }
}

/** Tells whether a request is answered with a feed. */
export const isFeed = ({ extension }: Pick<Context, 'extension'>): boolean => extension === 'rss'
