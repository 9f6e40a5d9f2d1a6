// Decisions 42 and 130.

import { LRUCache } from 'lru-cache'
import { type AroundRead, aroundReads } from '../ports/around-reads.ts'
import { boundedBy, cacheBounds } from '../ports/cache-bounds.ts'
import type { Collection, Document, DocumentStore, Pair, Query } from '../ports/documents.ts'
import { type ChangedDocument, type Freshness, INTEREST_MS } from '../ports/freshness.ts'
import type { FieldValues } from '../ports/orders.ts'
import { estimateBytes } from '../ports/size.ts'
import { type ChangeIndex, changeIndex } from './change-index.ts'
import { type FollowedPage, followPage } from './followed-pages.ts'

/** The most items of one result. */
const MAX_RESULT_ITEMS = 200
/** The bytes of a cached id beside its document. The absence of a document is cached, too: most accounts have not voted on most things. */
const ID_BYTES = 120
/** The bytes of a map of ids. */
const MAP_BYTES = 200
/** The most changes that a result is updated from. With more, asking the store takes no longer. */
const MAX_APPLIED_CHANGES = 500

/** The cached documents of some ids; null if a document does not exist. */
type DocumentsById = Map<string, Document | null>

/** The cached documents of one collection, as of a generation. */
type CollectionCache = {
  generation: number
  readonly byId: DocumentsById
  readonly pairs: Map<string, DocumentsById>
  /** The bytes of everything in it. */
  bytes: number
  askedAt: number
}

type CachedResult = {
  generation: number
  readonly value: unknown
  /** Updates the result from changes; undefined if only the store can tell. */
  readonly page: FollowedPage | undefined
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1)

const resultSize = (value: unknown): number =>
  Array.isArray(value) ? value.reduce((sum: number, item) => sum + estimateBytes(item), 0) : estimateBytes(value)

/** Returns how changes update a page. A count names no documents, so any change may concern it. */
const toFollowedPage = (read: string, [query, fields]: readonly unknown[]): FollowedPage | undefined =>
  read === 'count' ? undefined : followPage(query as Query, fields as readonly string[] | undefined)

/** Tells whether a page is read only once, such as the one that finds a duplicate of a submission. */
const isUncached = (read: string, [query]: readonly unknown[]): boolean => read === 'find' && (query as Query).page.uncached === true

/** Throws for an id that is not made of two ends: such an id must be found by both ends when its document changes. */
const refuseUnjoined = ({ one, idOf }: Pair, other: string): void => {
  const id = idOf(other)
  if (id !== `${one}.${other}` && id !== `${other}.${one}`)
    throw new Error(`${id} does not consist of ${one} and ${other} and a dot between them`)
}

/** Returns the side of one end of an id, under which it is cached: `a.b` may be another document than `b.a`. */
const sideOf = ({ idOf }: Pair): string => idOf('')

/** Returns both ends of an id that connects two: the key under which one is cached, and the other end. */
const endsOf = (id: string): readonly (readonly [string, string])[] => {
  const ends: (readonly [string, string])[] = []
  for (let dot = id.indexOf('.'); dot >= 0; dot = id.indexOf('.', dot + 1)) {
    const [first, second] = [id.slice(0, dot), id.slice(dot + 1)]
    ends.push([`${first}.`, second], [`.${second}`, first])
  }
  return ends
}

const isLately = (at: number | undefined): boolean => at !== undefined && performance.now() - at < INTEREST_MS

const entrySize = (document: Document | null): number => ID_BYTES + (document ? estimateBytes(document) : 0)

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

/** The changes that the caches of this process can learn of. */
type Knowledge = Pick<Freshness, 'generation' | 'changes' | 'attend' | 'isAt'>

