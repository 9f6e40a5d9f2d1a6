// Decision 122.

import * as E from 'fp-ts/lib/Either.js'
import { countRequest, type RateLimit } from '../../limits/rate-limit.ts'
import { LOG_START } from '../../ports/event-store.ts'
import type { Seed } from '../../runtime/command.ts'
import type { Idempotency } from '../../runtime/idempotency.ts'
import { answerConfirmed, type RequestReads } from '../../runtime/request-reads.ts'
import type { Runner } from '../../runtime/run.ts'
import { type Fields, isRead, noBody, type Sources } from '../contract/incoming.ts'
import type { Common, Operations, ReadParts } from '../contract/parts.ts'
import { refusals } from '../contract/refusals.ts'
import { type Site, unproven } from '../contract/request.ts'
import { type Exchange, noteRawJson } from '../contract/request-state.ts'
import type { Address, FoundRoute, Handler, Route } from '../contract/router.ts'
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
import { mayGuess } from './guessing.ts'
import { answerOnce, formKey } from './idempotency-key.ts'
import { openIdentity } from './identity.ts'
import { bodyOfForm } from './page-acts.ts'
import type { PageCache } from './page-cache.ts'
import { isDraw, openRandomSubsites } from './random-subsite.ts'
import { recordAllReads } from './recorded-reads.ts'
import type { EndpointRequest, Handle } from './run-endpoint.ts'
import { siteAt, sitePartSent } from './site.ts'
import type { EndpointResult } from './write-response.ts'

type OwnWriteParts = Pick<Common, 'freshness'> & { readonly operations: Pick<Operations, 'head'> }

export type StepParts = Parameters<typeof openIdentity>[0] &
  OwnWriteParts &
  ReadParts & {
    readonly idempotency: Idempotency
    readonly limit: RateLimit
    readonly cache: PageCache
    readonly handle: Handle
    readonly openReads: Runner['openReads']
  }

const home: Site = { kind: 'home' }
/** The time that a read waits for its `min_position`. */
const MIN_POSITION_WAIT_MS = 1_000

type Redirect = { readonly kind: 'redirect'; readonly location: string }

/** The state that the middlewares of a request pass on. Each field is set by the one that its comment names. */
export type RequestState = {
  readonly exchange: Exchange
  /** `findAddress` */
  address: Address
  /** `findAddress`: the query as sent. `admitCaller` takes the credentials of a private feed from it. */
  query: Fields
  /** The handler of the path. */
  routed: FoundRoute
  /** `admitCaller`: an address with a token, and its response, must not be shared. */
  isPrivateFeed: boolean
  /** `readBody` */
  sources: Sources
  /** The reply, or the refusal. A middleware that sets it calls no further one. */
  answered: EndpointResult
  /** True if no cache may keep the reply. */
  isFleeting: boolean
}

export type Step = Handler<RequestState>

export const refuse = (state: RequestState, ...stopping: Parameters<typeof stopWith>): undefined => {
  state.answered = stopWith(...stopping)
}

/** Tells whether an endpoint only reads. An endpoint of GET does, whatever other method it takes. */
export const isReading = ({ endpoint }: Route): boolean => endpoint.method === 'GET'

/** Replaces a refusal that asks for a login by one that nobody can log in here. */
const withoutLogins = (stop: Stop): Stop =>
  stop.refusal.code === 'USER_REQUIRED' ? { ...stop, refusal: { ...stop.refusal, text: refusals.READ_ONLY.explanation ?? '' } } : stop

