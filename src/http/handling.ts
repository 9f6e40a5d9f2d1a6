import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { comments } from '../../projections/comments.ts'
import type { App } from '../app.ts'
import type { Preferences } from '../domain/preferences.ts'
import type { Position } from '../ports/event-store.ts'
import { preferencesOf } from '../queries/accounts.ts'
import { recording, recordingVault } from '../queries/recording.ts'
import { actingAs, type Command, commandOf, type Seed, seedOf } from '../runtime/command.ts'
import type { Load } from '../runtime/run.ts'
import { withinQuota } from './account-quota.ts'
import { type AnyEndpoint, type Context, type End, isRefusal, nothingToDo } from './endpoint.ts'
import { type Exchange, noteWritten } from './exchange.ts'
import { feedReply } from './feed.ts'
import { type Stop, stopped } from './gates.ts'
import { isRead } from './incoming.ts'
import { type Decoder, noPage, pageOf, type Sources } from './raw-params.ts'
import { loadWithin, reachOf, runWithin } from './reach.ts'
import type { Reply } from './reply.ts'
import type { Site } from './request.ts'
import { isFeed, isListed, replyOf } from './respond.ts'
import type { Match } from './router.ts'

/** The input of an endpoint for an admitted request. */
type Asked = { readonly site: Site; readonly params: unknown; readonly seed: Seed | undefined }
export type Routed = Extract<Match, { readonly kind: 'route' }>

/** The response to a request that ended before its handler had a reply. */
const ended = (endpoint: AnyEndpoint, end: End): Either<Stop, Reply> => {
  if (end === nothingToDo) return E.right(replyOf(endpoint, undefined))
  return isRefusal(end) ? stopped(end) : E.right(end)
}

/** Handles an admitted request: looks up the facts that its endpoint needs, then calls its handler. */
export const openHandling = (app: App, decodersOf: (endpoint: AnyEndpoint) => Decoder) => {
  /** The documents that a response was read from, recorded if it may be cached. */
  const readingOf = ({ keeping }: Exchange): Partial<App> => {
    if (!keeping) return {}
    return {
      documents: recording(app.documents, keeping.note),
      vault: recordingVault(app.vault, () => {
        keeping.readsMore = true
      }),
      clock: () => {
        keeping.readsClock = true
        return app.clock()
      },
      commentIndexes: (link) => {
        keeping.note(comments.name)
        return app.commentIndexes(link)
      },
    }
  }

  const contextOf = async (
    exchange: Exchange,
    { route: { endpoint, path, fixed }, extension }: Routed,
    sources: Sources,
    asked: Asked,
  ): Promise<Context> => {
    const { identity, incoming } = exchange
    const isWrite = !isRead(incoming.method)
    const reach = identity.subsites && reachOf(asked.site)
    const { facts } = endpoint
    const fromLog: Load = (typeof facts === 'function' ? facts(asked.params as never) : facts) === 'recent' ? app.loadRecent : app.load
    const load = reach ? loadWithin(reach, fromLog) : fromLog
    const run = reach ? runWithin(reach, fromLog, app.run) : app.run
    let command: Command | undefined
    const current = (): Command => {
      command ??= commandOf(asked.seed ?? seedOf(app.mint()), { account: identity.viewer.account ?? null, as: 'user' })
      return command
    }
    const wrote = (position: Position | undefined) => noteWritten(exchange, position)
    const recorded = readingOf(exchange)
    const documents = recorded.documents ?? app.documents
    let preferred: Promise<Preferences> | undefined
    const preferences = () => {
      preferred ??= preferencesOf(documents, identity.viewer.account)
      return preferred
    }
    return {
      ...app,
      ...recorded,
      preferences,
      viewer: reach ? { ...identity.viewer, within: reach } : identity.viewer,
      params: asked.params,
      site: asked.site,
      page: endpoint.listing ? pageOf(sources, endpoint.listing.max, (await preferences()).numsites) : noPage,
      get command() {
        return current()
      },
      path,
      extension,
      ip: incoming.ip,
      headers: incoming.headers,
      query: sources.query,
      file: sources.body.file,
      wrote,
      run: async (aggregate, id, decide, as = current()) => {
        const work = () => run(aggregate, id, decide, as)
        const { config, vault, clock, log } = app
        const asking = () => ({ config, vault, clock, log, viewer: identity.viewer, command: current() })
        const result = await (endpoint.accountQuota ? withinQuota(asking(), endpoint.accountQuota, work) : work())
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
    const request = await contextOf(exchange, routed, sources, asked)
    const context = request as never
    const facts: Record<string, unknown> = context
    for (const [name, need] of Object.entries(endpoint.needs)) {
      const found = await need(context, name)
      if (E.isLeft(found)) return ended(endpoint, found.left)
      facts[name] = found.right
    }
    const outcome = await endpoint.handle(context)
    const result = outcome !== undefined && '_tag' in outcome ? outcome : E.right(outcome)
    if (E.isLeft(result)) return ended(endpoint, result.left)
    const reply = isListed(result.right) ? await result.right.turn(context) : E.right(replyOf(endpoint, result.right))
    if (E.isLeft(reply)) return stopped(reply.left)
    return E.right(isFeed(request) ? await feedReply(request, exchange.incoming.target, reply.right) : reply.right)
  }

  return handle
}
