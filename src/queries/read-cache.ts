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

/** The cached reads of one collection, as of a generation. */
type CollectionCache = {
  generation: number
  readonly byId: DocumentsById
  readonly pairs: Map<string, DocumentsById>
  /** The bytes of everything on it. */
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

const answerSize = (value: unknown): number =>
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

const entrySize = (document: Document | null): number => ID_BYTES + (document ? estimateBytes(document) : 0)

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

/**
 * Returns documents with a cache. A known change of a document ends the results that it concerns. Without that knowledge, all results of
 * the collection end as soon as its generation changes. While the generation is unknown, every read goes to the store.
 */
export const cacheReads = (
  documents: DocumentStore,
  { generation, changes, attend, isAt }: Pick<Freshness, 'generation' | 'changes' | 'attend' | 'isAt'>,
): DocumentStore => {
  const shelves = new Map<string, CollectionCache>()
  /** The bytes of all shelves. */
  let filled = 0
  const answers = new LRUCache<string, CachedResult>(boundedBy('queryResults', ({ value }) => answerSize(value)))

  const grow = (shelf: CollectionCache, bytes: number): void => {
    shelf.bytes += bytes
    filled += bytes
  }

  const drop = (collection: string, { bytes }: CollectionCache): void => {
    shelves.delete(collection)
    filled -= bytes
  }

  /** Makes room for documents: the collection with the most bytes loses all of its own. */
  const dropLargest = (): void => {
    const [largest] = [...shelves].sort(([, a], [, b]) => b.bytes - a.bytes)
    if (largest) drop(...largest)
  }

  /** Brings the entry of one name up to date, or drops it if the document is not known whole. */
  const renew = (shelf: CollectionCache, known: DocumentsById | undefined, name: string, changed: ChangedDocument): void => {
    const before = known?.get(name)
    if (known === undefined || before === undefined) return
    grow(shelf, -entrySize(before))
    if (changed.known) return void known.delete(name)
    const document = changed.document() ?? null
    grow(shelf, entrySize(document))
    known.set(name, document)
  }

  /** Tells whether everything on a shelf is current. */
  const isUpToDate = (shelf: CollectionCache, collection: string, current: number): boolean => {
    if (shelf.generation === current) return true
    const changed = changes(collection, shelf.generation)
    if (!changed) return false
    for (const one of changed) {
      renew(shelf, shelf.byId, one.id, one)
      if (shelf.pairs.size > 0) for (const [side, other] of endsOf(one.id)) renew(shelf, shelf.pairs.get(side), other, one)
    }
    shelf.generation = current
    return true
  }

  const shelfOf = (collection: string, current: number): CollectionCache => {
    if (filled > cacheBounds.documents) dropLargest()
    const known = shelves.get(collection)
    const askedAt = attend ? performance.now() : 0
    if (known) known.askedAt = askedAt
    if (known && isUpToDate(known, collection, current)) return known
    if (known) drop(collection, known)
    const empty: CollectionCache = { generation: current, byId: new Map(), pairs: new Map(), bytes: 0, askedAt }
    shelves.set(collection, empty)
    return empty
  }

  /** Finds documents in the cache, and asks the store for the others. */
  const lookUp = async <D extends Document>(
    collection: string,
    shelf: CollectionCache,
    known: DocumentsById,
    names: readonly string[],
    ask: (unknown: readonly string[]) => Promise<ReadonlyMap<string, D>>,
  ): Promise<ReadonlyMap<string, D>> => {
    let found: Map<string, D> | undefined
    let unknown: Set<string> | undefined
    for (const name of names) {
      const document = known.get(name)
      if (document) {
        found ??= new Map()
        found.set(name, document as D)
      } else if (document === undefined) {
        unknown ??= new Set()
        unknown.add(name)
      }
    }
    if (unknown === undefined) return found ?? NONE
    found ??= new Map()
    const { generation: before } = shelf
    const fresh = await ask([...unknown])
    // a document that changed since then may be older here
    const isCurrent = shelf.generation === before && shelves.get(collection) === shelf
    for (const name of unknown) {
      const document = fresh.get(name)
      if (document) found.set(name, document)
      if (!isCurrent || known.has(name)) continue
      known.set(name, document ?? null)
      grow(shelf, entrySize(document ?? null))
    }
    return found
  }

  const getMany = async <D extends Document>(collection: Collection<D>, ids: readonly string[]): Promise<ReadonlyMap<string, D>> => {
    if (ids.length === 0) return new Map<string, D>()
    // taken before reading: a change during the read then invalidates the result
    const current = generation(collection.name)
    if (current === undefined) return documents.getMany(collection, ids)
    const shelf = shelfOf(collection.name, current)
    return lookUp(collection.name, shelf, shelf.byId, ids, (unknown) => documents.getMany(collection, unknown))
  }

  const remember: DocumentStore['remember'] = ({ name }, found, position) => {
    const current = generation(name)
    if (current === undefined || !isAt?.(position)) return
    const shelf = shelfOf(name, current)
    for (const [id, document] of found) {
      if (shelf.byId.has(id)) continue
      shelf.byId.set(id, document)
      grow(shelf, entrySize(document))
    }
  }

  const getPairs = async <D extends Document>(collection: Collection<D>, pair: Pair, others: readonly string[]) => {
    if (others.length === 0) return new Map<string, D>()
    const current = generation(collection.name)
    if (current === undefined) return documents.getPairs(collection, pair, others)
    const shelf = shelfOf(collection.name, current)
    const side = sideOf(pair)
    let known = shelf.pairs.get(side)
    if (!known) {
      known = new Map()
      shelf.pairs.set(side, known)
      grow(shelf, MAP_BYTES)
    }
    return lookUp(collection.name, shelf, known, others, (unknown) => {
      for (const other of unknown) refuseUnjoined(pair, other)
      return documents.getPairs(collection, pair, unknown)
    })
  }

  const indexes = new Map<string, ChangeIndex>()
  const indexOf = (collection: string, current: number): ChangeIndex => {
    const index = indexes.get(collection) ?? changeIndex(current)
    indexes.set(collection, index)
    if (index.upTo() !== current) index.take(changes(collection, index.upTo()), current)
    return index
  }

  /** Returns a cached result as it is now; undefined if only the store can tell. */
  const renewPage = (known: CachedResult, collection: string, current: number): CachedResult | undefined => {
    const { generation: since, page } = known
    let items = known.value as readonly FieldValues[] | undefined
    if (since !== current && !(page && items && indexOf(collection, current).isUntouched(items, page.demand, since))) {
      const changed = page && changes(collection, since)
      if (!changed || changed.length > MAX_APPLIED_CHANGES) return undefined
      for (const one of changed) {
        items = items && page.applyChange(items, one)
        if (!items) return undefined
      }
    }
    if (items !== known.value) return { generation: current, value: items, page }
    known.generation = current
    return known
  }

  /** When a page of each collection that changes can update was last asked for. */
  const followedAt = new Map<string, number>()
  const isLately = (at: number | undefined): boolean => at !== undefined && performance.now() - at < INTEREST_MS
  attend?.({
    holds: (collection, id) => {
      const shelf = shelves.get(collection)
      if (shelf === undefined || !isLately(shelf.askedAt)) return false
      return shelf.byId.has(id) || (shelf.pairs.size > 0 && endsOf(id).some(([side, other]) => shelf.pairs.get(side)?.has(other)))
    },
    follows: (collection) => isLately(followedAt.get(collection)),
  })

  /** The reads of the store that are under way, each as of a generation. */
  const readsUnderWay = new Map<string, { readonly generation: number; readonly value: Promise<unknown> }>()
  const askOnce = <T>(key: string, current: number, ask: () => Promise<T>): Promise<T> => {
    const under = readsUnderWay.get(key)
    if (under?.generation === current) return under.value as Promise<T>
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
    const known = answers.get(key)
    const now = known && renewPage(known, name, current)
    if (now && now === known) return now.value as T
    const page = now ? now.page : toFollowedPage(read, args)
    if (page) indexOf(name, current).follow(page.demand)
    const value = now ? now.value : await askOnce(key, current, ask)
    if (lengthOf(value) <= MAX_RESULT_ITEMS) answers.set(key, { generation: current, value, page })
    return value as T
  }

  return { ...aroundReads(documents, ['find', 'select', 'count'], answer), getMany, getPairs, remember }
}