/** Caches documents by id, and by both ends of ids that connect two. */
const cacheDocuments = (documents: DocumentStore, { generation, changes, attend, isAt }: Knowledge) => {
  const caches = new Map<string, CollectionCache>()
  /** The bytes of all caches. */
  let totalBytes = 0

  const grow = (cache: CollectionCache, bytes: number): void => {
    cache.bytes += bytes
    totalBytes += bytes
  }

  const drop = (collection: string, { bytes }: CollectionCache): void => {
    caches.delete(collection)
    totalBytes -= bytes
  }

  /** Makes room for documents: the collection with the most bytes loses all of its own. */
  const dropLargest = (): void => {
    const [largest] = [...caches].sort(([, a], [, b]) => b.bytes - a.bytes)
    if (largest) drop(...largest)
  }

  /** Brings the entry of one name up to date, or drops it if the document is not known whole. */
  const renew = (cache: CollectionCache, entries: DocumentsById | undefined, name: string, change: ChangedDocument): void => {
    const before = entries?.get(name)
    if (entries === undefined || before === undefined) return
    grow(cache, -entrySize(before))
    if (change.known) return void entries.delete(name)
    const document = change.document() ?? null
    grow(cache, entrySize(document))
    entries.set(name, document)
  }

  /** Brings a cache up to date. Returns false if its changes are unknown. */
  const catchUp = (cache: CollectionCache, collection: string, current: number): boolean => {
    if (cache.generation === current) return true
    const changed = changes(collection, cache.generation)
    if (!changed) return false
    for (const change of changed) {
      renew(cache, cache.byId, change.id, change)
      if (cache.pairs.size > 0) for (const [side, other] of endsOf(change.id)) renew(cache, cache.pairs.get(side), other, change)
    }
    cache.generation = current
    return true
  }

  /** Returns the cache of a collection, up to date. It begins anew if its changes are unknown. */
  const cacheOf = (collection: string, current: number): CollectionCache => {
    if (totalBytes > cacheBounds.documents) dropLargest()
    const cache = caches.get(collection)
    const askedAt = attend ? performance.now() : 0
    if (cache) cache.askedAt = askedAt
    if (cache && catchUp(cache, collection, current)) return cache
    if (cache) drop(collection, cache)
    const empty: CollectionCache = { generation: current, byId: new Map(), pairs: new Map(), bytes: 0, askedAt }
    caches.set(collection, empty)
    return empty
  }

  /** Looks documents up in the entries of a cache, and asks the store for the others. */
  const lookUp = async <D extends Document>(
    collection: string,
    cache: CollectionCache,
    entries: DocumentsById,
    names: readonly string[],
    ask: (missing: readonly string[]) => Promise<ReadonlyMap<string, D>>,
  ): Promise<ReadonlyMap<string, D>> => {
    let result: Map<string, D> | undefined
    let missing: Set<string> | undefined
    for (const name of names) {
      const document = entries.get(name)
      if (document) {
        result ??= new Map()
        result.set(name, document as D)
      } else if (document === undefined) {
        missing ??= new Set()
        missing.add(name)
      }
    }
    if (missing === undefined) return result ?? NONE
    result ??= new Map()
    const { generation: before } = cache
    const fresh = await ask([...missing])
    // a document that changed since then may be older here
    const isCurrent = cache.generation === before && caches.get(collection) === cache
    for (const name of missing) {
      const document = fresh.get(name)
      if (document) result.set(name, document)
      if (!isCurrent || entries.has(name)) continue
      entries.set(name, document ?? null)
      grow(cache, entrySize(document ?? null))
    }
    return result
  }

  const getMany = async <D extends Document>(collection: Collection<D>, ids: readonly string[]): Promise<ReadonlyMap<string, D>> => {
    if (ids.length === 0) return new Map<string, D>()
    // taken before reading: a change during the read then invalidates the result
    const current = generation(collection.name)
    if (current === undefined) return documents.getMany(collection, ids)
    const cache = cacheOf(collection.name, current)
    return lookUp(collection.name, cache, cache.byId, ids, (missing) => documents.getMany(collection, missing))
  }

  /** Returns the entries of one side of a pair. They begin empty. */
  const entriesOfSide = (cache: CollectionCache, side: string): DocumentsById => {
    const existing = cache.pairs.get(side)
    if (existing) return existing
    const entries: DocumentsById = new Map()
    cache.pairs.set(side, entries)
    grow(cache, MAP_BYTES)
    return entries
  }

  const getPairs = async <D extends Document>(collection: Collection<D>, pair: Pair, others: readonly string[]) => {
    if (others.length === 0) return new Map<string, D>()
    const current = generation(collection.name)
    if (current === undefined) return documents.getPairs(collection, pair, others)
    const cache = cacheOf(collection.name, current)
    return lookUp(collection.name, cache, entriesOfSide(cache, sideOf(pair)), others, (missing) => {
      for (const other of missing) refuseUnjoined(pair, other)
      return documents.getPairs(collection, pair, missing)
    })
  }

  const remember: DocumentStore['remember'] = ({ name }, read, position) => {
    const current = generation(name)
    if (current === undefined || !isAt?.(position)) return
    const cache = cacheOf(name, current)
    for (const [id, document] of read) {
      if (cache.byId.has(id)) continue
      cache.byId.set(id, document)
      grow(cache, entrySize(document))
    }
  }

  /** Tells whether a document, or its absence, is cached, and its collection was asked for lately. */
  const holds = (collection: string, id: string): boolean => {
    const cache = caches.get(collection)
    if (cache === undefined || !isLately(cache.askedAt)) return false
    return cache.byId.has(id) || (cache.pairs.size > 0 && endsOf(id).some(([side, other]) => cache.pairs.get(side)?.has(other)))
  }

  return { getMany, getPairs, remember, holds }
}