/** Identifies the viewer, counts the request, and refuses viewers who may not call the endpoint at all. */
export const openAdmission = (parts: StepParts): Step => {
  const { limit, config } = parts
  const identify = openIdentity(parts)
  return async ({ state }, next) => {
    const { exchange, routed } = state
    const { incoming, writing } = exchange
    const { endpoint } = routed.route
    const { identity, query, isPrivateFeed } = exchange.page
      ? { identity: exchange.page.identity, query: state.query, isPrivateFeed: false }
      : await identify(incoming, routed, state.query, writing.callback !== undefined)
    exchange.identity = identity ?? unproven
    if (identity === undefined) return refuse(state, invalidToken.refusal, invalidToken.headers)
    const { viewer } = identity
    exchange.writing = { ...writing, modhash: viewer.modhash }
    const stop =
      quotaGate(exchange, endpoint.quota === false || exchange.page ? limit.wholeQuota() : countRequest(limit, viewer, incoming.ip)) ??
      scopeGate(endpoint, viewer) ??
      loginGate(endpoint, viewer, incoming.headers, exchange.page !== undefined || incoming.isPageAct === true)
    if (stop) {
      const { refusal, headers } = config.readOnlyAs === undefined ? stop : withoutLogins(stop)
      return refuse(state, refusal, headers)
    }
    Object.assign(state, { query, isPrivateFeed })
    return next()
  }
}

