import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import Koa from 'koa'
import type { Metrics } from '../../operations/metrics.ts'
import { StoreFault } from '../../ports/faults.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { answerFault, type ErrorAnswer } from '../contract/error-responses.ts'
import { hasCredentials, isRead, type OutgoingResponse, splitTarget } from '../contract/incoming.ts'
import { TooManyAtOnce } from '../contract/overload.ts'
import type { Common } from '../contract/parts.ts'
import { type Exchange, exchangeOf, runForCaller } from '../contract/request-state.ts'
import { openRepresentation } from '../wire/etag-and-compression.ts'
import { answerThrough, type ConnectionState, guardConnection, type Middleware } from './connection.ts'
import { quotaGate } from './gates.ts'
import { requestOfForm } from './page-acts.ts'
import { openPageCache, type PageCache } from './page-cache.ts'
import { openPages, type PageStep } from './pages.ts'
import { findAddress, openAsk, openEndpoints, refuseUnknown } from './routes.ts'
import type { RequestState, StepParts } from './steps.ts'
import { exchangeHeaders, privateCacheHeaders, respondInTurn, sharedHeaders, toStandingHeaders, writeError } from './write-response.ts'

type ObserverPorts = Pick<Common, 'log'> & { readonly metrics: Metrics }
export type ServiceParts = Omit<StepParts, 'cache'> & ObserverPorts & { readonly audienceState: () => string | undefined }
type State = ConnectionState & RequestState

/** Returns the response to a failure. Its log line has the id that the response contains. */
const answerLogged = ({ log }: Pick<Common, 'log'>, { incoming, id, publicUrl }: Exchange, error: unknown): ErrorAnswer => {
  const answered = answerFault(error, id, publicUrl)
  const request = { id, method: incoming.method, path: splitTarget(incoming.target)?.path }
  const line = { ...request, err: error }
  if (incoming.abandoned().aborted) log.debug(line, 'the client closed the connection before the response')
  else if (error instanceof TooManyAtOnce) log.debug(line, 'a caller sent too much at once')
  // a fault that may pass by itself, as after a leap of the clock: its stack says nothing
  else if (error instanceof StoreFault && error.kind === 'unavailable')
    log.warn({ ...request, why: error.message }, 'a request was answered 503: a store is unavailable')
  else if (error instanceof StoreFault && error.kind === 'full') log.debug(line, 'a write was refused')
  else if (answered.status >= 500) log.error(line, 'a request failed')
  else log.warn(line, 'a store refused the request')
  return answered
}

/** Counts an answered request, and at `debug` logs it by its declared path, since parameters may hold secrets. */
const observe = ({ log, metrics }: ObserverPorts, exchange: Exchange, status: number, started: number): void => {
  const { method } = exchange.incoming
  const { account = null } = exchange.identity.viewer
  const route = exchange.endpoint?.path ?? 'none'
  const ms = performance.now() - started
  metrics.observeRequest(route, method, status, ms / 1000)
  if (log.isLevelEnabled('debug')) log.debug({ method, route, status, ms: Math.round(ms * 10) / 10, account, id: exchange.id }, 'request')
}

/** Tells whether the client closed the connection, or sent invalid HTTP. */
const isPeersFault = (code: unknown) => /^(HPE_|ECONNRESET$|EPIPE$|ECONNABORTED$|ERR_STREAM_)/.test(String(code))

