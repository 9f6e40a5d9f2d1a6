import { type CreateIndexesOptions, type Db, type IndexDescription, MongoServerError, type Collection as Stored } from 'mongodb'
import type { Collection, Document, SearchIndex } from '../../ports/documents.ts'
import { StoreFault } from '../../ports/faults.ts'
import { firstLine, INDEX_NOT_FOUND, INDEX_STANDS_IN_THE_WAY, NAMESPACE_NOT_FOUND } from './errors.ts'
import { toIndexKey, toIndexName } from './query.ts'
import { newestFirst } from './search-words.ts'

export type DeclaredIndex = IndexDescription & { readonly name: string }

/** An index of tombstones. Only these have the field, so deleting them never reads live documents. */
export const TOMBSTONES = { name: 'tombstones', key: { tombstone: 1 }, sparse: true } satisfies DeclaredIndex

export const SEARCH = 'search'

/** Returns the index of a document's words, in the order in which searches find documents. */
const searchIndex = (search: SearchIndex): DeclaredIndex => ({
  name: SEARCH,
  key: { words: 1, ...Object.fromEntries(newestFirst(search).map(({ path, sign }) => [path, sign])) },
})

export const declaredIndexes = (collection: Collection<Document>): readonly DeclaredIndex[] => [
  ...collection.indexes.map((index) => ({ name: toIndexName(index), key: toIndexKey(index) })),
  TOMBSTONES,
  ...(collection.search ? [searchIndex(collection.search)] : []),
]

export const shapeOf = ({ key, sparse, expireAfterSeconds }: IndexDescription): string =>
  JSON.stringify([Object.entries(key as Record<string, unknown>), sparse ?? false, expireAfterSeconds ?? null])

const unless = async (codes: readonly number[], call: () => Promise<unknown>): Promise<void> => {
  try {
    await call()
  } catch (error) {
    if (!(error instanceof MongoServerError && typeof error.code === 'number' && codes.includes(error.code))) throw error
  }
}

export const readIndexes = async <Row extends object>(stored: Stored<Row>): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>()
  await unless([NAMESPACE_NOT_FOUND], async () => {
    for (const index of await stored.indexes()) found.set(String(index.name), shapeOf(index as IndexDescription))
  })
  return found
}

/**
 * Returns the options for building indexes on this server. In a replica set a majority is enough: by default every voting member must take
 * part, and while one of them is down a build waits without end. A server outside of a set takes no quorum at all.
 */
export const toBuildOptions = async (db: Db): Promise<CreateIndexesOptions> =>
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

/** Creates all indexes at once, since that reads the documents once, and one by one only to find the one in conflict. */
const create = async (stored: Stored, missing: readonly DeclaredIndex[], building: CreateIndexesOptions): Promise<void> => {
  if (missing.length === 0) return
  try {
    await stored.createIndexes([...missing], building)
  } catch (error) {
    if (!(error instanceof MongoServerError && INDEX_STANDS_IN_THE_WAY.has(Number(error.code)))) throw error
    await createEach(stored, missing, building)
  }
}

/** Creates missing indexes, recreates those that differ from the declaration of their name, and leaves others alone. */
export const ensureIndexes = async (stored: Stored, declared: readonly DeclaredIndex[], building: CreateIndexesOptions): Promise<void> => {
  const before = await readIndexes(stored)
  const missing = declared.filter((index) => before.get(index.name) !== shapeOf(index))
  for (const { name } of missing) {
    // If two processes start at once, the other one may have dropped it already.
    if (before.has(name)) await unless([INDEX_NOT_FOUND], () => stored.dropIndex(name))
  }
  await create(stored, missing, building)
  const after = await readIndexes(stored)
  const wrong = declared.find((index) => after.get(index.name) !== shapeOf(index))
  if (wrong !== undefined)
    throw new StoreFault('damaged', `MongoDB: the index "${wrong.name}" of ${stored.collectionName} differs from its declaration`)
}
