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
import { openPageCache } from './page-cache.ts'
import { openPages } from './pages.ts'
import { openSteps, type StepParts } from './steps.ts'
import {
  type EndpointResult,
  exchangeHeaders,
  keptByCaller,
  respondInTurn,
  sharedHeaders,
  standingHeaders,
  writeError,
} from './write-response.ts'

type ObserverPorts = Pick<Common, 'log'> & { readonly metrics: Metrics }
export type ServiceParts = Omit<StepParts, 'cache'> & ObserverPorts & { readonly audienceState: () => string | undefined }
type State = ConnectionState & { readonly exchange: Exchange }

const isFleeting = (answered: EndpointResult): boolean =>
  E.isRight(answered) && 'fleeting' in answered.right && answered.right.fleeting === true

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

/**
 * Returns the middlewares of a request from its arrival to its response. A cached page is sent before any other work. Every other request
 * goes through the steps (steps.ts). A refusal is a value. A thrown error is a fault, answered with a 5xx that has the id of its log line.
 */
const openMiddlewares = (parts: ServiceParts, endpoints: readonly AnyEndpoint[]) => {
  const { config, freshness, limit } = parts
  const cache = openPageCache(parts)
  const answer = openSteps({ ...parts, cache }, endpoints)
  const pages = openPages(parts, endpoints, answer)
  const represent = openRepresentation(parts.audienceState)
  const instance = randomUUID().slice(0, 8)
  let served = 0

  const finish = (exchange: Exchange, outgoing: OutgoingResponse, fleeting = false): OutgoingResponse | Promise<OutgoingResponse> => {
    const { identity, incoming, quota = limit.whole(), endpoint, stale } = exchange
    const { via } = identity.viewer
    const reads = isRead(incoming.method)
    const isShared = outgoing.status === 200 && endpoint?.cache !== undefined && !stale && !fleeting
    const headers = {
      ...standingHeaders(via, reads),
      ...(isShared && sharedHeaders(via, reads, config.sharedCacheSeconds)),
      ...(pages.isUnshared(exchange) && keptByCaller),
      ...outgoing.headers,
      ...exchangeHeaders(exchange, quota, freshness.position()),
    }
    return reads ? represent(incoming, { ...outgoing, headers }, via) : { ...outgoing, headers }
  }

  /** Sends a cached page to a caller without credentials. */
  const sendCachedPage: Middleware<State> = async (ctx, next) => {
    const { exchange } = ctx.state
    const { incoming } = exchange
    const kept = incoming.method === 'GET' && !hasCredentials(incoming.headers) ? cache.find(incoming) : undefined
    const quota = kept && limit.count(incoming.ip)
    if (!kept || !quota || quota.exceeded) return next()
    exchange.endpoint = kept.endpoint
    exchange.quota = quota
    answerThrough(ctx, await finish(exchange, kept.outgoing))
  }

  const answerAnew = async (exchange: Exchange): Promise<OutgoingResponse> => {
    const wantsPage = pages.wanted(exchange)
    try {
      const forThis = <T>(work: () => Promise<T>) =>
        runForCaller(() => exchange.identity.viewer.account ?? exchange.incoming.ip, work, exchange.incoming.abandoned)
      const foreign = wantsPage ? pages.refusal(exchange) : undefined
      const found = foreign ?? (await forThis(() => (wantsPage && pages.several(exchange)) || answer(exchange)))
      // a request refused before its caller is known (401, 404, 405 among others) counts for the address; never a CORS preflight, since
      // a browser hides from its page why that is refused
      const isCounted = exchange.quota === undefined && exchange.incoming.method !== 'OPTIONS'
      const exceeded = isCounted ? quotaGate(exchange, limit.count(exchange.incoming.ip)) : undefined
      const admitted = exceeded ? E.left(exceeded) : found
      const answered = wantsPage ? await forThis(() => pages.of(exchange, admitted)) : admitted
      const responded = respondInTurn(exchange, answered)
      const outgoing = responded instanceof Promise ? await responded : responded
      if (exchange.keeping && !isFleeting(found)) cache.keep(exchange, outgoing)
      return await finish(exchange, outgoing, isFleeting(found))
    } catch (error) {
      const fault = answerLogged(parts, exchange, error)
      return finish(exchange, wantsPage && pages.has(exchange) ? pages.ofFault(exchange, fault) : writeError(fault, exchange.writing))
    }
  }

  /** Begins the exchange, and counts and logs it once it is answered. */
  const observeRequests: Middleware<State> = async (ctx, next) => {
    const started = performance.now()
    const { incoming } = ctx.state
    const asked = config.pages ? requestOfForm(incoming) : incoming
    const exchange = exchangeOf(asked, `${instance}-${(served++).toString(36)}`, config.publicUrl)
    ctx.state = { ...ctx.state, exchange }
    // a client may read its own write here even if another process answered it
    if (freshness.refresh) await freshness.refresh()
    await next()
    observe(parts, exchange, ctx.status, started)
  }

  const answerEndpoints: Middleware<State> = async (ctx) => answerThrough(ctx, await answerAnew(ctx.state.exchange))

  return { observeRequests, sendCachedPage, answerEndpoints }
}

/** Builds the service: the middlewares that every request runs through, in this order. */
export const openService = (
  parts: ServiceParts,
  endpoints: readonly AnyEndpoint[],
  connections: Parameters<typeof guardConnection>[0],
): Koa => {
  const { log } = parts
  const { observeRequests, sendCachedPage, answerEndpoints } = openMiddlewares(parts, endpoints)
  const service = new Koa()
  service.on('error', (err: Error & { readonly code?: unknown }) => {
    if (isPeersFault(err.code)) log.debug({ code: err.code }, 'a connection was closed early')
    else log.error({ err }, 'a response could not be sent')
  })
  return service.use(guardConnection(connections)).use(observeRequests).use(sendCachedPage).use(answerEndpoints)
}
