import { LRUCache } from 'lru-cache'
import { type AroundRead, aroundReads } from '../ports/around-reads.ts'
import type { Collection, Document, DocumentStore, Pair } from '../ports/documents.ts'
import type { Freshness } from '../ports/freshness.ts'
import { sizeOf } from '../ports/size.ts'

/*
 * Documents cached here stay in memory even if the store's own (bounded) cache drops them, so few are kept. The absence of a document takes
 * little memory and is cached more often: most accounts have not voted on most things. Bytes, of each collection.
 */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
const MAX_ABSENT_IDS = 50_000
/** Bytes of all cached results together, and items of one result. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024
const MAX_RESULT_ITEMS = 200

/** The cached documents of some ids; null: it does not exist. */
type DocumentsById = Map<string, Document | null>

/** What is cached of one collection at one generation. */
type Shelf = {
  readonly generation: number
  readonly byId: DocumentsById
  readonly pairs: Map<string, DocumentsById>
  /** Bytes of documents. */
  bytes: number
  /** How many documents are known to be missing, plus the number of maps in `pairs`. */
  absent: number
}
type CachedValue = { readonly generation: number; readonly value: unknown }

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1)

const answerSize = (value: unknown): number =>
  Array.isArray(value) ? value.reduce((sum: number, item) => sum + sizeOf(item), 0) : sizeOf(value)

/**
 * The same documents, cached: a result is valid while the generation of its collection does not change. While the generation is unknown,
 * every read goes to the store.
 */
export const remembering = (documents: DocumentStore, { generation }: Pick<Freshness, 'generation'>): DocumentStore => {
  const shelves = new Map<string, Shelf>()
  const answers = new LRUCache<string, CachedValue>({
    maxSize: MAX_RESULT_BYTES,
    sizeCalculation: ({ value }, key) => 200 + 2 * key.length + answerSize(value),
  })

  const shelfOf = (collection: string, current: number): Shelf => {
    const known = shelves.get(collection)
    if (known?.generation === current && known.bytes < MAX_DOCUMENT_BYTES && known.absent < MAX_ABSENT_IDS) return known
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
    const found = new Map<string, D>()
    let unknown: Set<string> | undefined
    for (const name of names) {
      const document = known.get(name)
      if (document) found.set(name, document as D)
      else if (document === undefined) {
        unknown ??= new Set()
        unknown.add(name)
      }
    }
    if (unknown === undefined) return found
    const fresh = await ask([...unknown])
    for (const name of unknown) {
      const document = fresh.get(name)
      known.set(name, document ?? null)
      if (document) {
        shelf.bytes += sizeOf(document)
        found.set(name, document)
      } else shelf.absent += 1
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
    let known = shelf.pairs.get(pair.one)
    if (!known) {
      known = new Map()
      shelf.pairs.set(pair.one, known)
      shelf.absent += 1
    }
    return lookUp(shelf, known, others, (unknown) => documents.getPairs(collection, pair, unknown))
  }

  const answer: AroundRead = async <T>(read: string, collection: Collection<Document>, args: readonly unknown[], ask: () => Promise<T>) => {
    const current = generation(collection.name)
    if (current === undefined) return ask()
    const key = `${read} ${collection.name} ${JSON.stringify(args)}`
    const known = answers.get(key)
    if (known?.generation === current) return known.value as T
    const value = await ask()
    if (lengthOf(value) <= MAX_RESULT_ITEMS) answers.set(key, { generation: current, value })
    return value
  }

  return { ...aroundReads(documents, ['find', 'select', 'count'], answer), getMany, getPairs }
}
