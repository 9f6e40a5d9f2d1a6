// Decision 122.

import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import { quotaOf, type RateLimit } from '../../limits/rate-limit.ts'
import { LOG_START } from '../../ports/event-store.ts'
import type { Seed } from '../../runtime/command.ts'
import type { Idempotency } from '../../runtime/idempotency.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { type Fields, isRead, noBody, type OutgoingResponse, parseForm, type Sources, splitTarget } from '../contract/incoming.ts'
import type { Common, ReadParts } from '../contract/parts.ts'
import { refusals } from '../contract/refusals.ts'
import { type Site, unproven } from '../contract/request.ts'
import { type Exchange, noteRawJson } from '../contract/request-state.ts'
import { type FoundRoute, type Match, openRouter } from '../contract/router.ts'
import { unrenderableOf } from '../present/markdown.ts'
import { wantsPage } from '../wire/wants-page.ts'
import { seenPosition } from './form-posts.ts'
import {
  accountGate,
  invalidToken,
  loginGate,
  modhashGate,
  paramScopeGate,
  quotaGate,
  type Stop,
  scopeGate,
  stopWith,
  subsiteGate,
} from './gates.ts'
import { answerOnce, formKey } from './idempotency-key.ts'
import { type Identify, openIdentity } from './identity.ts'
import { bodyOfAct, mayAct } from './page-acts.ts'
import type { PageCache } from './page-cache.ts'
import { isDraw, openRandomSubsites } from './random-subsite.ts'
import { recordedReads } from './recorded-reads.ts'
import type { Handle } from './run-endpoint.ts'
import { siteAt, sitePartSent } from './site.ts'
import { type EndpointResult, preflight } from './write-response.ts'

export type StepParts = Parameters<typeof openIdentity>[0] &
  Pick<Common, 'freshness'> &
  ReadParts & {
    readonly idempotency: Idempotency
    readonly limit: RateLimit
    readonly cache: PageCache
    readonly handle: Handle
  }

const home: Site = { kind: 'home' }
/** The time that a read waits for its `min_position`. */
const MIN_POSITION_WAIT_MS = 1_000

/** The endpoint of a request's target, and its query as sent. */
type RoutedTarget = { readonly routed: FoundRoute; readonly query: Fields }