/** Opens the middlewares around the answer to a request: those that count, cache and write it. */
const openMiddlewares = (parts: ServiceParts, cache: PageCache, pages: PageStep) => {
  const { config, freshness, limit } = parts
  const represent = openRepresentation(parts.audienceState)
  const instance = randomUUID().slice(0, 8)
  let served = 0

  const finish = (exchange: Exchange, outgoing: OutgoingResponse, fleeting = false): OutgoingResponse | Promise<OutgoingResponse> => {
    const { identity, incoming, quota = limit.wholeQuota(), endpoint, stale } = exchange
    const { via } = identity.viewer
    const reads = isRead(incoming.method)
    const isShared = outgoing.status === 200 && endpoint?.cache !== undefined && !stale && !fleeting
    const headers = {
      ...toStandingHeaders(via, reads),
      ...(isShared && sharedHeaders(via, reads, config.sharedCacheSeconds)),
      ...(pages.isUnshared(exchange) && privateCacheHeaders),
      ...outgoing.headers,
      ...exchangeHeaders(exchange, quota, freshness.position()),
    }
    return reads ? represent(incoming, { ...outgoing, headers }, via) : { ...outgoing, headers }
  }

  const send = async (ctx: Parameters<typeof answerThrough>[0], finished: OutgoingResponse | Promise<OutgoingResponse>) =>
    answerThrough(ctx, await finished)

  /** Begins the exchange, and counts and logs it once it is answered. */
  const observeRequests: Middleware<State> = async (ctx, next) => {
    const started = performance.now()
    const { incoming } = ctx.state
    const request = config.pages ? requestOfForm(incoming) : incoming
    if (request !== incoming) ctx.method = request.method
    const exchange = exchangeOf(request, `${instance}-${(served++).toString(36)}`, config.publicUrl)
    ctx.state = { ...ctx.state, exchange }
    // a client may read its own write here even if another process answered it
    if (freshness.refresh) await freshness.refresh()
    await next()
    observe(parts, exchange, ctx.status, started)
  }

  /** Sends a cached page to a caller without credentials. */
  const sendCachedPage: Middleware<State> = (ctx, next) => {
    const { exchange } = ctx.state
    const { incoming } = exchange
    const cached = incoming.method === 'GET' && !hasCredentials(incoming.headers) ? cache.find(incoming) : undefined
    const quota = cached && limit.count(incoming.ip)
    if (!cached || !quota || quota.exceeded) return next()
    exchange.endpoint = cached.endpoint
    exchange.quota = quota
    return send(ctx, finish(exchange, cached.outgoing))
  }

  /** Writes the answer, and caches it. A refusal is a value. A thrown error is a fault, answered with a 5xx and the id of its log line. */
  const respond: Middleware<State> = async (ctx, next) => {
    const { state } = ctx
    const { exchange } = state
    let finished: OutgoingResponse | Promise<OutgoingResponse>
    try {
      await runForCaller(() => exchange.identity.viewer.account ?? exchange.incoming.ip, next, exchange.incoming.abandoned)
      const responded = respondInTurn(exchange, state.answered)
      const outgoing = responded instanceof Promise ? await responded : responded
      if (exchange.keeping && !state.isFleeting) cache.keep(exchange, outgoing)
      finished = await finish(exchange, outgoing, state.isFleeting)
    } catch (error) {
      const fault = answerLogged(parts, exchange, error)
      finished = finish(exchange, pages.ofFault(exchange, fault) ?? writeError(fault, exchange.writing))
    }
    await send(ctx, finished)
  }

  /**
   * Counts for the address of a request that was refused before its caller was known: with 401, 404 or 405, among others. A CORS preflight
   * is never counted, since a browser hides from its page why that is refused.
   */
  const countRefused: Middleware<State> = async ({ state }, next) => {
    await next()
    const { exchange } = state
    if (exchange.quota !== undefined || exchange.incoming.method === 'OPTIONS') return
    const exceeded = quotaGate(exchange, limit.count(exchange.incoming.ip))
    if (exceeded) state.answered = E.left(exceeded)
  }

  return { observeRequests, sendCachedPage, respond, countRefused }
}

/** Builds the service: the middlewares that every request runs through, in this order. */
export const openService = (
  parts: ServiceParts,
  endpoints: readonly AnyEndpoint[],
  connections: Parameters<typeof guardConnection>[0],
): Koa => {
  const { log } = parts
  const cache = openPageCache(parts)
  const answerEndpoints = openEndpoints({ ...parts, cache }, endpoints)
  const pages = openPages(parts, endpoints, openAsk(answerEndpoints))
  const { observeRequests, sendCachedPage, respond, countRefused } = openMiddlewares(parts, cache, pages)
  const service = new Koa()
  service.on('error', (err: Error & { readonly code?: unknown }) => {
    if (isPeersFault(err.code)) log.debug({ code: err.code }, 'a connection was closed early')
    else log.error({ err }, 'a response could not be sent')
  })
  service
    .use(guardConnection(connections))
    .use(observeRequests)
    .use(sendCachedPage)
    .use(respond)
    .use(pages.showPages)
    .use(countRefused)
    .use(pages.answerForms)
    .use(findAddress)
    .use(answerEndpoints)
    .use(refuseUnknown)
  return service
}
