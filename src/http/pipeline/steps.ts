import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import { quotaOf, type RateLimit } from '../../limits/rate-limit.ts'
import { LOG_START } from '../../ports/event-store.ts'
import type { Seed } from '../../runtime/command.ts'
import type { Idempotency } from '../../runtime/idempotency.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { type Fields, isRead, noBody, type OutgoingResponse, parseForm, type Sources, splitTarget } from '../contract/incoming.ts'
import type { Common, Reads } from '../contract/parts.ts'
import { refusals } from '../contract/refusals.ts'
import { type Site, unproven } from '../contract/request.ts'
import { type Exchange, noteRawJson } from '../contract/request-state.ts'
import { type FoundRoute, type Match, openRouter } from '../contract/router.ts'
import { unrenderableOf } from '../present/markdown.ts'
import {
  accountGate,
  invalidToken,
  loginGate,
  modhashGate,
  paramScopeGate,
  quotaGate,
  type Stop,
  scopeGate,
  stopped,
  subsiteGate,
} from './gates.ts'
import { answerOnce } from './idempotency-key.ts'
import { type Identify, openIdentity } from './identity.ts'
import type { PageCache } from './page-cache.ts'
import { isDraw, openRandomSubsites } from './random-subsite.ts'
import { recordedReads } from './recorded-reads.ts'
import type { Handle } from './run-endpoint.ts'
import { siteAt, sitePartSent } from './site.ts'
import { type Answer, preflight } from './write-response.ts'

export type StepParts = Parameters<typeof openIdentity>[0] &
  Pick<Common, 'freshness'> &
  Reads & {
    readonly idempotency: Idempotency
    readonly limit: RateLimit
    readonly cache: PageCache
    readonly handle: Handle
  }

const home: Site = { kind: 'home' }
/** Milliseconds that a read waits for its `min_position`. */
const MIN_POSITION_WAIT_MS = 1_000

/** What the target of a request says: its endpoint, and the query as sent. */
type Target = { readonly routed: FoundRoute; readonly query: Fields }

