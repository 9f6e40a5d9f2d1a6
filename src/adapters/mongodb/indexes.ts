import { type CreateIndexesOptions, type Db, type IndexDescription, MongoServerError, type Collection as Stored } from 'mongodb'
import type { Collection, Document, SearchIndex } from '../../ports/documents.ts'
import { StoreFault } from '../../ports/faults.ts'
import { CANNOT_CREATE_INDEX, firstLine, INDEX_NOT_FOUND, INDEX_STANDS_IN_THE_WAY, NAMESPACE_NOT_FOUND } from './errors.ts'
import { keyOf, nameOf, pathOf } from './query.ts'

export type DeclaredIndex = IndexDescription & { readonly name: string }

/** Only tombstones have the field, so that deleting them never reads live documents. */
export const TOMBSTONES = { name: 'tombstones', key: { tombstone: 1 }, sparse: true } satisfies DeclaredIndex

export const SEARCH = 'search'

/** No language: no stemming, no stop words. A document's own `language` field must not be taken for a text language either. */
const searchIndex = ({ filters }: SearchIndex): DeclaredIndex => ({
  name: SEARCH,
  key: Object.fromEntries([['words', 'text'] as const, ...filters.map((field) => [pathOf(field), 1] as const)]),
  default_language: 'none',
  language_override: 'text_language',
})

export const declaredIndexes = (collection: Collection<Document>): readonly DeclaredIndex[] => [
  ...collection.indexes.map((index) => ({ name: nameOf(index), key: keyOf(index) })),
  TOMBSTONES,
  ...(collection.search ? [searchIndex(collection.search)] : []),
]

/** The server lists a text index by its weights, not by the key it was created with. */
export const shapeOf = ({ key, weights, sparse, expireAfterSeconds, default_language }: IndexDescription): string => {
  const fields = Object.entries(key as Record<string, unknown>)
  const text = weights === undefined ? fields.filter(([, kind]) => kind === 'text').map(([path]) => path) : Object.keys(weights)
  const plain = fields.filter(([path, kind]) => kind !== 'text' && path !== '_ftsx')
  return JSON.stringify([plain, text.toSorted(), sparse ?? false, expireAfterSeconds ?? null, default_language ?? null])
}

const unless = async (codes: readonly number[], call: () => Promise<unknown>): Promise<void> => {
  try {
    await call()
  } catch (error) {
    if (!(error instanceof MongoServerError && typeof error.code === 'number' && codes.includes(error.code))) throw error
  }
}

export const standing = async <Row extends object>(stored: Stored<Row>): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>()
  await unless([NAMESPACE_NOT_FOUND], async () => {
    for (const index of await stored.indexes()) found.set(String(index.name), shapeOf(index as IndexDescription))
  })
  return found
}

/**
 * How indexes are built on this server. In a replica set a majority is enough: by default every voting member must take part, and
 * while one of them is down a build waits without end. A server outside of a set takes no quorum at all.
 */
export const buildingOn = async (db: Db): Promise<CreateIndexesOptions> =>
  (await db.admin().command({ hello: 1 })).setName === undefined ? {} : { commitQuorum: 'majority' }

const createEach = async (stored: Stored, missing: readonly DeclaredIndex[], building: CreateIndexesOptions): Promise<void> => {
  for (const index of missing) {
    try {
      await stored.createIndexes([index], building)
    } catch (error) {
      if (!(error instanceof MongoServerError && INDEX_STANDS_IN_THE_WAY.has(Number(error.code)))) throw error
      const where = `MongoDB: another index of ${stored.collectionName} conflicts with "${index.name}"`
      throw new StoreFault('damaged', `${where} and must be dropped: ${firstLine(error)}`, { cause: error })
    }
  }
}

/** All at once, since that reads the documents once; one by one only to find the one in conflict. */
const create = async (stored: Stored, missing: readonly DeclaredIndex[], building: CreateIndexesOptions): Promise<void> => {
  if (missing.length === 0) return
  try {
    await stored.createIndexes([...missing], building)
  } catch (error) {
    if (!(error instanceof MongoServerError && INDEX_STANDS_IN_THE_WAY.has(Number(error.code)))) throw error
    await createEach(stored, missing, building)
  }
}

/** Create missing indexes, recreate those that differ from the declaration of their name, and leave others alone. */
export const ensureIndexes = async (stored: Stored, declared: readonly DeclaredIndex[], building: CreateIndexesOptions): Promise<void> => {
  const before = await standing(stored)
  const missing = declared.filter((index) => before.get(index.name) !== shapeOf(index))
  for (const { name } of missing) {
    // Two processes may start at once: the other one may have dropped it already.
    if (before.has(name)) await unless([INDEX_NOT_FOUND], () => stored.dropIndex(name))
  }
  await create(stored, missing, building)
  const after = await standing(stored)
  const wrong = declared.find((index) => after.get(index.name) !== shapeOf(index))
  if (wrong !== undefined)
    throw new StoreFault('damaged', `MongoDB: the index "${wrong.name}" of ${stored.collectionName} differs from its declaration`)
}

/** False where the server, one that only speaks MongoDB's protocol, has no text indexes. */
export const ensureSearchable = async (
  stored: Stored,
  declared: readonly DeclaredIndex[],
  building: CreateIndexesOptions,
): Promise<boolean> => {
  try {
    await ensureIndexes(stored, declared, building)
    return true
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === CANNOT_CREATE_INDEX && /not supported/i.test(error.message))) throw error
    const others = declared.filter(({ name }) => name !== SEARCH)
    await ensureIndexes(stored, others, building)
    return false
  }
}
