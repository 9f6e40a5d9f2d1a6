import { LRUCache } from 'lru-cache'
import { type AroundRead, aroundReads } from '../ports/around-reads.ts'
import type { Collection, Document, DocumentStore, Pair, Query } from '../ports/documents.ts'
import type { Freshness } from '../ports/freshness.ts'
import type { Row } from '../ports/orders.ts'
import { sizeOf } from '../ports/size.ts'
import { type ChangeIndex, changeIndex } from './change-index.ts'
import { type FollowedPage, followedPage } from './followed-pages.ts'

/*
 * Documents cached here stay in memory even if the store's own (bounded) cache drops them, so few are kept. The absence of a document takes
 * little memory and is cached more often: most accounts have not voted on most things. Bytes, of each collection.
 */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
const MAX_ABSENT_IDS = 50_000
/** Bytes of all cached results together, and items of one result. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024
const MAX_RESULT_ITEMS = 200
/** Changes that a result is told from: with more of them, asking the store takes no longer. */
const MAX_APPLIED_CHANGES = 500

/** The cached documents of some ids; null: it does not exist. */
type DocumentsById = Map<string, Document | null>

/** What is cached of one collection, as of a generation. */
type Shelf = {
  generation: number
  readonly byId: DocumentsById
  readonly pairs: Map<string, DocumentsById>
  /** Bytes of documents. */
  bytes: number
  /** How many documents are known to be missing, plus the number of maps in `pairs`. */
  absent: number
}
type CachedResult = {
  generation: number
  readonly value: unknown
  /** What changes make of it; undefined: only the store can tell. */
  readonly page: FollowedPage | undefined
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1)

const answerSize = (value: unknown): number =>
  Array.isArray(value) ? value.reduce((sum: number, item) => sum + sizeOf(item), 0) : sizeOf(value)

/** A count names no documents, so that any change may be one of it. */
const pageOf = (read: string, [query, fields]: readonly unknown[]): FollowedPage | undefined =>
  read === 'count' ? undefined : followedPage(query as Query, fields as readonly string[] | undefined)

/** An id of two ends is found by them when its document changes. */
const refuseUnjoined = ({ one, idOf }: Pair, other: string): void => {
  const id = idOf(other)
  if (id !== `${one}.${other}` && id !== `${other}.${one}`)
    throw new Error(`${id} does not consist of ${one} and ${other} and a dot between them`)
}

/** What one end of an id is cached under: with its side, as `a.b` may be another document than `b.a`. */
const sideOf = ({ idOf }: Pair): string => idOf('')

/** Both ends of an id that connects two: what is cached under one, and the other. */
const endsOf = (id: string): readonly (readonly [string, string])[] => {
  const ends: (readonly [string, string])[] = []
  for (let dot = id.indexOf('.'); dot >= 0; dot = id.indexOf('.', dot + 1)) {
    const [first, second] = [id.slice(0, dot), id.slice(dot + 1)]
    ends.push([`${first}.`, second], [`.${second}`, first])
  }
  return ends
}

/** Brings what is cached under one name up to date. */
const renew = (shelf: Shelf, known: DocumentsById | undefined, name: string, document: Document | undefined): void => {
  const before = known?.get(name)
  if (known === undefined || before === undefined) return
  if (before) shelf.bytes -= sizeOf(before)
  else shelf.absent -= 1
  if (document) shelf.bytes += sizeOf(document)
  else shelf.absent += 1
  known.set(name, document ?? null)
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

/**
 * The same documents, cached. Where it is known which documents of a collection changed, that ends what they concern, else everything of the
 * collection ends as soon as its generation changes. While the generation is unknown, every read goes to the store.
 */
export const remembering = (
  documents: DocumentStore,
  { generation, changes }: Pick<Freshness, 'generation' | 'changes'>,
): DocumentStore => {
  const shelves = new Map<string, Shelf>()
  const answers = new LRUCache<string, CachedResult>({
    maxSize: MAX_RESULT_BYTES,
    sizeCalculation: ({ value }, key) => 200 + 2 * key.length + answerSize(value),
  })

  /** Whether everything on a shelf is as of now. */
  const isUpToDate = (shelf: Shelf, collection: string, current: number): boolean => {
    if (shelf.generation === current) return true
    const changed = changes(collection, shelf.generation)
    if (!changed) return false
    for (const { id, document } of changed) {
      if (shelf.byId.has(id)) renew(shelf, shelf.byId, id, document())
      if (shelf.pairs.size > 0) for (const [side, other] of endsOf(id)) renew(shelf, shelf.pairs.get(side), other, document())
    }
    shelf.generation = current
    return true
  }

  const shelfOf = (collection: string, current: number): Shelf => {
    const known = shelves.get(collection)
    const isSmall = known && known.bytes < MAX_DOCUMENT_BYTES && known.absent < MAX_ABSENT_IDS
    if (isSmall && isUpToDate(known, collection, current)) return known
    const empty: Shelf = { generation: current, byId: new Map(), pairs: new Map(), bytes: 0, absent: 0 }
    shelves.set(collection, empty)
    return empty
  }

  /** Finds documents in the cache, and asks for the others. */
  const lookUp = async <D extends Document>(
    shelf: Shelf,
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
    // what changed since then may be older here
    const isCurrent = shelf.generation === before
    for (const name of unknown) {
      const document = fresh.get(name)
      if (document) found.set(name, document)
      if (!isCurrent || known.has(name)) continue
      known.set(name, document ?? null)
      if (document) shelf.bytes += sizeOf(document)
      else shelf.absent += 1
    }
    return found
  }

  const getMany = async <D extends Document>(collection: Collection<D>, ids: readonly string[]): Promise<ReadonlyMap<string, D>> => {
    if (ids.length === 0) return new Map<string, D>()
    // Taken before reading: a change during the read then invalidates the result.
    const current = generation(collection.name)
    if (current === undefined) return documents.getMany(collection, ids)
    const shelf = shelfOf(collection.name, current)
    return lookUp(shelf, shelf.byId, ids, (unknown) => documents.getMany(collection, unknown))
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
      shelf.absent += 1
    }
    return lookUp(shelf, known, others, (unknown) => {
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

  /** A cached result as it is now; undefined if only the store can tell. */
  const renewed = (known: CachedResult, collection: string, current: number): CachedResult | undefined => {
    const { generation: since, page } = known
    let items = known.value as readonly Row[] | undefined
    if (since !== current && !(page && items && indexOf(collection, current).isUntouched(items, page.demand, since))) {
      const changed = page && changes(collection, since)
      if (!changed || changed.length > MAX_APPLIED_CHANGES) return undefined
      for (const one of changed) {
        items = items && page.changed(items, one)
        if (!items) return undefined
      }
    }
    if (items !== known.value) return { generation: current, value: items, page }
    known.generation = current
    return known
  }

  const answer: AroundRead = async <T>(read: string, collection: Collection<Document>, args: readonly unknown[], ask: () => Promise<T>) => {
    const { name } = collection
    const current = generation(name)
    if (current === undefined) return ask()
    const key = `${read} ${name} ${JSON.stringify(args)}`
    const known = answers.get(key)
    const now = known && renewed(known, name, current)
    if (now && now === known) return now.value as T
    const page = now ? now.page : pageOf(read, args)
    if (page) indexOf(name, current).follow(page.demand)
    const value = now ? now.value : await ask()
    if (lengthOf(value) <= MAX_RESULT_ITEMS) answers.set(key, { generation: current, value, page })
    return value as T
  }

  return { ...aroundReads(documents, ['find', 'select', 'count'], answer), getMany, getPairs }
}
