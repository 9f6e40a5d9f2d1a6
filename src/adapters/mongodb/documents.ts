import { LRUCache } from 'lru-cache'
import { BSON, type Db, type FindCursor, type FindOptions, type Filter as MongoFilter, type Collection as Stored } from 'mongodb'
import {
  type BatchRecord,
  type Collection,
  collectionKey,
  type Document,
  type Filter,
  pairsBy,
  type Query,
  type SharedDocumentStore,
  type VersionedDocument,
} from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { refuseUnstableOrders } from '../../ports/orders.ts'
import { batchRowOf, openBatchRecords } from './batch-records.ts'
import { type ChangeRow, openApplying, refuseUnindexable, type UnopenedRow } from './changes.ts'
import { openCheckpoints, progressIn } from './checkpoints.ts'
import { type MongoConnection, READ_TIMEOUT_MS } from './connection.ts'
import { callStore, Outdated } from './errors.ts'
import { declaredIndexes, ensureIndexes, TOMBSTONES, toBuildOptions } from './indexes.ts'
import { collectionDifferences, inspectCollection } from './inspect.ts'
import { findCountIndex, indexedFields, matchOfFilter, pathOf, plan, toIndexName, valueAt } from './query.ts'
import { MAX_IDS, openSearching } from './searcher.ts'

const SWEEP_CHUNK = 1_000
/** Leaves out the words, which take more bytes than a long text; only the server reads them. */
const WITHOUT_WORDS = { words: 0 } as const
const CACHE_BYTES = 64 * 1024 * 1024

const VERSIONED = /_v\d+$/

/** Deep-freezes a document. Returns the approximate memory that it takes. */
const freeze = (value: unknown): number => {
  if (typeof value === 'string') return 16 + 2 * value.length
  if (typeof value !== 'object' || value === null) return 8
  Object.freeze(value)
  return Object.values(value).reduce<number>((bytes, part) => bytes + freeze(part), 64)
}

/** Casts rows of a query with the option `raw`, which the driver's types do not know of. */
const toUnopenedRows = (rows: readonly unknown[]): readonly UnopenedRow[] =>
  rows.map((bytes) => BSON.deserialize(bytes as Uint8Array, { raw: true }) as UnopenedRow)

/** Reads the rows of scans. Each scan begins when the one before it has ended with too few rows. */
const inTurn = async (scans: readonly FindCursor<ChangeRow>[], limit: number): Promise<readonly ChangeRow[]> => {
  const rows: ChangeRow[] = []
  for (const scan of scans) if (rows.length < limit) rows.push(...(await scan.toArray()))
  return rows
}