/** Matches the name of a function that may be called with the response. */
const callbackName = /^[\w$."'[\]]{1,200}$/

/** Finds the endpoint of a request, and the format of its response. CORS preflights are answered here. */
const openTargets = (endpoints: readonly AnyEndpoint[], isReadOnly: boolean) => {
  const route = openRouter(endpoints)

  /** Tells whether an endpoint only reads. An endpoint of GET does, whatever other method it takes. */
  const reads = (found: Match): boolean => found.kind === 'route' && found.route.endpoint.method === 'GET'
  const readingMethods = (path: string): readonly string[] => ['GET', 'HEAD', 'POST'].filter((method) => reads(route(method, path)))

  return (exchange: Exchange): Either<Stop, RoutedTarget | OutgoingResponse> => {
    const { method, target } = exchange.incoming
    const split = splitTarget(target)
    if (!split) return stopWith({ code: 'BAD_REQUEST', field: null, text: 'the path is not percent-encoded UTF-8' })
    const query = parseForm(split.search)
    if (E.isLeft(query)) return stopWith(query.left)
    noteRawJson(exchange, query.right)
    const match = route(method, split.path)
    if (match.kind === 'unknown') return stopWith({ code: 'NOT_FOUND', field: null })
    if (isReadOnly && !isRead(method) && !reads(match)) {
      const allow = readingMethods(split.path)
      return method === 'OPTIONS' ? E.right(preflight(allow)) : stopWith({ code: 'READ_ONLY', field: null }, { Allow: allow.join(', ') })
    }
    if (match.kind === 'method') {
      if (method === 'OPTIONS') return E.right(preflight(match.allow))
      return stopWith({ code: 'METHOD_NOT_ALLOWED', field: null }, { Allow: match.allow.join(', ') })
    }
    const { endpoint } = match.route
    if (exchange.incoming.isPageAct && !mayAct(endpoint)) return stopWith({ code: 'METHOD_NOT_ALLOWED', field: null })
    if (match.extension === 'rss' && !endpoint.rss) return stopWith({ code: 'NOT_FOUND', field: null })
    exchange.endpoint = endpoint
    const callback = isRead(method) ? query.right.jsonp || undefined : undefined
    if (callback === undefined) return E.right({ routed: match, query: query.right })
    if (!callbackName.test(callback)) return stopWith({ code: 'BAD_JSONP_CALLBACK', field: 'jsonp', status: 400 })
    exchange.writing = { ...exchange.writing, callback, encoding: 'entities' }
    return E.right({ routed: match, query: query.right })
  }
}

/** Identifies the viewer, counts the request, and refuses viewers who may not call the endpoint at all. */
const admit = async (identify: Identify, limit: RateLimit, exchange: Exchange, routed: FoundRoute, sent: Fields) => {
  const { incoming, writing } = exchange
  const { endpoint } = routed.route
  const { identity, query, isPrivateFeed } = exchange.page
    ? { identity: exchange.page.identity, query: sent, isPrivateFeed: false }
    : await identify(incoming, routed, sent, writing.callback !== undefined)
  exchange.identity = identity ?? unproven
  if (identity === undefined) return E.left(invalidToken)
  const { viewer } = identity
  exchange.writing = { ...writing, modhash: viewer.modhash }
  const stop =
    quotaGate(exchange, endpoint.quota === false || exchange.page ? limit.whole() : quotaOf(limit, viewer, incoming.ip)) ??
    scopeGate(endpoint, viewer) ??
    loginGate(endpoint, viewer, incoming.headers, exchange.page !== undefined || incoming.isPageAct === true)
  return stop ? E.left(stop) : E.right({ query, isPrivateFeed })
}

/** Returns everything that parameters are decoded from. */
const sourcesOf = async (exchange: Exchange, { route, variables }: FoundRoute, query: Fields): Promise<Either<Stop, Sources>> => {
  const { incoming } = exchange
  const body = isRead(incoming.method) ? E.right(noBody) : await incoming.readBody(route.endpoint)
  if (E.isLeft(body)) return stopWith(body.left, body.left.code === 'UNSUPPORTED_ENCODING' ? { 'Accept-Encoding': 'identity' } : {})
  noteRawJson(exchange, body.right.fields)
  return E.right({ body: bodyOfAct(exchange, body.right), query, path: variables })
}

/** Waits for the position that a client requests, for a limited time. */
const waitForPosition = async ({ freshness }: Pick<Common, 'freshness'>, exchange: Exchange, query: Fields): Promise<Stop | undefined> => {
  const position = query.min_position
  if (position && !exchange.page) {
    // a cached response would not wait
    exchange.keeping = undefined
    if (!/^\d{1,40}$/.test(position)) return { refusal: { code: 'BAD_NUMBER', field: 'min_position' }, headers: {} }
    exchange.stale = !(await freshness.waitUntil(position.padStart(LOG_START.length, '0'), MIN_POSITION_WAIT_MS))
  }
  exchange.read = freshness.position()
  return undefined
}

/** Waits for the write that this browser made a moment ago, so that its author sees it. */
const waitForOwnWrite = async ({ freshness }: Pick<Common, 'freshness'>, exchange: Exchange): Promise<void> => {
  const seen = exchange.page ? undefined : seenPosition(exchange.incoming)
  if (seen !== undefined) exchange.stale = !(await freshness.waitUntil(seen, MIN_POSITION_WAIT_MS))
}

/** Records the reads of an answer for the page that shows it. A page that shows an answer that no cache may keep is not cached. */
const recordFor = (page: Exchange, asked: Exchange): void => {
  asked.keeping = page.keeping
  if (page.keeping && asked.endpoint?.cache === undefined && asked.endpoint?.uses.length !== 0) page.keeping.readsMore = true
}

/** Decodes the parameters that no need decodes. */
const decode = async (
  { identity }: Exchange,
  { route: { endpoint, decoder, fixed } }: FoundRoute,
  sources: Sources,
): Promise<Either<Stop, unknown>> => {
  const params = decoder.early(sources, fixed)
  if (E.isLeft(params)) return stopWith(params.left)
  const texts = decoder.markdown(sources)
  const unrenderable = texts.length === 0 ? undefined : await unrenderableOf(texts)
  if (unrenderable) return stopWith(unrenderable)
  const narrow = paramScopeGate(endpoint, identity.viewer, params.right)
  return narrow ? E.left(narrow) : params
}

/** Replaces a refusal that asks for a login by one that nobody can log in here. */
const withoutLogins = (stop: Stop): Stop =>
  stop.refusal.code === 'USER_REQUIRED' ? { ...stop, refusal: { ...stop.refusal, text: refusals.READ_ONLY.explanation ?? '' } } : stop

/** Opens the steps of a request, in order. The first that refuses or answers it ends it. */
export const openSteps = (parts: StepParts, endpoints: readonly AnyEndpoint[]): ((exchange: Exchange) => Promise<EndpointResult>) => {
  const { sessions, idempotency, limit, cache, handle } = parts
  const isReadOnly = parts.config.readOnlyAs !== undefined
  const targetOf = openTargets(endpoints, isReadOnly)
  const identify = openIdentity(parts)
  const drawSubsite = openRandomSubsites(parts)
  const { documents, vault, clock, load, loadRecent, commentIndexes, readStream } = parts
  const unrecorded: ReadParts = { documents, vault, clock, load, loadRecent, commentIndexes, readStream }

  return async (exchange) => {
    const { incoming } = exchange
    const isWrite = !isRead(incoming.method)
    // reading a body changes the type that its head says
    const isFormOfPage = isWrite && wantsPage(incoming)
    const target = targetOf(exchange)
    if (E.isLeft(target)) return target
    if (!('routed' in target.right)) return E.right(target.right)
    const { routed, query: sent } = target.right
    const { endpoint } = routed.route

    const admitted = await admit(identify, limit, exchange, routed, sent)
    if (E.isLeft(admitted)) return isReadOnly ? E.left(withoutLogins(admitted.left)) : admitted
    const { query, isPrivateFeed } = admitted.right
    await waitForOwnWrite(parts, exchange)
    // an address with a token, and its response, must not be shared
    const kept = isPrivateFeed || endpoint.cache === undefined || exchange.page ? undefined : cache.recall(exchange, endpoint)
    if (kept) return E.right(kept)
    if (exchange.page) recordFor(exchange.page, exchange)

    const sources = await sourcesOf(exchange, routed, query)
    if (E.isLeft(sources)) return sources
    const barred = modhashGate(sessions, exchange, endpoint, sources.right) ?? (await accountGate(parts, exchange, endpoint))
    if (barred) return E.left(barred)
    const unreachable = await waitForPosition(parts, exchange, query)
    if (unreachable) return E.left(unreachable)

    const { identity } = exchange
    const { viewer } = identity
    const drawn = routed.site?.toLowerCase()
    if (drawn !== undefined && isDraw(drawn) && !isWrite && identity.subsites === undefined)
      return E.right({ kind: 'redirect', location: await drawSubsite(incoming.target, drawn, viewer) })
    const reads = exchange.keeping ? recordedReads(unrecorded, exchange.keeping) : unrecorded
    const sitePart = routed.site ?? (routed.route.site === 'optional' ? sitePartSent(sources.right, incoming) : undefined)
    const site = sitePart === undefined ? E.right(home) : await siteAt({ ...reads, viewer }, sitePart, isWrite)
    if (E.isLeft(site)) return stopWith(site.left)
    // an endpoint of GET only reads, whatever other method it takes
    const things = endpoint.method === 'GET' ? [] : routed.route.decoder.things(sources.right)
    const within = await subsiteGate(reads, identity, site.right, things)
    if (E.isLeft(within)) return within
    const params = await decode(exchange, routed, sources.right)
    if (E.isLeft(params)) return params

    const work = (seed?: Seed) =>
      handle(exchange, routed, { reads, sources: sources.right, site: site.right, reach: within.right, params: params.right, seed })
    const sentKey = incoming.headers['idempotency-key'] ?? (isFormOfPage ? formKey(sources.right.body) : undefined)
    const isRepeatable = incoming.method === 'POST' || incoming.isPageAct === true
    const key = endpoint.idempotency === false || isReadOnly || !isRepeatable ? undefined : sentKey
    return key === undefined ? work() : answerOnce(idempotency, exchange, String(key), sources.right, work)
  }
}
