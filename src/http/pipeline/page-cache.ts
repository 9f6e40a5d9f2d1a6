import { LRUCache } from 'lru-cache'
import { projections } from '../../../projections/all.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { IncomingRequest, OutgoingResponse } from '../contract/incoming.ts'
import type { Common, Reads } from '../contract/parts.ts'
import { anonymous } from '../contract/request.ts'
import type { CacheRecord, Exchange } from '../contract/request-state.ts'
import { prefersHtml } from '../wire/etag-and-compression.ts'
import { wantsEventStream } from '../wire/event-stream.ts'

/** Milliseconds for which a response that read the clock (time windows, hidden scores, archiving) is cached if no document changes. */
const CLOCK_LIFETIME_MS = 60_000
const MAX_CACHED_BYTES = 32 * 1024 * 1024
const MAX_KEY_CHARACTERS = 600
/** Bytes of the names of pages requested once; a page is cached only at its second request. */
const MAX_NAMES_BYTES = 4 * 1024 * 1024

/** The generation of each collection that a response was read from, taken just before the first read. */
type Generations = ReadonlyMap<string, number | undefined>

export type CachedPage = {
  readonly endpoint: AnyEndpoint
  readonly outgoing: OutgoingResponse
  readonly reads: Generations
  /** Undefined: cached until a document changes. */
  readonly expires: number | undefined
}

/** Responses cached until a document they depend on changes: by path and query, for logged-in viewers also by viewer. */
export type PageCache = {
  /** Responses for anonymous callers, looked up before anything else. */
  readonly find: (incoming: IncomingRequest) => CachedPage | undefined
  /** The cached response for this viewer; otherwise the exchange records how to cache the coming one. */
  readonly recall: (exchange: Exchange, endpoint: AnyEndpoint) => OutgoingResponse | undefined
  readonly keep: (exchange: Exchange, outgoing: OutgoingResponse) => void
}

/** The collection that changes with the state of an aggregate, by the aggregate's category. */
const followers: ReadonlyMap<string, string> = new Map(
  projections.flatMap(({ collection, follows = [] }) => follows.map(({ category }) => [category, collection.name] as const)),
)

/** The target as a key; browsers get a page where API clients get data, and followers a stream. */
const addressOf = ({ target, headers }: IncomingRequest): string => {
  if (wantsEventStream(headers)) return `${target} stream`
  return prefersHtml(headers.accept) ? `${target} html` : target
}

export const openPageCache = ({ freshness, clock }: Pick<Reads & Common, 'freshness' | 'clock'>): PageCache => {
  const pages = new LRUCache<string, CachedPage>({
    maxSize: MAX_CACHED_BYTES,
    // a text takes two bytes a character if one of them is not in Latin-1; its compressed forms take about a third more
    sizeCalculation: ({ outgoing }, key) => 500 + 2 * key.length + Math.ceil(2.8 * (outgoing.body?.length ?? 0)),
  })

  const requestedOnce = new LRUCache<string, true>({ maxSize: MAX_NAMES_BYTES, sizeCalculation: (_, key) => 100 + 2 * key.length })

  const isCurrent = ({ reads, expires }: CachedPage): boolean => {
    if (expires !== undefined && expires <= clock()) return false
    for (const [collection, generation] of reads) if (freshness.generation(collection) !== generation) return false
    return true
  }

  const findKey = (key: string): CachedPage | undefined => {
    const kept = pages.get(key)
    return kept && isCurrent(kept) ? kept : undefined
  }

  const keepingOf = (key: string): CacheRecord => {
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
      const kept = isPersonal ? findKey(key) : undefined
      if (kept) return kept.outgoing
      exchange.keeping = keepingOf(key)
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