/** Returns the read models in MongoDB. `patiently` gives a connection without time limits, for building indexes. */
export const mongoDocuments = (
  { client, db }: MongoConnection,
  patiently: <T>(use: (db: Db) => Promise<T>) => Promise<T>,
): SharedDocumentStore => {
  const checkpoints = openCheckpoints(db)
  const records = openBatchRecords(db)
  const rowsOf = (collection: Collection<Document>): Stored<ChangeRow> => {
    const name = collectionKey(collection)
    const rows = prepared.get(name)
    if (rows === undefined) throw new Error(`${name} was not prepared`)
    return rows
  }
  const apply = openApplying(rowsOf)
  const cache = new LRUCache<string, { readonly position: Position; readonly document: Document }>({
    maxSize: CACHE_BYTES,
    maxEntrySize: CACHE_BYTES / 8,
  })
  const prepared = new Map<string, Stored<ChangeRow>>()

  const readShared = (collection: Collection<Document>, { _id, position, body }: UnopenedRow): Document | undefined => {
    if (body === undefined) return undefined
    const key = `${collectionKey(collection)} ${_id}`
    const known = cache.get(key)
    if (known?.position === position) return known.document
    const document = BSON.deserialize(body) as Document
    cache.set(key, { position, document }, { size: freeze(document) })
    return document
  }

  const documentsOf = <D extends Document>(collection: Collection<D>, rows: readonly UnopenedRow[]): readonly D[] =>
    rows.map((row) => readShared(collection, row)).filter((document): document is D => document !== undefined)

  // Reads by id alone, so that the server considers no other index. The few tombstones are filtered out here.
  const rowsById = async (collection: Collection<Document>, ids: readonly string[], how: FindOptions): Promise<readonly ChangeRow[]> => {
    if (ids.length > MAX_IDS) throw new Error(`${ids.length} ids in one call; ${MAX_IDS} are allowed`)
    const options = { batchSize: ids.length + 1, maxTimeMS: READ_TIMEOUT_MS, ...how }
    return callStore('read', () =>
      rowsOf(collection)
        .find({ _id: { $in: [...ids] } }, options)
        .toArray(),
    )
  }

  const byIds = async (collection: Collection<Document>, ids: readonly string[]): Promise<readonly UnopenedRow[]> => {
    const rows = await rowsById(collection, ids, { projection: WITHOUT_WORDS, raw: true })
    const byId = new Map(toUnopenedRows(rows).map((row) => [row._id, row]))
    return [...new Set(ids)].map((id) => byId.get(id)).filter((row) => row !== undefined)
  }

  const page = async (collection: Collection<Document>, query: Query, fields?: readonly string[]): Promise<readonly ChangeRow[]> => {
    const { index, ranges, backwards } = plan(collection, query, fields)
    const { limit } = query.page
    const projection = fields ? { _id: 0, ...Object.fromEntries(fields.map((field) => [pathOf(field), 1])) } : WITHOUT_WORDS
    // A hint names the index: many begin alike, and the server would compare them by trial.
    const options = { limit, batchSize: limit, hint: toIndexName(index), maxTimeMS: READ_TIMEOUT_MS, projection, raw: fields === undefined }
    const scans = ranges.map(({ match, sort }) => rowsOf(collection).find(match as MongoFilter<ChangeRow>, { ...options, sort }))
    if (limit < 1) return []
    // a document that changes meanwhile moves on in a feed: reading in turn finds it at its old or its new place
    const found = await callStore('read', async () =>
      index.feed ? inTurn(scans, limit) : (await Promise.all(scans.map((scan) => scan.toArray()))).flat(),
    )
    const rows = found.slice(0, limit)
    return backwards ? rows.reverse() : rows
  }

  const search = openSearching({ rowsOf, byIds, documentsOf })

  const prepareOn = async (where: Db, collections: readonly Collection<Document>[]): Promise<void> => {
    refuseUnstableOrders(collections)
    const building = await toBuildOptions(where)
    for (const collection of collections) {
      const name = collectionKey(collection)
      await ensureIndexes(where.collection(name), declaredIndexes(collection), building)
      prepared.set(name, db.collection<ChangeRow>(name))
    }
  }

  const getMany = async <D extends Document>(collection: Collection<D>, ids: readonly string[]) =>
    new Map(documentsOf(collection, await byIds(collection, ids)).map((document) => [document.id, document]))

  const getIndexed = async (collection: Collection<Document>, ids: readonly string[]) => {
    const fields = [...indexedFields(collection)]
    const projection = { live: 1, ...Object.fromEntries(fields.map((field) => [pathOf(field), 1])) }
    const rows = await rowsById(collection, ids, { projection })
    return new Map(rows.flatMap(({ _id, live, body }): [string, Document][] => (live ? [[_id, { ...body, id: _id }]] : [])))
  }

  return {
    prepare: (collections) => callStore('write', () => patiently((patient) => prepareOn(patient, collections))),
    checkpoint: checkpoints.one,
    checkpoints: checkpoints.some,
    // Reads the positions first: a batch is recorded before it moves its checkpoints, so the records of all moves that are seen exist.
    progress: async (names, beyond) => {
      const beside = progressIn(await checkpoints.rows(names), beyond)
      const { positions } = beside
      if (beside.records !== undefined) return beside
      const [lowest] = [...beyond].flatMap(([name, position]) => (positions.get(name) === position ? [] : [position])).sort()
      const found = lowest === undefined ? [] : await records.beyond(lowest)
      const isBeyond = ({ moves }: BatchRecord) => moves.some(({ name, to }) => to > (beyond.get(name) ?? to))
      return { positions, records: found?.filter(isBeyond) }
    },
    getIndexed,
    search,
    getMany,
    getPairs: pairsBy(getMany),
    find: async (collection, query) => documentsOf(collection, toUnopenedRows(await page(collection, query))),
    select: async <T>(collection: Collection<Document>, query: Query, fields: readonly string[]) =>
      (await page(collection, query, fields)).map(
        (row) => Object.fromEntries(fields.map((field) => [field, valueAt(row, pathOf(field))])) as T,
      ),
    count: async (collection: Collection<Document>, where: Filter, max: number) => {
      const hint = toIndexName(findCountIndex(collection, where))
      if (max < 1) return 0
      const match = matchOfFilter(where) as MongoFilter<ChangeRow>
      return callStore('read', () => rowsOf(collection).countDocuments(match, { hint, limit: max, maxTimeMS: READ_TIMEOUT_MS }))
    },
    // Bypasses the cache: an audit reads every document once, and would evict those that requests need.
    walk: async <D extends Document>(collection: Collection<D>, after: string | undefined, limit: number) => {
      const options = { sort: { _id: 1 }, limit, batchSize: limit, hint: '_id_', maxTimeMS: READ_TIMEOUT_MS } as const
      const match = { live: true, ...(after === undefined ? {} : { _id: { $gt: after } }) } as MongoFilter<ChangeRow>
      const rows = limit < 1 ? [] : await callStore('read', () => rowsOf(collection).find(match, options).toArray())
      for (const { body } of rows) freeze(body)
      return rows.map(({ body }) => body).filter((document): document is D => document !== undefined)
    },
    inspect: (collection, after, limit) =>
      callStore('read', () => inspectCollection(db.collection<ChangeRow>(collectionKey(collection)), collection, after, limit)),
    differences: async (collections) => {
      const found: string[] = []
      for (const collection of collections) {
        const rows = db.collection<ChangeRow>(collectionKey(collection))
        found.push(...(await callStore('read', () => collectionDifferences(db, rows, collection))))
      }
      return found
    },
    load: async (collection, ids) =>
      new Map(
        (await byIds(collection, ids)).map((row): [string, VersionedDocument<Document>] => [
          row._id,
          { position: row.position, document: readShared(collection, row) },
        ]),
      ),
    // A majority has the effects before a checkpoint covers them. A worker that was fenced meanwhile has written the same documents as the
    // other one, since a document at a position is the same for every worker.
    write: async (changes, to, isCurrent, rewritten) => {
      changes.forEach(refuseUnindexable)
      const moves = [to].flat()
      if (!(await checkpoints.stand(moves))) return 'fenced'
      const batch = rewritten && batchRowOf([...changes, ...rewritten], moves, new Date())
      const applyAndMove = async () => {
        // waits for both, so that no write is under way when a fenced worker has its answer
        const writing = [apply(changes), ...(batch ? [records.add(batch)] : [])]
        for (const one of await Promise.allSettled(writing)) if (one.status === 'rejected') throw one.reason
        return checkpoints.move(moves, batch)
      }
      return callStore('write', applyAndMove, isCurrent).catch((fault) => {
        if (fault instanceof Outdated) return 'fenced'
        throw fault
      })
    },
    // The checkpoint is deleted first. If the rest fails, the log is read again from the beginning, and no checkpoint covers missing
    // documents.
    clear: async (collections, name) => {
      await callStore('write', async () => {
        await checkpoints.delete(name)
        for (const collection of collections) await rowsOf(collection).drop()
        cache.clear()
        await prepareOn(db, collections)
      })
    },
    sweep: async (collection, upTo, limit) => {
      const passed = { tombstone: { $lte: upTo } }
      let swept = 0
      while (swept < limit) {
        const chunk = Math.min(SWEEP_CHUNK, limit - swept)
        const options = { projection: { _id: 1 }, limit: chunk, hint: TOMBSTONES.name, maxTimeMS: READ_TIMEOUT_MS } as const
        const ids = (await callStore('read', () => rowsOf(collection).find(passed, options).toArray())).map(({ _id }) => _id)
        if (ids.length > 0)
          await callStore('write', () => rowsOf(collection).deleteMany({ _id: { $in: ids }, ...passed }, { hint: '_id_' }))
        swept += ids.length
        if (ids.length < chunk) break
      }
      return swept
    },
    // Every collection of documents is named after its version; those of the vault and the checkpoints are not.
    obsolete: async (current) => {
      const currentKeys = new Set(current.map(collectionKey))
      const stored = await callStore('read', () => db.listCollections({}, { nameOnly: true }).toArray())
      return stored.map(({ name }) => name).filter((name) => VERSIONED.test(name) && !currentKeys.has(name))
    },
    drop: async (name) => {
      if (!VERSIONED.test(name)) throw new Error(`${name} is not a document collection`)
      await callStore('write', () => patiently((patient) => patient.collection(name).drop()))
      prepared.delete(name)
      cache.clear()
    },
    close: () => client.close(),
  }
}