/** Applies changes to the items of a page; undefined if only the store can tell. */
const applyChanges = (
  { applyChange }: FollowedPage,
  items: readonly FieldValues[],
  changed: readonly ChangedDocument[] | undefined,
): readonly FieldValues[] | undefined => {
  if (!changed || changed.length > MAX_APPLIED_CHANGES) return undefined
  let applied: readonly FieldValues[] | undefined = items
  for (const change of changed) {
    applied = applyChange(applied, change)
    if (!applied) return undefined
  }
  return applied
}

/** Caches the results of queries: pages, which changes can update, and counts. */
const cacheResults = ({ generation, changes, attend }: Knowledge) => {
  const results = new LRUCache<string, CachedResult>(boundedBy('queryResults', ({ value }) => resultSize(value)))
  /** When a page of each collection that changes can update was last asked for. */
  const followedAt = new Map<string, number>()

  const indexes = new Map<string, ChangeIndex>()
  const indexOf = (collection: string, current: number): ChangeIndex => {
    const index = indexes.get(collection) ?? changeIndex(current)
    indexes.set(collection, index)
    if (index.upTo() !== current) index.take(changes(collection, index.upTo()), current)
    return index
  }

  /** Returns a cached result as it is now; undefined if only the store can tell. */
  const renewResult = (cached: CachedResult, collection: string, current: number): CachedResult | undefined => {
    const { generation: since, page } = cached
    if (since === current) return cached
    if (!page) return undefined
    const before = cached.value as readonly FieldValues[]
    const isUntouched = indexOf(collection, current).isUntouched(before, page.demand, since)
    const items = isUntouched ? before : applyChanges(page, before, changes(collection, since))
    if (!items) return undefined
    if (items !== before) return { generation: current, value: items, page }
    cached.generation = current
    return cached
  }

  /** The reads of the store that are under way, each as of a generation. */
  const readsUnderWay = new Map<string, { readonly generation: number; readonly value: Promise<unknown> }>()
  const askOnce = <T>(key: string, current: number, ask: () => Promise<T>): Promise<T> => {
    const underWay = readsUnderWay.get(key)
    if (underWay?.generation === current) return underWay.value as Promise<T>
    const value = ask().finally(() => {
      if (readsUnderWay.get(key)?.value === value) readsUnderWay.delete(key)
    })
    readsUnderWay.set(key, { generation: current, value })
    return value
  }

  const answer: AroundRead = async <T>(read: string, collection: Collection<Document>, args: readonly unknown[], ask: () => Promise<T>) => {
    const { name } = collection
    const current = generation(name)
    if (current === undefined || isUncached(read, args)) return ask()
    const key = `${read} ${name} ${JSON.stringify(args)}`
    if (attend && read !== 'count') followedAt.set(name, performance.now())
    const cached = results.get(key)
    const renewed = cached && renewResult(cached, name, current)
    if (renewed && renewed === cached) return renewed.value as T
    const page = renewed ? renewed.page : toFollowedPage(read, args)
    if (page) indexOf(name, current).follow(page.demand)
    const value = renewed ? renewed.value : await askOnce(key, current, ask)
    if (lengthOf(value) <= MAX_RESULT_ITEMS) results.set(key, { generation: current, value, page })
    return value as T
  }

  return { answer, follows: (collection: string): boolean => isLately(followedAt.get(collection)) }
}

/**
 * Returns documents with a cache. A known change of a document ends the results that it concerns. Without that knowledge, all results of
 * the collection end as soon as its generation changes. While the generation is unknown, every read goes to the store.
 */
export const cacheReads = (documents: DocumentStore, knowledge: Knowledge): DocumentStore => {
  const { holds, ...reads } = cacheDocuments(documents, knowledge)
  const { answer, follows } = cacheResults(knowledge)
  knowledge.attend?.({ holds, follows })
  return { ...aroundReads(documents, ['find', 'select', 'count'], answer), ...reads }
}
