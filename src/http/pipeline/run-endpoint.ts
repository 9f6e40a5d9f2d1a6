import * as E from 'fp-ts/lib/Either.js'
import type { RecordedAdmins } from '../../auth/admins.ts'
import type { AccountId } from '../../domain/ids.ts'
import type { Preferences } from '../../domain/preferences.ts'
import type { Refusal as RuleRefusal } from '../../domain/refusal.ts'
import { withinQuota } from '../../limits/account-quota.ts'
import type { Position } from '../../ports/event-store.ts'
import { namesOf, preferencesOf } from '../../queries/accounts.ts'
import { actAs, type Command, commandOf, type Seed, seedOf } from '../../runtime/command.ts'
import type { Load } from '../../runtime/load.ts'
import type { RequestReads } from '../../runtime/request-reads.ts'
import type { Run } from '../../runtime/run.ts'
import { type AnyEndpoint, type Context, type End, type FactAge, isRefusal, nothingToDo } from '../contract/endpoint.ts'
import type { Reply } from '../contract/handler-response.ts'
import { isRead, type Sources } from '../contract/incoming.ts'
import { noPage, parsePage } from '../contract/listing-params.ts'
import type { Common, EndpointParts, ListingAnchors, ReadParts } from '../contract/parts.ts'
import type { Site } from '../contract/request.ts'
import { type Exchange, noteWritten } from '../contract/request-state.ts'
import { type FoundRoute, isFeed } from '../contract/router.ts'
import { epoch } from '../present/thing.ts'
import { feedReply } from './feed.ts'
import { type Stop, stopWith } from './gates.ts'
import { partsFor, vaultFor } from './guessing.ts'
import { loadWithin, type ReachableSubsites, runWithin } from './token-subsites.ts'
import { isListed, replyOf } from './write-response.ts'

/** The input of an endpoint for an admitted request, with the reads that it uses. */
export type EndpointRequest = {
  readonly reads: ReadParts
  readonly states: RequestReads
  readonly sources: Sources
  readonly site: Site
  /** The only subsites that the request may reach; undefined means all. */
  readonly reach: ReachableSubsites | undefined
  readonly params: unknown
  readonly seed: Seed | undefined
}

/** The parts that endpoints run with. Each endpoint receives the common ones, and those that it uses. */
type Service = Common &
  EndpointParts &
  ListingAnchors & {
    readonly run: Run
    readonly admins: RecordedAdmins
    /** Mints a fresh 53-bit id. */
    readonly mint: () => number
  }

/** Handles an admitted request. */
export type Handle = (exchange: Exchange, routed: FoundRoute, received: EndpointRequest) => Promise<E.Either<Stop, Reply>>

/** Returns the response to a request that ended before its handler had a reply. */
const endRequest = (endpoint: AnyEndpoint, end: End): E.Either<Stop, Reply> => {
  if (end === nothingToDo) return E.right(replyOf(endpoint, undefined))
  return isRefusal(end) ? stopWith(end) : E.right(end)
}

/** Records the facts that permit an act of authority, for judging it later: whether its account was suspended, and was an admin. */
const noteAuthority = async ({ admins }: Pick<Service, 'admins'>, { seen }: Exchange, command: Command): Promise<void> => {
  const { as } = command.by
  if (as === 'moderator' || as === 'admin')
    for (const [stream, revision] of seen) if (!command.seen.has(stream)) command.seen.set(stream, revision)
  if (as === 'admin') await admins.note(command)
}

/** Adds the name of the account that decided meanwhile to a refusal, as the moderation log has it. */
const decisionNamed = async ({ documents }: Pick<ReadParts, 'documents'>, refusal: RuleRefusal): Promise<RuleRefusal> => {
  const decision = refusal.extra?.decision as { readonly by: AccountId | null; readonly action: string; readonly at: number } | undefined
  if (decision === undefined) return refusal
  const by = decision.by === null ? null : (await namesOf(documents, [decision.by]))(decision.by)
  const { at, ...others } = decision
  const text = `${by ?? 'The service'} decided about this meanwhile: ${decision.action}.`
  return { ...refusal, text, extra: { decision: { ...others, by, created_utc: epoch(at) } } }
}

/**
 * The command of a request, made when it is first asked for, also by a copy of its context. All contexts share this one getter. With a
 * getter of its own each would have a hidden class of its own, which keeps the whole request in memory until the next full collection.
 */
const lazyCommand: PropertyDescriptor & ThisType<{ readonly current: () => Command }> = {
  enumerable: true,
  get() {
    return this.current()
  },
}

