import * as E from 'fp-ts/lib/Either.js'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { isRead, parseForm, splitTarget } from '../contract/incoming.ts'
import { type Exchange, noteRawJson } from '../contract/request-state.ts'
import { addressOf, methodsOf, openRoutes, type Route } from '../contract/router.ts'
import { mayAct } from './page-acts.ts'
import {
  isReading,
  openAdmission,
  openAnswer,
  openForgeryGate,
  openRecall,
  type RequestState,
  readBody,
  refuse,
  type Step,
  type StepParts,
} from './steps.ts'
import { type EndpointResult, preflight } from './write-response.ts'

/** Matches the name of a function that may be called with the response. */
const callbackName = /^[\w$."'[\]]{1,200}$/

/** Splits the address of a request, and its query. */
export const findAddress: Step = ({ state }, next) => {
  const { exchange } = state
  const split = splitTarget(exchange.incoming.target)
  if (!split) return refuse(state, { code: 'BAD_REQUEST', field: null, text: 'the path is not percent-encoded UTF-8' })
  const query = parseForm(split.search)
  if (E.isLeft(query)) return refuse(state, query.left)
  noteRawJson(exchange, query.right)
  state.query = query.right
  state.address = addressOf(split.path)
  return next()
}

/** Refuses a request whose path no endpoint has. */
export const refuseUnknown = ({ state }: { readonly state: RequestState }): undefined => refuse(state, { code: 'NOT_FOUND', field: null })

/** Returns the handler of the methods that a path does not have. It answers CORS preflights. In a read-only copy no path has writes. */
const openMethodRefusal =
  (isReadOnly: boolean) =>
  (routes: readonly Route[]): Step => {
    const all = methodsOf(routes)
    const reading = methodsOf(routes.filter(isReading))
    return ({ state }) => {
      const { method } = state.exchange.incoming
      const isClosed = isReadOnly && !isRead(method)
      const allow = isClosed ? reading : all
      if (method !== 'OPTIONS')
        return refuse(state, { code: isClosed ? 'READ_ONLY' : 'METHOD_NOT_ALLOWED', field: null }, { Allow: allow.join(', ') })
      state.answered = E.right(preflight(allow))
      return undefined
    }
  }

/** Notes the endpoint of a request, and the format of its response. */
const beginAt =
  (route: Route): Step =>
  ({ state, params }, next) => {
    const { exchange, address, query } = state
    const { endpoint, fixed } = route
    if (exchange.incoming.isPageAct && !mayAct(endpoint)) return refuse(state, { code: 'METHOD_NOT_ALLOWED', field: null })
    if (address.extension === 'rss' && !endpoint.rss) return refuse(state, { code: 'NOT_FOUND', field: null })
    exchange.endpoint = endpoint
    state.routed = { route, variables: { ...params, ...fixed }, site: address.site, extension: address.extension }
    const callback = isRead(exchange.incoming.method) ? query.jsonp || undefined : undefined
    if (callback === undefined) return next()
    if (!callbackName.test(callback)) return refuse(state, { code: 'BAD_JSONP_CALLBACK', field: 'jsonp', status: 400 })
    exchange.writing = { ...exchange.writing, callback, encoding: 'entities' }
    return next()
  }

/** Registers each path of the endpoints with the steps of a request, in order. A step that refuses or answers the request is its last. */
export const openEndpoints = (parts: StepParts, endpoints: readonly AnyEndpoint[]): Step => {
  const isReadOnly = parts.config.readOnlyAs !== undefined
  const admitCaller = openAdmission(parts)
  const recallPage = openRecall(parts)
  const refuseForged = openForgeryGate(parts)
  const answer = openAnswer(parts)
  const refuseMethod = openMethodRefusal(isReadOnly)
  const refuseWrites = (alike: readonly Route[]): Step => {
    const refuseAny = refuseMethod(alike)
    return (ctx, next) => (isRead(ctx.state.exchange.incoming.method) ? next() : refuseAny(ctx, next))
  }
  return openRoutes(endpoints, {
    handle: (route, alike) => {
      const steps = [beginAt(route), admitCaller, recallPage, readBody, refuseForged, answer]
      return isReadOnly && !isReading(route) ? [refuseWrites(alike), ...steps] : steps
    },
    refuseMethod,
  })
}

/** Answers a request that no client sent: one for a page, or one of several that a form stands for. */
export type Ask = (exchange: Exchange) => Promise<EndpointResult>

export const openAsk =
  (answerEndpoints: Step): Ask =>
  async (exchange) => {
    const state = { exchange } as RequestState
    const ctx = { method: exchange.incoming.method, state }
    await findAddress(ctx, async () => answerEndpoints(ctx, async () => refuseUnknown(ctx)))
    return state.answered
  }
