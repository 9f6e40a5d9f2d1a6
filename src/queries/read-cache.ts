import { LRUCache } from 'lru-cache'
import type { Collection, Document, DocumentStore, Query } from '../ports/documents.ts'
import type { Freshness } from '../ports/freshness.ts'
import { bytesOf } from '../ports/size.ts'

/*
 * Documents cached here stay in memory even if the store's own (bounded) cache drops them, so few are kept. The absence of a document takes
 * little memory and is cached more often: most accounts have not voted on most things. Bytes, of each collection.
 */
const MOST_BYTES = 4 * 1024 * 1024
const MOST_ABSENT = 50_000
/** Bytes of all cached results together; items of one. */
const MOST_ANSWERED_BYTES = 16 * 1024 * 1024
const LONGEST_ANSWER = 200

/** Of one collection at one generation. */
type Shelf = {
  readonly generation: number
  readonly documents: Map<string, Document>
  readonly absent: Set<string>
  bytes: number
}
type Remembered = { readonly generation: number; readonly value: unknown }

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1)

/** A document may be in many cached results, and is measured once. */
const sizes = new WeakMap<object, number>()
const sizeOf = (item: unknown): number => {
  if (typeof item !== 'object' || item === null) return bytesOf(item)
  const known = sizes.get(item)
  if (known !== undefined) return known
  const size = bytesOf(item)
  sizes.set(item, size)
  return size
}

const answerSize = (value: unknown): number =>
  Array.isArray(value) ? value.reduce((sum: number, item) => sum + sizeOf(item), 0) : sizeOf(value)

/**
 * The same documents, cached: a result is valid while the generation of its collection does not change. While the generation is unknown,
 * every read goes to the store.
 */
export const remembering = (documents: DocumentStore, { generation }: Pick<Freshness, 'generation'>): DocumentStore => {
  const shelves = new Map<string, Shelf>()
  const answers = new LRUCache<string, Remembered>({
    maxSize: MOST_ANSWERED_BYTES,
    sizeCalculation: ({ value }, key) => 200 + 2 * key.length + answerSize(value),
  })

  const shelfOf = (collection: string, current: number): Shelf => {
    const known = shelves.get(collection)
    if (known?.generation === current && known.bytes < MOST_BYTES && known.absent.size < MOST_ABSENT) return known
    const empty: Shelf = { generation: current, documents: new Map(), absent: new Set(), bytes: 0 }
    shelves.set(collection, empty)
    return empty
  }

  const getMany = async <D extends Document>(collection: Collection<D>, ids: readonly string[]): Promise<ReadonlyMap<string, D>> => {
    // Taken before reading: a change during the read then invalidates the result.
    const current = generation(collection.name)
    if (current === undefined) return documents.getMany(collection, ids)
    const shelf = shelfOf(collection.name, current)
    const found = new Map<string, D>()
    const unknown: string[] = []
    for (const id of ids) {
      const known = shelf.documents.get(id)
      if (known) found.set(id, known as D)
      else if (!shelf.absent.has(id)) unknown.push(id)
    }
    if (unknown.length === 0) return found
    const fresh = await documents.getMany(collection, unknown)
    for (const id of unknown) {
      const document = fresh.get(id)
      if (document) {
        shelf.documents.set(id, document)
        shelf.bytes += sizeOf(document)
        found.set(id, document)
      } else shelf.absent.add(id)
    }
    return found
  }

  const answer = async <T>(what: string, collection: Collection<Document>, asked: unknown, ask: () => Promise<T>): Promise<T> => {
    const current = generation(collection.name)
    if (current === undefined) return ask()
    const key = `${what} ${collection.name} ${JSON.stringify(asked)}`
    const known = answers.get(key)
    if (known?.generation === current) return known.value as T
    const value = await ask()
    if (lengthOf(value) <= LONGEST_ANSWER) answers.set(key, { generation: current, value })
    return value
  }

  return {
    ...documents,
    getMany,
    find: <D extends Document>(collection: Collection<D>, query: Query) =>
      answer('find', collection, query, () => documents.find(collection, query)),
    select: <T>(collection: Collection<Document>, query: Query, fields: readonly string[]) =>
      answer('select', collection, [query, fields], () => documents.select<T>(collection, query, fields)),
    count: (collection, where, max) => answer('count', collection, [where, max], () => documents.count(collection, where, max)),
  }
}
