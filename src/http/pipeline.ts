import { randomUUID } from 'node:crypto'
import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../app.ts'
import { Username } from '../domain/account.ts'
import { Gold } from '../domain/gold.ts'
import { MultiStream } from '../domain/multi.ts'
import { Relation } from '../domain/relation.ts'
import { asksForGold } from '../domain/standing.ts'
import { Subsite } from '../domain/subsite.ts'
import { START } from '../ports/event-store.ts'
import type { Seed } from '../runtime/command.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { answerFault, isPutOff } from './errors.ts'
import { type Exchange, exchangeOf, making } from './exchange.ts'
import { accountGate, invalidToken, loginGate, modhashGate, paramScopeGate, type Stop, scopeGate, stopped, subsiteGate } from './gates.ts'
import { openHandling, type Routed } from './handling.ts'
import { answerOnce } from './idempotency-key.ts'
import { hasCredentials, openIdentity, unproven } from './identity.ts'
import { type Body, type Fields, type Incoming, isRead, noBody, type Outgoing, parseForm, splitTarget } from './incoming.ts'
import { isMultiPart } from './multi-site.ts'
import { openPageCache } from './page-cache.ts'
import { unrenderableOf } from './present/markdown.ts'
import { openRandomSubsites } from './random-subsite.ts'
import { type Quota, quotaOf, type RateLimit } from './rate-limit.ts'
import { type Decoder, decoderOf } from './raw-params.ts'
import type { Refusal } from './refusals.ts'
import type { Reply } from './reply.ts'
import { openRepresentation } from './representation.ts'
import { exchangeHeaders, preflight, respond, respondInTurn, standingHeaders, writeError } from './respond.ts'
import { openRouter } from './router.ts'
import { openSites, sitePartSent } from './site.ts'

export type Pipeline = (incoming: Incoming) => Promise<Outgoing>

/** Milliseconds that a read waits for its `min_position`. */
const MIN_POSITION_WAIT_MS = 1_000

const refused = (code: Refusal['code'], text?: string): Either<Stop, never> =>
  stopped(text === undefined ? { code, field: null } : { code, field: null, text })
const stopOf = (refusal: Refusal): Stop => ({ refusal, headers: {} })

const isFleeting = (answered: Either<Stop, Reply | Outgoing>): boolean =>
  E.isRight(answered) && 'fleeting' in answered.right && answered.right.fleeting === true

/**
 * The steps of a request: identify, gates, decode, look up needs, handle, respond. Any step may refuse; a thrown error is a fault,
 * answered with a 5xx that has the id of its log line.
 */
