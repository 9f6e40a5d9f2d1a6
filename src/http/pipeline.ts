import { randomUUID } from 'node:crypto'
import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { comments } from '../../projections/comments.ts'
import type { App, Load } from '../app.ts'
import type { Refusal } from '../domain/refusal.ts'
import { Relation } from '../domain/relation.ts'
import { Subsite } from '../domain/subsite.ts'
import { type Position, START } from '../ports/event-store.ts'
import { recording } from '../queries/recording.ts'
import { actingAs, type Command, commandOf, type Seed, seedOf } from '../runtime/command.ts'
import { type AnyEndpoint, type Context, nothingToDo, type Reply, type Site } from './endpoint.ts'
import { answerFault, answerRefusal, isPutOff } from './errors.ts'
import { type Exchange, exchangeOf, noteWritten } from './exchange.ts'
import { feedReply } from './feed.ts'
import { invalidToken, loginGate, modhashGate, paramScopeGate, type Stop, scopeGate, subsiteGate } from './gates.ts'
import { answerOnce } from './idempotency-key.ts'
import { anonymous, hasCredentials, type Identity, openIdentity, unproven } from './identity.ts'
import { type Body, type Fields, type Incoming, noBody, type Outgoing, parseForm, splitTarget } from './incoming.ts'
import { openPageCache } from './page-cache.ts'
import { rendering } from './present/markdown.ts'
import { ADDRESS_QUOTA, type Quota, type RateLimit } from './rate-limit.ts'
import { type Decoder, decoderOf, field, noPage, pageOf, type Sources } from './raw-params.ts'
import { loadWithin, reachOf, runWithin } from './reach.ts'
import { unrenderableOf } from './renderable.ts'
import { openRepresentation } from './representation.ts'
import { isListed, preflight, replyOf, standingHeaders, write, writeError } from './respond.ts'
import { type Match, openRouter } from './router.ts'
import type { ErrorFamily } from './schemas/answers.ts'
import { openSites } from './site.ts'

export type Pipeline = (incoming: Incoming) => Promise<Outgoing>

/** What a request asks of its endpoint, once it is let in. */
type Asked = { readonly site: Site; readonly params: unknown; readonly seed: Seed | undefined }
type Routed = Extract<Match, { readonly kind: 'route' }>

/** Milliseconds that a read waits for the position it asked for. */
const MIN_POSITION_WAIT_MS = 1_000

const stopped = (refusal: Refusal, headers: Stop['headers'] = {}): Either<Stop, never> => E.left({ refusal, headers })
const refused = (code: Refusal['code'], text?: string): Either<Stop, never> =>
  stopped(text === undefined ? { code, field: null } : { code, field: null, text })
const stopOf = (refusal: Refusal): Stop => ({ refusal, headers: {} })

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

const isFleeting = (answered: Either<Stop, Reply | Outgoing>): boolean =>
  E.isRight(answered) && 'fleeting' in answered.right && answered.right.fleeting === true

/**
 * The first sentence, once: identify, gates, decode, look up what is needed, handle, respond. Any step may refuse; what is thrown is a fault,
 * answered with a 5xx that carries the id of its log line.
 */