/** Returns the `load` of an endpoint by its `facts`. */
const loadFor = (facts: FactAge | undefined, { load, loadRecent }: ReadParts): Load => {
  if (facts === 'recent') return loadRecent
  if (facts === undefined || facts === 'current') return load
  const recent = new Set(facts.map(({ category }) => category))
  return (aggregate, id, command) => (recent.has(aggregate.category) ? loadRecent : load)(aggregate, id, command)
}

/** Returns the context that the needs and the handler of an endpoint receive. */
const contextOf = async (
  service: Service,
  exchange: Exchange,
  { route: { endpoint, decoder, path, fixed }, extension }: FoundRoute,
  { reads, states, sources, site, reach, params, seed }: EndpointRequest,
): Promise<Context> => {
  const { identity, incoming } = exchange
  const { config, log, freshness } = service
  const isWrite = !isRead(incoming.method)
  const { facts } = endpoint
  const fromLog = loadFor(typeof facts === 'function' ? facts(params as never) : facts, reads)
  const load = reach ? loadWithin(reach, fromLog) : fromLog
  const run = reach ? runWithin(reach, fromLog, service.run) : service.run
  let command: Command | undefined
  const current = (): Command => {
    command ??= commandOf(seed ?? seedOf(service.mint()), { account: identity.viewer.account ?? null, as: 'user' })
    return command
  }
  const wrote = (position: Position | undefined) => noteWritten(exchange, position)
  let preferred: Promise<Preferences> | undefined
  const preferences = () => {
    preferred ??= preferencesOf(reads.documents, identity.viewer.account)
    return preferred
  }
  const { documents, clock, commentIndexes, readStream } = reads
  const vault = isWrite ? vaultFor(reads.vault, states.settle) : reads.vault
  const members: Omit<Context, 'command'> & { readonly current: () => Command } = {
    current,
    documents,
    vault,
    clock,
    commentIndexes,
    readStream,
    config,
    log,
    freshness,
    preferences,
    viewer: reach ? { ...identity.viewer, within: reach } : identity.viewer,
    params,
    site,
    page: endpoint.listing ? parsePage(sources, endpoint.listing.max, (await preferences()).numsites) : noPage,
    path,
    extension,
    ip: incoming.ip,
    headers: incoming.headers,
    query: sources.query,
    file: sources.body.file,
    wrote,
    run: async (aggregate, id, decide, as = current()) => {
      await states.settle()
      const work = async () => {
        await noteAuthority(service, exchange, as)
        return run(aggregate, id, decide, as)
      }
      const toQuotaContext = () => ({ config, vault, clock, log, viewer: identity.viewer, command: current() })
      const result = await (endpoint.accountQuota ? withinQuota(toQuotaContext(), endpoint.accountQuota, work) : work())
      if (E.isLeft(result)) {
        states.renew()
        return E.left(await decisionNamed(reads, result.left))
      }
      wrote(result.right.position)
      return result
    },
    load: (aggregate, id) => load(aggregate, id, isWrite ? current() : undefined),
    expect: (expected) => {
      command = { ...current(), expected }
    },
    actAs: (capacity) => {
      command = actAs(current(), capacity)
    },
    decode: (name) => decoder.one(sources, fixed, name),
  }
  const context: Context = Object.defineProperty(members as typeof members & Pick<Context, 'command'>, 'command', lazyCommand)
  return endpoint.uses.length === 0 ? context : Object.assign(context, partsFor(service, endpoint.uses, states.settle))
}

/** Looks up the facts that an endpoint needs, then calls its handler. */
export const openHandling =
  (service: Service): Handle =>
  async (exchange, routed, received) => {
    const { endpoint } = routed.route
    const request = await contextOf(service, exchange, routed, received)
    const context = request as never
    const facts: Record<string, unknown> = context
    for (const [name, need] of Object.entries(endpoint.needs)) {
      const found = await need(context, name)
      if (E.isLeft(found)) return endRequest(endpoint, found.left)
      facts[name] = found.right
    }
    const outcome = await endpoint.handle(context)
    const result = outcome !== undefined && '_tag' in outcome ? outcome : E.right(outcome)
    if (E.isLeft(result)) return endRequest(endpoint, result.left)
    const reply = isListed(result.right) ? await result.right.turn(context, service) : E.right(replyOf(endpoint, result.right))
    if (E.isLeft(reply)) return stopWith(reply.left)
    return E.right(isFeed(request) ? await feedReply(request, exchange.incoming.target, reply.right) : reply.right)
  }