/** Reads the body, within the limits that the endpoint declares. */
export const readBody: Step = async ({ state }, next) => {
  const { exchange, query, routed } = state
  const { incoming } = exchange
  const body = isRead(incoming.method) ? E.right(noBody) : await incoming.readBody(routed.route.endpoint)
  if (E.isLeft(body)) return refuse(state, body.left, body.left.code === 'UNSUPPORTED_ENCODING' ? { 'Accept-Encoding': 'identity' } : {})
  noteRawJson(exchange, body.right.fields)
  state.sources = { body: bodyOfForm(exchange, body.right), query, path: routed.variables }
  return next()
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

/**
 * Waits for the write that this browser made a moment ago, so that its author sees it. It does not wait for a position that the log has not
 * reached: no write has that position, so the cookie is forged.
 */
const waitForOwnWrite = async ({ freshness, operations }: OwnWriteParts, exchange: Exchange): Promise<void> => {
  const ownWrite = exchange.page ? undefined : seenPosition(exchange.incoming)
  if (ownWrite === undefined || ownWrite <= freshness.position()) return
  const head = await operations.head().catch(() => undefined)
  if (head === undefined || ownWrite <= head) exchange.stale = !(await freshness.waitUntil(ownWrite, MIN_POSITION_WAIT_MS))
}

/** Records the reads of an answer for the page that shows it. A page that shows an answer that no cache may keep is not cached. */
const recordFor = (page: Exchange, inner: Exchange): void => {
  inner.keeping = page.keeping
  if (page.keeping && inner.endpoint?.cache === undefined && inner.endpoint?.uses.length !== 0) page.keeping.readsMore = true
}

/** Decodes the parameters that no need decodes. */
const decode = async (
  { identity }: Exchange,
  { route: { endpoint, decoder, fixed } }: FoundRoute,
  sources: Sources,
): Promise<E.Either<Stop, unknown>> => {
  const params = decoder.early(sources, fixed)
  if (E.isLeft(params)) return stopWith(params.left)
  const texts = decoder.markdown(sources)
  const unrenderable = texts.length === 0 ? undefined : await unrenderableOf(texts)
  if (unrenderable) return stopWith(unrenderable)
  const narrow = paramScopeGate(endpoint, identity.viewer, params.right)
  return narrow ? E.left(narrow) : params
}

/** Answers with the cached response for this viewer, or records what the coming one is read from. */
export const openRecall =
  ({ cache, freshness, operations }: Pick<StepParts, 'cache' | 'freshness' | 'operations'>): Step =>
  async ({ state }, next) => {
    const { exchange, routed, isPrivateFeed } = state
    const { endpoint } = routed.route
    await waitForOwnWrite({ freshness, operations }, exchange)
    const cached = isPrivateFeed || endpoint.cache === undefined || exchange.page ? undefined : cache.recall(exchange, endpoint)
    if (exchange.page) recordFor(exchange.page, exchange)
    if (!cached) return next()
    state.answered = E.right(cached)
  }

/** Refuses forged requests. */
export const openForgeryGate =
  ({ sessions }: Pick<StepParts, 'sessions'>): Step =>
  ({ state }, next) => {
    const { exchange, routed, sources } = state
    const forged = modhashGate(sessions, exchange, routed.route.endpoint, sources)
    return forged ? refuse(state, forged.refusal, forged.headers) : next()
  }

const isFleeting = (answered: EndpointResult): boolean =>
  E.isRight(answered) && 'fleeting' in answered.right && answered.right.fleeting === true

/** Checks a request by the states of the log, and calls the endpoint. */
export const openAnswer = (parts: StepParts): Step => {
  const { idempotency, handle, config, documents, vault, clock, commentIndexes, readStream, openReads } = parts
  const drawSubsite = openRandomSubsites(parts)

  /** Returns the reads of a request. If its response may be cached, they are recorded. */
  const readsOf = (exchange: Exchange, { load, loadRecent }: RequestReads): ReadParts => {
    const unrecorded = { documents, vault, clock, load, loadRecent, commentIndexes, readStream }
    return exchange.keeping ? recordAllReads(unrecorded, exchange.keeping) : unrecorded
  }

  /** Checks who asks, where and for what, by the states of the log. Returns what the endpoint receives, or a redirect. */
  const check = async (
    { exchange, routed, query, sources }: RequestState,
    states: RequestReads,
  ): Promise<E.Either<Stop, EndpointRequest | Redirect>> => {
    const { incoming, identity } = exchange
    const { viewer } = identity
    const { endpoint, decoder } = routed.route
    const isWrite = !isRead(incoming.method)
    exchange.seen.clear()
    const reads = readsOf(exchange, states)
    const barred = await accountGate(reads, exchange, endpoint)
    if (barred) return E.left(barred)
    const unreachable = await waitForPosition(parts, exchange, query)
    if (unreachable) return E.left(unreachable)
    const drawn = routed.site?.toLowerCase()
    if (drawn !== undefined && isDraw(drawn) && !isWrite && identity.subsites === undefined)
      return E.right({ kind: 'redirect', location: await drawSubsite(incoming.target, drawn, viewer) })
    const sitePart = routed.site ?? (routed.route.site === 'optional' ? sitePartSent(sources, incoming) : undefined)
    const site = sitePart === undefined ? E.right(home) : await siteAt({ ...reads, viewer }, sitePart, isWrite)
    if (E.isLeft(site)) return stopWith(site.left)
    const things = isReading(routed.route) ? [] : decoder.things(sources)
    const within = await subsiteGate(reads, identity, site.right, things)
    if (E.isLeft(within)) return within
    const params = await decode(exchange, routed, sources)
    if (E.isLeft(params)) return params
    return E.right({ reads, states, sources, site: site.right, reach: within.right, params: params.right, seed: undefined })
  }

  /** Returns the key under which a request is answered once, if it has one. */
  const keyOf = ({ exchange: { incoming }, routed, sources }: RequestState): string | string[] | undefined => {
    const isRepeatable = incoming.method === 'POST' || incoming.isPageAct === true
    if (routed.route.endpoint.idempotency === false || config.readOnlyAs !== undefined || !isRepeatable) return undefined
    // a form that replaces something is carried out each time: between two equal ones another may have come
    const isReplacing = incoming.method === 'PUT' || incoming.method === 'PATCH'
    return incoming.headers['idempotency-key'] ?? (wantsPage(incoming) && !isReplacing ? formKey(sources.body) : undefined)
  }

  const answer = (state: RequestState): Promise<EndpointResult> => {
    const { exchange, routed, sources } = state
    const key = keyOf(state)
    const isGuessing = mayGuess(routed.route.endpoint, exchange.incoming)
    return answerConfirmed(openReads(isGuessing), async (states) => {
      const checked = await check(state, states)
      if (E.isLeft(checked)) return checked
      if ('kind' in checked.right) return E.right(checked.right)
      const request = checked.right
      if (key === undefined) return handle(exchange, routed, request)
      await states.settle()
      const work = (seed: Seed) =>
        answerConfirmed(states.next(isGuessing), (nextStates) =>
          handle(exchange, routed, { ...request, reads: readsOf(exchange, nextStates), states: nextStates, seed }),
        )
      return answerOnce(idempotency, exchange, String(key), sources, work)
    })
  }

  return async ({ state }) => {
    state.answered = await answer(state)
    state.isFleeting = isFleeting(state.answered)
  }
}
