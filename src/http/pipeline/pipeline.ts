import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { Metrics } from '../../operations/metrics.ts'
import { StoreFault } from '../../ports/faults.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { answerFault } from '../contract/error-responses.ts'
import { hasCredentials, type IncomingRequest, isRead, type OutgoingResponse, splitTarget } from '../contract/incoming.ts'
import { TooManyAtOnce } from '../contract/overload.ts'
import type { Common } from '../contract/parts.ts'
import { type Exchange, exchangeOf, making } from '../contract/request-state.ts'
import { openRepresentation } from '../wire/etag-and-compression.ts'
import { quotaGate } from './gates.ts'
import { openPageCache } from './page-cache.ts'
import { openSteps, type StepParts } from './steps.ts'
import { type Answer, exchangeHeaders, respondInTurn, sharedHeaders, standingHeaders, writeError } from './write-response.ts'

export type Pipeline = (incoming: IncomingRequest) => Promise<OutgoingResponse>

type ObserverPorts = Pick<Common, 'log'> & { readonly metrics: Metrics }
type PipelineParts = Omit<StepParts, 'cache'> & ObserverPorts

const isFleeting = (answered: Answer): boolean => E.isRight(answered) && 'fleeting' in answered.right && answered.right.fleeting === true

/** The response to a failure; its log line has the id that the response contains. */
const answerLogged = ({ log }: Pick<Common, 'log'>, { incoming, id, publicUrl, writing }: Exchange, error: unknown): OutgoingResponse => {
  const answered = answerFault(error, id, publicUrl)
  const request = { id, method: incoming.method, path: splitTarget(incoming.target)?.path }
  const line = { ...request, err: error }
  if (incoming.abandoned().aborted) log.debug(line, 'the client left a request')
  else if (error instanceof TooManyAtOnce) log.debug(line, 'a caller sent too much at once')
  // it may pass by itself, as after a leap of the clock: where it was noticed says nothing
  else if (error instanceof StoreFault && error.kind === 'unavailable')
    log.warn({ ...request, why: error.message }, 'a request was put off')
  else if (answered.status >= 500) log.error(line, 'a request failed')
  else log.warn(line, 'store rejected the request')
  return writeError(answered, writing)
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

/**
 * A request from its arrival to its response: a cached page is returned before any other work, every other request goes through the
 * steps (steps.ts). A refusal is a value; a thrown error is a fault, answered with a 5xx that has the id of its log line.
 */
export const openPipeline = (parts: PipelineParts, endpoints: readonly AnyEndpoint[]): Pipeline => {
  const { config, freshness, limit } = parts
  const cache = openPageCache(parts)
  const answer = openSteps({ ...parts, cache }, endpoints)
  const represent = openRepresentation()
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
      ...outgoing.headers,
      ...exchangeHeaders(exchange, quota, freshness.position()),
    }
    return reads ? represent(incoming, { ...outgoing, headers }, via) : { ...outgoing, headers }
  }

  /** A cached page, for a caller without credentials. */
  const answerKept = (exchange: Exchange): OutgoingResponse | Promise<OutgoingResponse> | undefined => {
    const { incoming } = exchange
    if (incoming.method !== 'GET' || hasCredentials(incoming.headers)) return undefined
    const kept = cache.find(incoming)
    if (!kept) return undefined
    const quota = limit.count(incoming.ip)
    if (quota.exceeded) return undefined
    exchange.endpoint = kept.endpoint
    exchange.quota = quota
    return finish(exchange, kept.outgoing)
  }

  const answerAnew = async (exchange: Exchange): Promise<OutgoingResponse> => {
    try {
      const found = await making(
        () => exchange.identity.viewer.account ?? exchange.incoming.ip,
        () => answer(exchange),
        exchange.incoming.abandoned,
      )
      // a request refused before its caller is known (401, 404, 405 among others) counts for the address; never a CORS preflight, since
      // a browser hides from its page why that is refused
      const isCounted = exchange.quota === undefined && exchange.incoming.method !== 'OPTIONS'
      const exceeded = isCounted ? quotaGate(exchange, limit.count(exchange.incoming.ip)) : undefined
      const answered = exceeded ? E.left(exceeded) : found
      const responded = respondInTurn(exchange, answered)
      const outgoing = responded instanceof Promise ? await responded : responded
      if (exchange.keeping && !isFleeting(answered)) cache.keep(exchange, outgoing)
      return await finish(exchange, outgoing, isFleeting(answered))
    } catch (error) {
      return finish(exchange, answerLogged(parts, exchange, error))
    }
  }

  return async (incoming) => {
    const started = performance.now()
    const exchange = exchangeOf(incoming, `${instance}-${(served++).toString(36)}`, config.publicUrl)
    // a client may read its own write here even if another process answered it
    if (freshness.refresh) await freshness.refresh()
    const outgoing = await (answerKept(exchange) ?? answerAnew(exchange))
    observe(parts, exchange, outgoing.status, started)
    return outgoing
  }
}
