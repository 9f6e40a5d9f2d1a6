import { LRUCache } from 'lru-cache'
import { projections } from '../../../projections/all.ts'
import { boundedBy } from '../../ports/cache-bounds.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { IncomingRequest, OutgoingResponse } from '../contract/incoming.ts'
import type { Common, ReadParts } from '../contract/parts.ts'
import { anonymous } from '../contract/request.ts'
import type { CacheRecord, Exchange } from '../contract/request-state.ts'
import { wantsEventStream } from '../wire/event-stream.ts'
import { prefersHtml, wantsPage } from '../wire/wants-page.ts'

/** The time for which a response that read the clock (time windows, hidden scores, archiving) is cached if no document changes. */
const CLOCK_LIFETIME_MS = 60_000
const MAX_KEY_CHARACTERS = 600

/** The generation of each collection that a response was read from, taken just before the first read. */
type Generations = ReadonlyMap<string, number | undefined>

export type CachedPage = {
  readonly endpoint: AnyEndpoint
  readonly outgoing: OutgoingResponse
  readonly reads: Generations
  /** Undefined if it is cached until a document changes. */
  readonly expires: number | undefined
}

/** Caches responses until a document they depend on changes: by path and query, for logged-in viewers also by viewer. */
export type PageCache = {
  /** Returns a response for an anonymous caller. It is looked up before anything else. */
  readonly find: (incoming: IncomingRequest) => CachedPage | undefined
  /** Returns the cached response for this viewer. Otherwise the exchange records how to cache the coming one. */
  readonly recall: (exchange: Exchange, endpoint: AnyEndpoint) => OutgoingResponse | undefined
  readonly keep: (exchange: Exchange, outgoing: OutgoingResponse) => void
}

/** The collection that changes with the state of an aggregate, by the aggregate's category. */
const followers: ReadonlyMap<string, string> = new Map(
  projections.flatMap(({ collection, follows = [] }) => follows.map(({ category }) => [category, collection.name] as const)),
)

/**
 * Estimates the bytes of a page. Text takes two for a character if one of them is not in Latin-1; its compressed forms take about a third
 * more.
 */
const pageSize = ({ outgoing: { body }, reads }: CachedPage): number =>
  800 + 60 * reads.size + Math.ceil((typeof body === 'string' ? 2.8 : 1.6) * (body?.length ?? 0))

export const openPageCache = ({
  config,
  freshness,
  clock,
}: Pick<ReadParts & Common, 'freshness' | 'clock'> & { readonly config: { readonly pages: boolean } }): PageCache => {
  /** Returns the target as a key. Browsers get a page where API clients get data, and followers a stream. */
  const addressOf = (incoming: IncomingRequest): string => {
    const { target, headers } = incoming
    if (wantsEventStream(headers)) return `${target} stream`
    return (config.pages ? wantsPage(incoming) : prefersHtml(headers.accept)) ? `${target} html` : target
  }

  const pages = new LRUCache<string, CachedPage>(boundedBy('pages', pageSize))

  /** The names of pages requested once; a page is cached only at its second request. */
  const requestedOnce = new LRUCache<string, true>(boundedBy('pageNames', () => 0))

  const isCurrent = ({ reads, expires }: CachedPage): boolean => {
    if (expires !== undefined && expires <= clock()) return false
    for (const [collection, generation] of reads) if (freshness.generation(collection) !== generation) return false
    return true
  }

  const findKey = (key: string): CachedPage | undefined => {
    const cached = pages.get(key)
    return cached && isCurrent(cached) ? cached : undefined
  }

  const openRecord = (key: string): CacheRecord => {
    const reads = new Map<string, number | undefined>()
    const note = (collection: string) => {
      if (!reads.has(collection)) reads.set(collection, freshness.generation(collection))
    }
    const keeping: CacheRecord = {
      key,
      reads,
      note,
      noteAggregate: (category) => {
        const collection = followers.get(category)
        if (collection === undefined) keeping.readsMore = true
        else note(collection)
      },
      readsClock: false,
      readsMore: false,
    }
    return keeping
  }

  return {
    find: (incoming) => findKey(addressOf(incoming)),
    recall: (exchange, endpoint) => {
      const { incoming, identity } = exchange
      const { viewer } = identity
      if (incoming.method !== 'GET') return undefined
      const isPersonal = identity !== anonymous
      if (isPersonal && (endpoint.cache === 'public' || viewer.account === undefined || identity.subsites !== undefined)) return undefined
      const asAdmin = viewer.admin ? 'admin' : '' // suspended admins do not count as admins
      const key = isPersonal ? `${viewer.account} ${asAdmin} ${viewer.modhash ?? ''} ${addressOf(incoming)}` : addressOf(incoming)
      const cached = isPersonal ? findKey(key) : undefined
      if (cached) return cached.outgoing
      exchange.keeping = openRecord(key)
      return undefined
    },
    keep: ({ endpoint, keeping }, outgoing) => {
      if (!endpoint || !keeping || outgoing.status !== 200) return
      const { key, reads, readsClock, readsMore } = keeping
      // without documents, or if their changes cannot be detected, a response would stay cached when outdated
      if (readsMore || reads.size === 0 || [...reads.values()].includes(undefined)) return
      if (key.length > MAX_KEY_CHARACTERS) return
      if (!requestedOnce.has(key)) {
        requestedOnce.set(key, true)
        return
      }
      const expires = readsClock ? clock() + CLOCK_LIFETIME_MS : undefined
      pages.set(key, { endpoint, outgoing: { ...outgoing, derived: { coded: {} } }, reads, expires })
    },
  }
}