export const openPipeline = (app: App, endpoints: readonly AnyEndpoint[], limit: RateLimit): Pipeline => {
  const route = openRouter(endpoints)
  const identify = openIdentity(app)
  const sites = openSites(app)
  const cache = openPageCache(app)
  const represent = openRepresentation()
  const decoders = new Map(endpoints.map((endpoint) => [endpoint, decoderOf(endpoint)]))
  const decodersOf = (endpoint: AnyEndpoint): Decoder => decoders.get(endpoint) ?? decoderOf(endpoint)
  const instance = randomUUID().slice(0, 8)
  let served = 0

  /** A token counts for its account and app, and for its address together with all other tokens; everybody else for their address. */
  const quotaOf = ({ viewer }: Identity, ip: string): Quota => {
    if (viewer.via !== 'token') return limit.count(ip)
    const own = limit.count(`${viewer.account ?? ''} ${viewer.client}`)
    const ofAddress = limit.count(`tokens ${ip}`, ADDRESS_QUOTA)
    return ofAddress.exceeded ? ofAddress : own
  }

  /** Counts a request; the refusal, where there were too many. */
  const countedAs = (exchange: Exchange, quota: Quota): Either<Stop, never> | undefined => {
    exchange.quota = quota
    return quota.exceeded ? stopped({ code: 'TOO_MANY_REQUESTS', field: null }, { 'Retry-After': String(quota.reset) }) : undefined
  }

  /** Waits for the position a client asks to see; false when it did not come in time. */
  const reached = async (exchange: Exchange, query: Fields): Promise<Either<Stop, boolean>> => {
    const asked = query.min_position
    if (!asked) return E.right(true)
    // an answer that was kept would not wait
    exchange.keeping = undefined
    if (!/^\d{1,40}$/.test(asked)) return stopped({ code: 'BAD_NUMBER', field: 'min_position' })
    return E.right(await app.freshness.waitUntil(asked.padStart(START.length, '0'), MIN_POSITION_WAIT_MS))
  }

  /** What an answer is made from, noted where the answer may be kept. */
  const readingOf = ({ keeping }: Exchange): Partial<App> => {
    if (!keeping) return {}
    return {
      documents: recording(app.documents, keeping.note),
      clock: () => {
        keeping.readsClock = true
        return app.clock()
      },
      skeletons: (link) => {
        keeping.note(comments.name)
        return app.skeletons(link)
      },
    }
  }

  const contextOf = (
    exchange: Exchange,
    { route: { endpoint, path, fixed }, extension }: Routed,
    sources: Sources,
    asked: Asked,
  ): Context => {
    const { identity, incoming } = exchange
    const isWrite = !isRead(incoming.method)
    const reach = reachOf(identity, asked.site)
    const fromLog: Load = endpoint.facts === 'recent' ? app.loadRecent : app.load
    const load = reach ? loadWithin(reach, fromLog) : fromLog
    const run = reach ? runWithin(reach, fromLog, app.run) : app.run
    let command: Command | undefined
    const current = (): Command => {
      command ??= commandOf(asked.seed ?? seedOf(app.mint()), { account: identity.viewer.account ?? null, as: 'user' })
      return command
    }
    const wrote = (position: Position | undefined) => noteWritten(exchange, position)
    return {
      ...app,
      ...readingOf(exchange),
      viewer: reach ? { ...identity.viewer, within: reach } : identity.viewer,
      params: asked.params,
      site: asked.site,
      page: endpoint.listing ? pageOf(sources, endpoint.listing.max) : noPage,
      get command() {
        return current()
      },
      path,
      extension,
      ip: incoming.ip,
      headers: incoming.headers,
      query: sources.query,
      wrote,
      run: async (aggregate, id, decide, as = current()) => {
        const result = await run(aggregate, id, decide, as)
        if (E.isRight(result)) wrote(result.right.position)
        return result
      },
      load: (aggregate, id) => {
        exchange.keeping?.noteAggregate(aggregate.category)
        return load(aggregate, id, isWrite ? current() : undefined)
      },
      actAs: (capacity) => {
        command = actingAs(current(), capacity)
      },
      decode: (name) => decodersOf(endpoint).one(sources, fixed, name),
    }
  }

  /** The facts that the endpoint needs, then its own work. */
  const handle = async (exchange: Exchange, routed: Routed, sources: Sources, asked: Asked): Promise<Either<Stop, Reply>> => {
    const { endpoint } = routed.route
    const context = contextOf(exchange, routed, sources, asked) as never
    const facts: Record<string, unknown> = context
    for (const [name, need] of Object.entries(endpoint.needs)) {
      const found = await need(context, name)
      if (E.isLeft(found)) return found.left === nothingToDo ? E.right(replyOf(endpoint, undefined)) : stopped(found.left)
      facts[name] = found.right
    }
    const outcome = await endpoint.handle(context)
    const result = outcome !== undefined && '_tag' in outcome ? outcome : E.right(outcome)
    if (E.isLeft(result)) return result.left === nothingToDo ? E.right(replyOf(endpoint, undefined)) : stopped(result.left)
    const reply = isListed(result.right) ? await result.right.turn(context) : E.right(replyOf(endpoint, result.right))
    if (E.isLeft(reply)) return stopped(reply.left)
    // with a token, the address of a feed answers JSON
    return E.right(
      routed.extension === 'rss' && exchange.identity.viewer.via !== 'token'
        ? feedReply(context, exchange.incoming.target, reply.right)
        : reply.right,
    )
  }

  /** Gates that need the parameters as they were sent. */
  const modhashStop = ({ identity: { session }, incoming }: Exchange, endpoint: AnyEndpoint, sources: Sources) => {
    if (!(endpoint.modhash ?? !isRead(incoming.method))) return undefined
    const header = incoming.headers['x-modhash']
    const modhash = typeof header === 'string' && header !== '' ? header : field(sources, 'uh')
    return modhashGate(session, modhash, app.sessions.isModhash)
  }

  const serve = async (exchange: Exchange, routed: Routed, query: Fields): Promise<Either<Stop, Reply | Outgoing>> => {
    const { incoming } = exchange
    const { endpoint, fixed } = routed.route
    // A bearer token may be wrong; then it is refused whatever the endpoint. Feeds are read without cookies.
    const { cookie: _, ...withoutCookie } = incoming.headers
    const shown = routed.extension === 'rss' ? withoutCookie : incoming.headers
    const identified = exchange.writing.callback !== undefined ? E.right(anonymous) : await identify(shown)
    if (E.isLeft(identified)) {
      exchange.identity = unproven
      return E.left(invalidToken)
    }
    const identity = identified.right
    exchange.identity = identity
    exchange.writing = { ...exchange.writing, modhash: identity.viewer.modhash }
    const tooMany = countedAs(exchange, endpoint.quota === false ? limit.whole() : quotaOf(identity, incoming.ip))
    if (tooMany) return tooMany

    const early = scopeGate(endpoint, identity.viewer) ?? loginGate(endpoint, identity.viewer, incoming.headers)
    if (early) return E.left(early)
    const kept = cache.recall(exchange, endpoint)
    if (kept) return E.right(kept)
    const body: Either<Refusal, Body> = isRead(incoming.method) ? E.right(noBody) : await incoming.readBody()
    if (E.isLeft(body)) return stopped(body.left, body.left.code === 'UNSUPPORTED_ENCODING' ? { 'Accept-Encoding': 'identity' } : {})
    if (body.right.fields.raw_json === '1') exchange.writing = { ...exchange.writing, encoding: 'unicode' }
    const sources = { body: body.right, query, path: routed.variables }
    const forged = modhashStop(exchange, endpoint, sources)
    if (forged) return E.left(forged)

    const fresh = await reached(exchange, query)
    if (E.isLeft(fresh)) return fresh
    exchange.stale = !fresh.right
    exchange.read = app.freshness.position()
    // before the subsites are looked up, perhaps from memory, and what the viewer is there
    for (const { category } of [Subsite, Relation]) exchange.keeping?.noteAggregate(category)
    const sitePart = routed.site ?? (routed.route.site === 'optional' ? query.s || query.r || undefined : undefined)
    const site = await sites.resolve(sitePart, identity.viewer, !isRead(incoming.method))
    if (E.isLeft(site)) return stopped(site.left)
    const outside = subsiteGate(identity, site.right)
    if (outside) return E.left(outside)
    const params = decodersOf(endpoint).early(sources, fixed)
    if (E.isLeft(params)) return stopped(params.left)
    const unrenderable = await unrenderableOf(decodersOf(endpoint).markdown(sources))
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

  /** Everything about the request's own form; then the endpoint. Left: the family that a stop is answered in, and the stop. */
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

  const familyOf = (exchange: Exchange): ErrorFamily => exchange.endpoint?.errors ?? 'plain'

  const respond = (exchange: Exchange, outcome: Either<Stop, Reply | Outgoing>): Outgoing => {
    if (E.isRight(outcome)) return 'kind' in outcome.right ? write(outcome.right, exchange.writing) : outcome.right
    const { refusal, headers } = outcome.left
    const error = answerRefusal(familyOf(exchange), refusal)
    return writeError({ ...error, headers: { ...error.headers, ...headers } }, exchange.writing)
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
    const { identity, id, incoming } = exchange
    const quota = exchange.quota ?? limit.whole()
    const headers: Outgoing['headers'] = {
      ...standingHeaders(identity.viewer.via, isRead(incoming.method)),
      ...outgoing.headers,
      'X-Ratelimit-Used': String(quota.used),
      'X-Ratelimit-Remaining': String(quota.remaining),
      'X-Ratelimit-Reset': String(quota.reset),
      'X-Log-Position': exchange.written ?? exchange.read ?? app.freshness.position(),
      'X-Request-Id': id,
    }
    if (exchange.stale) headers['X-Stale'] = 'true'
    return represent(incoming, { ...outgoing, headers }, identity.viewer.via)
  }

  /** A page that was kept, answered before any other work. */
  const answerKept = (incoming: Incoming, id: string) => {
    if (incoming.method !== 'GET' || hasCredentials(incoming.headers)) return undefined
    const kept = cache.find(incoming)
    if (!kept) return undefined
    const quota = limit.count(incoming.ip)
    return quota.exceeded ? undefined : { endpoint: kept.endpoint, outgoing: finish(exchangeOf(incoming, id, quota), kept.outgoing) }
  }

  const answerAnew = async (exchange: Exchange): Promise<Outgoing> => {
    try {
      const found = await rendering(() => answer(exchange))
      // whatever ends before it is known who asks (401, 404, 405 among it) counts for the address
      const answered = exchange.quota ? found : (countedAs(exchange, limit.count(exchange.incoming.ip)) ?? found)
      const outgoing = respond(exchange, answered)
      if (!isFleeting(answered)) cache.keep(exchange, outgoing)
      return await finish(exchange, outgoing)
    } catch (error) {
      return finish(exchange, fault(exchange, error))
    }
  }

  /** Counts an answered request, and at `debug` logs it: by its declared path, since what was sent may hold secrets. */
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
    // a client that wrote at another process, and was answered, reads it here
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
