// Decision 130.

import type { Db } from 'mongodb'
import type { BatchRecord, CheckpointMove, DocumentName } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { callStore } from './errors.ts'
import { type DeclaredIndex, ensureIndexes, toBuildOptions } from './indexes.ts'

const RECORDS = 'changes'

/** A record as it is stored: `from` are the positions of the checkpoints in `names`, `ids` those of documents by collection. */
export type BatchRow = {
  readonly names: readonly string[]
  readonly from: readonly Position[]
  readonly to: Position
  readonly ids: Readonly<Record<string, readonly string[]>>
  readonly at: Date
}

/** The most ids of a record, and characters of them. A larger batch has none: then every process reads everything again. */
export const MAX_RECORDED_IDS = 5_000
const MAX_RECORDED_CHARACTERS = 128 * 1024
/** The most records of one look. With more, reading everything again costs less. */
const MAX_RECORDS_READ = 100
const LIFETIME_SECONDS = 60

const INDEXES: readonly DeclaredIndex[] = [
  { name: 'place', key: { to: 1 } },
  { name: 'expiry', key: { at: 1 }, expireAfterSeconds: LIFETIME_SECONDS },
]

export const prepareBatchRecords = async (db: Db): Promise<void> =>
  callStore('write', async () => ensureIndexes(db.collection(RECORDS), INDEXES, await toBuildOptions(db)))

/** Returns the record of a batch; undefined if it is too large, or makes checkpoints, or moves them to several positions. */
export const batchRowOf = (changed: readonly DocumentName[], moves: readonly CheckpointMove[], at: Date): BatchRow | undefined => {
  const [first] = moves
  const from = moves.flatMap((move) => move.from ?? [])
  if (first === undefined || from.length < moves.length || moves.some(({ to }) => to !== first.to)) return undefined
  if (changed.length > MAX_RECORDED_IDS || changed.reduce((sum, { id }) => sum + id.length, 0) > MAX_RECORDED_CHARACTERS) return undefined
  const ids = Map.groupBy(changed, ({ collection }) => collection.name)
  return {
    names: moves.map(({ name }) => name),
    from,
    to: first.to,
    ids: Object.fromEntries([...ids].map(([name, documents]) => [name, documents.map(({ id }) => id)])),
    at,
  }
}

export const toBatchRecord = ({ names, from, to, ids }: Omit<BatchRow, 'at'>): BatchRecord => ({
  moves: names.map((name, n) => ({ name, from: from[n], to })),
  ids: new Map(Object.entries(ids)),
})

/** Records batches, for a minute. */
export const openBatchRecords = (db: Db) => {
  // a record that a new primary lacks is missed by nobody who cannot read everything again
  const rows = db.collection<BatchRow>(RECORDS, { writeConcern: { w: 1, journal: false } })
  return {
    add: async (row: BatchRow): Promise<void> => {
      await rows.insertOne({ ...row }) // the driver adds an id to what it inserts, and a batch may be tried again
    },
    /** Returns the records of batches beyond a position; undefined if they are too many. */
    beyond: async (position: Position): Promise<readonly BatchRecord[] | undefined> => {
      const options = { limit: MAX_RECORDS_READ + 1, batchSize: MAX_RECORDS_READ + 1, maxTimeMS: READ_TIMEOUT_MS }
      const found = await callStore('read', () => rows.find({ to: { $gt: position } }, options).toArray())
      return found.length > MAX_RECORDS_READ ? undefined : found.map(toBatchRecord)
    },
  }
}
