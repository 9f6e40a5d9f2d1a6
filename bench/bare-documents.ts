import { type AnyBulkWriteOperation, type Db, MongoClient } from 'mongodb'
import { projections } from '../projections/all.ts'
import { openBatch, readersOf } from '../projections/engine/batch.ts'
import { MAX_BATCH_EVENTS } from '../projections/engine/sharded-runner.ts'
import { MAX_CHUNK, WRITES_IN_FLIGHT } from '../src/adapters/mongodb/changes.ts'
import { searchWordsOf } from '../src/adapters/mongodb/search-words.ts'
import { codec } from '../src/log/codec.ts'
import { openKeyring } from '../src/log/keys.ts'
import { collectionKey, type Document, type DocumentChange, type VersionedDocument } from '../src/ports/documents.ts'
import { LOG_START } from '../src/ports/event-store.ts'
import type { Rate } from './in-flight.ts'
import type { Site } from './servers.ts'

type Stored = { readonly position: string; readonly live?: true; readonly body?: Document; readonly words?: readonly string[] }
type Row = Stored & { readonly _id: string }

const storedOf = ({ collection, position, document }: DocumentChange): Stored => {
  if (document === undefined) return { position }
  const words = searchWordsOf(collection, document)
  return { position, live: true, body: document, ...(words !== undefined && { words }) }
}

/** Inserts new documents and replaces others. Nothing is guarded. */
const operation = (change: DocumentChange): AnyBulkWriteOperation<Row> =>
  change.fresh
    ? { insertOne: { document: { _id: change.id, ...storedOf(change) } } }
    : { replaceOne: { filter: { _id: change.id }, replacement: storedOf(change) } }

const bulkWrite = async (db: Db, changes: readonly DocumentChange[]): Promise<void> => {
  const chunks = [...Map.groupBy(changes, ({ collection }) => collectionKey(collection))].flatMap(([name, group]) =>
    Array.from({ length: Math.ceil(group.length / MAX_CHUNK) }, (_, i) => ({
      name,
      operations: group.slice(i * MAX_CHUNK, (i + 1) * MAX_CHUNK).map(operation),
    })),
  )
  const lane = async (): Promise<void> => {
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift())
      await db.collection<Row>(chunk.name).bulkWrite(chunk.operations, { ordered: false })
  }
  await Promise.all(Array.from({ length: WRITES_IN_FLIGHT }, lane))
}

export type BareWrites = Rate & { readonly documents: number }

/**
 * Events a second that MongoDB could take if the documents which come of a log had only to be written: by the bare driver, in the batches
 * of a worker, as durably, into collections with the same indexes. Reading and folding between the batches is not counted.
 */
export const bareWrites = async ({ events, vault, documentStoreUrl }: Site): Promise<BareWrites> => {
  const client = await new MongoClient(documentStoreUrl, {
    writeConcern: { w: 'majority', journal: true },
    ignoreUndefined: true,
  }).connect()
  const readers = readersOf(projections)
  const { open } = codec(openKeyring(vault))
  const stand = new Map<string, Map<string, VersionedDocument<Document>>>()
  const standOf = (key: string) => {
    const known = stand.get(key) ?? new Map<string, VersionedDocument<Document>>()
    stand.set(key, known)
    return known
  }
  let [milliseconds, microseconds, read, documents] = [0, 0, 0, 0]
  try {
    for (let after = LOG_START; ; ) {
      const recorded = await events.readAll(after, MAX_BATCH_EVENTS)
      const last = recorded.at(-1)
      if (!last) break
      const batch = openBatch(projections, readers, new Map(), LOG_START)
      for (const { collection } of batch.plan(await open(recorded))) batch.give(collection, standOf(collectionKey(collection)))
      batch.fold()
      const changes = batch.changes()
      const begun = performance.now()
      const before = process.cpuUsage()
      await bulkWrite(client.db(), changes)
      milliseconds += performance.now() - begun
      const { user, system } = process.cpuUsage(before)
      microseconds += user + system
      for (const { collection, id, position, document } of changes) standOf(collectionKey(collection)).set(id, { position, document })
      read += recorded.length
      documents += changes.length
      after = last.position
    }
  } finally {
    await client.close()
  }
  return { perSecond: (read / milliseconds) * 1000, cpu: microseconds / read, documents }
}