/** The name of a function that may be called with the response. */
const callbackName = /^[\w$."'[\]]{1,200}$/

/** Finds the endpoint of a request, and how its response is to be written. CORS preflights are answered here. */
const openTargets = (endpoints: readonly AnyEndpoint[], isReadOnly: boolean) => {
  const route = openRouter(endpoints)

  /** An endpoint of GET only reads, whatever other method it takes. */
  const reads = (found: Match): boolean => found.kind === 'route' && found.route.endpoint.method === 'GET'
  const readingMethods = (path: string): readonly string[] => ['GET', 'HEAD', 'POST'].filter((method) => reads(route(method, path)))

  return (exchange: Exchange): Either<Stop, Target | OutgoingResponse> => {
    const { method, target } = exchange.incoming
    const split = splitTarget(target)
    if (!split) return stopped({ code: 'BAD_REQUEST', field: null, text: 'the path is not percent-encoded UTF-8' })
    const query = parseForm(split.search)
    if (E.isLeft(query)) return stopped(query.left)
    noteRawJson(exchange, query.right)
    const match = route(method, split.path)
    if (match.kind === 'unknown') return stopped({ code: 'NOT_FOUND', field: null })
    if (isReadOnly && !isRead(method) && !reads(match)) {
      const allow = readingMethods(split.path)
      return method === 'OPTIONS' ? E.right(preflight(allow)) : stopped({ code: 'READ_ONLY', field: null }, { Allow: allow.join(', ') })
    }
    if (match.kind === 'method') {
      if (method === 'OPTIONS') return E.right(preflight(match.allow))
      return stopped({ code: 'METHOD_NOT_ALLOWED', field: null }, { Allow: match.allow.join(', ') })
    }
    const { endpoint } = match.route
    if (match.extension === 'rss' && !endpoint.rss) return stopped({ code: 'NOT_FOUND', field: null })
    exchange.endpoint = endpoint
    const callback = isRead(method) ? query.right.jsonp || undefined : undefined
    if (callback === undefined) return E.right({ routed: match, query: query.right })
    if (!callbackName.test(callback)) return stopped({ code: 'BAD_JSONP_CALLBACK', field: 'jsonp', status: 400 })
    exchange.writing = { ...exchange.writing, callback, encoding: 'entities' }
    return E.right({ routed: match, query: query.right })
  }
}

/** Identifies the viewer, counts the request, and refuses viewers who may not call the endpoint at all. */
const admit = async (identify: Identify, limit: RateLimit, exchange: Exchange, routed: FoundRoute, sent: Fields) => {
  const { incoming, writing } = exchange
  const { endpoint } = routed.route
  const { identity, query, isPrivateFeed } = await identify(incoming, routed, sent, writing.callback !== undefined)
  exchange.identity = identity ?? unproven
  if (identity === undefined) return E.left(invalidToken)
  const { viewer } = identity
  exchange.writing = { ...writing, modhash: viewer.modhash }
  const stop =
    quotaGate(exchange, endpoint.quota === false ? limit.whole() : quotaOf(limit, viewer, incoming.ip)) ??
    scopeGate(endpoint, viewer) ??
    loginGate(endpoint, viewer, incoming.headers)
  return stop ? E.left(stop) : E.right({ query, isPrivateFeed })
}

/** Everything that parameters are decoded from. */
const sourcesOf = async (exchange: Exchange, { route, variables }: FoundRoute, query: Fields): Promise<Either<Stop, Sources>> => {
  const { incoming } = exchange
  const body = isRead(incoming.method) ? E.right(noBody) : await incoming.readBody(route.endpoint)
  if (E.isLeft(body)) return stopped(body.left, body.left.code === 'UNSUPPORTED_ENCODING' ? { 'Accept-Encoding': 'identity' } : {})
  noteRawJson(exchange, body.right.fields)
  return E.right({ body: body.right, query, path: variables })
}

/** Waits for the position that a client requests, for a limited time. */
const reach = async ({ freshness }: Pick<Common, 'freshness'>, exchange: Exchange, query: Fields): Promise<Stop | undefined> => {
  const position = query.min_position
  if (position) {
    // a cached response would not wait
    exchange.keeping = undefined
    if (!/^\d{1,40}$/.test(position)) return { refusal: { code: 'BAD_NUMBER', field: 'min_position' }, headers: {} }
    exchange.stale = !(await freshness.waitUntil(position.padStart(LOG_START.length, '0'), MIN_POSITION_WAIT_MS))
  }
  exchange.read = freshness.position()
  return undefined
}

/** The parameters that no need decodes. */
const decode = async (
  { identity }: Exchange,
  { route: { endpoint, decoder, fixed } }: FoundRoute,
  sources: Sources,
): Promise<Either<Stop, unknown>> => {
  const params = decoder.early(sources, fixed)
  if (E.isLeft(params)) return stopped(params.left)
  const texts = decoder.markdown(sources)
  const unrenderable = texts.length === 0 ? undefined : await unrenderableOf(texts)
  if (unrenderable) return stopped(unrenderable)
  const narrow = paramScopeGate(endpoint, identity.viewer, params.right)
  return narrow ? E.left(narrow) : params
}

/** Where nobody can log in, whoever should is told that. */
const withoutLogins = (stop: Stop): Stop =>
  stop.refusal.code === 'USER_REQUIRED' ? { ...stop, refusal: { ...stop.refusal, text: refusals.READ_ONLY.explanation ?? '' } } : stop

/** The steps of a request, in order; the first that refuses or answers it ends it. */
export const openSteps = (parts: StepParts, endpoints: readonly AnyEndpoint[]): ((exchange: Exchange) => Promise<Answer>) => {
  const { sessions, idempotency, limit, cache, handle } = parts
  const isReadOnly = parts.config.readOnlyAs !== undefined
  const targetOf = openTargets(endpoints, isReadOnly)
  const identify = openIdentity(parts)
  const drawSubsite = openRandomSubsites(parts)
  const { documents, vault, clock, load, loadRecent, commentIndexes, readStream } = parts
  const unrecorded: Reads = { documents, vault, clock, load, loadRecent, commentIndexes, readStream }

  return async (exchange) => {
    const { incoming } = exchange
    const isWrite = !isRead(incoming.method)
    const target = targetOf(exchange)
    if (E.isLeft(target)) return target
    if (!('routed' in target.right)) return E.right(target.right)
    const { routed, query: sent } = target.right
    const { endpoint } = routed.route

    const admitted = await admit(identify, limit, exchange, routed, sent)
    if (E.isLeft(admitted)) return isReadOnly ? E.left(withoutLogins(admitted.left)) : admitted
    const { query, isPrivateFeed } = admitted.right
    // an address with a token, and its response, must not be shared
    const kept = isPrivateFeed || endpoint.cache === undefined ? undefined : cache.recall(exchange, endpoint)
    if (kept) return E.right(kept)

    const sources = await sourcesOf(exchange, routed, query)
    if (E.isLeft(sources)) return sources
    const barred = modhashGate(sessions, exchange, endpoint, sources.right) ?? (await accountGate(parts, exchange, endpoint))
    if (barred) return E.left(barred)
    const unreachable = await reach(parts, exchange, query)
    if (unreachable) return E.left(unreachable)

    const { identity } = exchange
    const { viewer } = identity
    const drawn = routed.site?.toLowerCase()
    if (drawn !== undefined && isDraw(drawn) && !isWrite && identity.subsites === undefined)
      return E.right({ kind: 'redirect', location: await drawSubsite(incoming.target, drawn, viewer) })
    const reads = exchange.keeping ? recordedReads(unrecorded, exchange.keeping) : unrecorded
    const sitePart = routed.site ?? (routed.route.site === 'optional' ? sitePartSent(sources.right, incoming) : undefined)
    const site = sitePart === undefined ? E.right(home) : await siteAt({ ...reads, viewer }, sitePart, isWrite)
    if (E.isLeft(site)) return stopped(site.left)
    // an endpoint of GET only reads, whatever other method it takes
    const things = endpoint.method === 'GET' ? [] : routed.route.decoder.things(sources.right)
    const within = await subsiteGate(reads, identity, site.right, things)
    if (E.isLeft(within)) return within
    const params = await decode(exchange, routed, sources.right)
    if (E.isLeft(params)) return params

    const work = (seed?: Seed) =>
      handle(exchange, routed, { reads, sources: sources.right, site: site.right, reach: within.right, params: params.right, seed })
    const key = endpoint.idempotency === false || isReadOnly || incoming.method !== 'POST' ? undefined : incoming.headers['idempotency-key']
    return key === undefined ? work() : answerOnce(idempotency, exchange, String(key), sources.right, work)
  }
}