export const openPipeline = (app: App, endpoints: readonly AnyEndpoint[], limit: RateLimit): Pipeline => {
  const route = openRouter(endpoints)
  const identify = openIdentity(app)
  const sites = openSites(app)
  const randomSubsites = openRandomSubsites(app)
  const cache = openPageCache(app)
  const represent = openRepresentation()
  const decoders = new Map(endpoints.map((endpoint) => [endpoint, decoderOf(endpoint)]))
  const decodersOf = (endpoint: AnyEndpoint): Decoder => decoders.get(endpoint) ?? decoderOf(endpoint)
  const handle = openHandling(app, decodersOf)
  const instance = randomUUID().slice(0, 8)
  let served = 0

  /** Counts a request; returns the refusal above the limit. */
  const countedAs = (exchange: Exchange, quota: Quota): Either<Stop, never> | undefined => {
    exchange.quota = quota
    return quota.exceeded ? stopped({ code: 'TOO_MANY_REQUESTS', field: null }, { 'Retry-After': String(quota.reset) }) : undefined
  }

  /** Waits for the position that a client requests; false after the time limit. */
  const reached = async (exchange: Exchange, query: Fields): Promise<Either<Stop, boolean>> => {
    const asked = query.min_position
    if (!asked) return E.right(true)
    // a cached response would not wait
    exchange.keeping = undefined
    if (!/^\d{1,40}$/.test(asked)) return stopped({ code: 'BAD_NUMBER', field: 'min_position' })
    return E.right(await app.freshness.waitUntil(asked.padStart(START.length, '0'), MIN_POSITION_WAIT_MS))
  }

  const serve = async (exchange: Exchange, routed: Routed, sent: Fields): Promise<Either<Stop, Reply | Outgoing>> => {
    const { incoming } = exchange
    const { endpoint, fixed } = routed.route
    const { identity, query, isPrivateFeed } = await identify(incoming, routed, sent, exchange.writing.callback !== undefined)
    if (identity === undefined) {
      exchange.identity = unproven
      return E.left(invalidToken)
    }
    exchange.identity = identity
    exchange.writing = { ...exchange.writing, modhash: identity.viewer.modhash }
    const tooMany = countedAs(exchange, endpoint.quota === false ? limit.whole() : quotaOf(limit, identity.viewer, incoming.ip))
    if (tooMany) return tooMany

    const early = scopeGate(endpoint, identity.viewer) ?? loginGate(endpoint, identity.viewer, incoming.headers)
    if (early) return E.left(early)
    // an address with a token, and its response, must not be shared
    const kept = isPrivateFeed || endpoint.cache === undefined ? undefined : cache.recall(exchange, endpoint)
    if (kept) return E.right(kept)
    const body: Either<Refusal, Body> = isRead(incoming.method) ? E.right(noBody) : await incoming.readBody(endpoint)
    if (E.isLeft(body)) return stopped(body.left, body.left.code === 'UNSUPPORTED_ENCODING' ? { 'Accept-Encoding': 'identity' } : {})
    if (body.right.fields.raw_json === '1') exchange.writing = { ...exchange.writing, encoding: 'unicode' }
    const sources = { body: body.right, query, path: routed.variables }
    const forged = modhashGate(app.sessions, exchange, endpoint, sources)
    if (forged) return E.left(forged)
    const barred = await accountGate(app, exchange, endpoint)
    if (barred) return E.left(barred)

    const fresh = await reached(exchange, query)
    if (E.isLeft(fresh)) return fresh
    exchange.stale = !fresh.right
    exchange.read = app.freshness.position()
    // noted before the subsites and the viewer's relationships with them are looked up, since a cache may answer that
    const sitePart = routed.site ?? (routed.route.site === 'optional' ? sitePartSent(sources, incoming) : undefined)
    const places = sitePart !== undefined && isMultiPart(sitePart) ? [Subsite, Relation, Username, MultiStream] : [Subsite, Relation]
    for (const { category } of places) exchange.keeping?.noteAggregate(category)
    if (routed.site !== undefined && isRead(incoming.method) && identity.subsites === undefined) {
      const drawn = await randomSubsites(incoming.target, routed.site, identity.viewer)
      if (drawn !== undefined) return E.right({ kind: 'redirect', location: drawn })
    }
    const site = await sites.resolve(sitePart, identity.viewer, !isRead(incoming.method))
    if (E.isLeft(site)) return stopped(site.left)
    if (exchange.keeping && site.right.kind === 'subsite' && asksForGold(site.right.subsite.type)) {
      exchange.keeping.noteAggregate(Gold.category)
      exchange.keeping.readsClock = true
    }
    const outside = subsiteGate(identity, site.right)
    if (outside) return E.left(outside)
    const params = decodersOf(endpoint).early(sources, fixed)
    if (E.isLeft(params)) return stopped(params.left)
    const texts = decodersOf(endpoint).markdown(sources)
    const unrenderable = texts.length === 0 ? undefined : await unrenderableOf(texts)
    if (unrenderable) return stopped(unrenderable)
    const narrow = paramScopeGate(endpoint, identity.viewer, params.right)
    if (narrow) return E.left(narrow)
    const key = endpoint.idempotency === false || incoming.method !== 'POST' ? undefined : incoming.headers['idempotency-key']
    const work = (seed?: Seed) => handle(exchange, routed, sources, { site: site.right, params: params.right, seed })
    if (key === undefined) return work()
    const answered = await answerOnce(app.idempotency, exchange, String(key), sources, async (seed) => {
      const outcome = await work(seed)
      return { outgoing: respond(exchange, outcome), isPutOff: E.isLeft(outcome) && isPutOff(outcome.left.refusal) }
    })
    return E.mapLeft(stopOf)(answered)
  }

  /** Validates the request itself, then calls the endpoint. Left: the error family of the refusal, and the refusal. */
  const answer = async (exchange: Exchange): Promise<Either<Stop, Reply | Outgoing>> => {
    const { incoming } = exchange
    const target = splitTarget(incoming.target)
    if (!target) return refused('BAD_REQUEST', 'the path is not percent-encoded UTF-8')
    const query = parseForm(target.search)
    if (E.isLeft(query)) return stopped(query.left)
    if (query.right.raw_json === '1') exchange.writing = { ...exchange.writing, encoding: 'unicode' }
    const match = route(incoming.method, target.path)
    if (match.kind === 'unknown' || (match.kind === 'route' && match.extension === 'rss' && !match.route.endpoint.rss))
      return refused('NOT_FOUND')
    if (match.kind === 'method') {
      if (incoming.method === 'OPTIONS') return E.right(preflight(match.allow))
      return stopped({ code: 'METHOD_NOT_ALLOWED', field: null }, { Allow: match.allow.join(', ') })
    }
    exchange.endpoint = match.route.endpoint
    const callback = isRead(incoming.method) ? query.right.jsonp || undefined : undefined
    if (callback !== undefined) {
      if (!/^[\w$."'[\]]{1,200}$/.test(callback)) return stopped({ code: 'BAD_JSONP_CALLBACK', field: 'jsonp', status: 400 })
      exchange.writing = { ...exchange.writing, callback, encoding: 'entities' }
    }
    return serve(exchange, match, query.right)
  }

  const fault = (exchange: Exchange, error: unknown): Outgoing => {
    const { incoming, id } = exchange
    const answered = answerFault(error, id)
    const path = splitTarget(incoming.target)?.path
    const line = { id, err: error, method: incoming.method, path }
    if (answered.status >= 500) app.log.error(line, 'a request failed')
    else app.log.warn(line, 'store rejected the request')
    return writeError(answered, exchange.writing)
  }

  const finish = (exchange: Exchange, outgoing: Outgoing): Outgoing | Promise<Outgoing> => {
    const { identity, incoming } = exchange
    const headers = {
      ...standingHeaders(identity.viewer.via, isRead(incoming.method)),
      ...outgoing.headers,
      ...exchangeHeaders(exchange, exchange.quota ?? limit.whole(), app.freshness.position()),
    }
    return represent(incoming, { ...outgoing, headers }, identity.viewer.via)
  }

  /** Returns a cached page before any other work. */
  const answerKept = (incoming: Incoming, id: string) => {
    if (incoming.method !== 'GET' || hasCredentials(incoming.headers)) return undefined
    const kept = cache.find(incoming)
    if (!kept) return undefined
    const quota = limit.count(incoming.ip)
    return quota.exceeded ? undefined : { endpoint: kept.endpoint, outgoing: finish(exchangeOf(incoming, id, quota), kept.outgoing) }
  }

  const answerAnew = async (exchange: Exchange): Promise<Outgoing> => {
    try {
      const found = await making(
        () => exchange.identity.viewer.account ?? exchange.incoming.ip,
        () => answer(exchange),
      )
      // a request refused before its caller is known (401, 404, 405 among others) counts for the address
      const answered = exchange.quota ? found : (countedAs(exchange, limit.count(exchange.incoming.ip)) ?? found)
      const responded = respondInTurn(exchange, answered)
      const outgoing = responded instanceof Promise ? await responded : responded
      if (exchange.keeping && !isFleeting(answered)) cache.keep(exchange, outgoing)
      return await finish(exchange, outgoing)
    } catch (error) {
      return finish(exchange, fault(exchange, error))
    }
  }

  /** Counts an answered request, and at `debug` logs it by its declared path, since parameters may hold secrets. */
  const observe = (
    id: string,
    endpoint: AnyEndpoint | undefined,
    method: string,
    account: string | undefined,
    status: number,
    started: number,
  ) => {
    const route = endpoint?.path ?? 'none'
    const ms = performance.now() - started
    app.metrics.observeRequest(route, method, status, ms / 1000)
    if (app.log.isLevelEnabled('debug'))
      app.log.debug({ method, route, status, ms: Math.round(ms * 10) / 10, account: account ?? null, id }, 'request')
  }

  return async (incoming) => {
    const started = performance.now()
    const id = `${instance}-${(served++).toString(36)}`
    // a client may read its own write here even if another process answered it
    if (app.freshness.refresh) await app.freshness.refresh()
    const kept = answerKept(incoming, id)
    if (kept) {
      const outgoing = await kept.outgoing
      observe(id, kept.endpoint, incoming.method, undefined, outgoing.status, started)
      return outgoing
    }
    const exchange = exchangeOf(incoming, id, undefined)
    const outgoing = await answerAnew(exchange)
    observe(id, exchange.endpoint, incoming.method, exchange.identity.viewer.account, outgoing.status, started)
    return outgoing
  }
}
