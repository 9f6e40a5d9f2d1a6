import { type Db, MongoError } from 'mongodb'
import type { Blobs } from '../../ports/blobs.ts'
import type { SharedDocumentStore } from '../../ports/documents.ts'
import { StoreFault } from '../../ports/faults.ts'
import type { HistoryStore } from '../../ports/history.ts'
import { pause } from '../../ports/pause.ts'
import type { Vault } from '../../ports/vault.ts'
import { prepareBatchRecords } from './batch-records.ts'
import { mongoBlobs } from './blobs.ts'
import { BadAddress, connectPatiently, connectToMongo, type MongoConnection } from './connection.ts'
import { mongoDocuments } from './documents.ts'
import { firstLine } from './errors.ts'
import { mongoHistory, prepareHistory } from './history.ts'
import { standaloneWarning, startFailure } from './start-failure.ts'
import { mongoVault, prepareVault } from './vault.ts'

export type MongoOptions = {
  /** `mongodb://…` or `mongodb+srv://…`; may hold credentials, which are never printed. */
  readonly url: string
  readonly journal?: { readonly warn: (fields: object, message: string) => void }
  /** Gives up waiting for a server that is not there yet. */
  readonly signal?: AbortSignal
}

export type MongoStores = {
  readonly documents: SharedDocumentStore
  readonly vault: Vault
  readonly blobs: Blobs
  readonly history: HistoryStore
  readonly close: () => Promise<void>
}

const RETRY_PAUSE_MS = 500
const REMIND_AFTER_MS = 10_000

const openPatiently =
  (url: string) =>
  async <T>(use: (db: Db) => Promise<T>): Promise<T> => {
    const { client, db } = await connectPatiently(url)
    try {
      return await use(db)
    } finally {
      await client.close()
    }
  }

const tryOnce = async (url: string): Promise<MongoConnection> => {
  const connection = await connectToMongo(url)
  try {
    await openPatiently(url)(prepareVault)
    await openPatiently(url)(prepareHistory)
    await openPatiently(url)(prepareBatchRecords)
    return connection
  } catch (error) {
    await connection.client.close()
    throw error
  }
}

/**
 * Opens the read models and the vault on a MongoDB. Waits for a server that is not available yet, and logs that; throws
 * an error of one line if waiting cannot help: a wrong address, an untrusted certificate, a refused user.
 */
export const openMongo = async ({ url, journal, signal }: MongoOptions): Promise<MongoStores> => {
  let reported: { readonly line: string; readonly at: number } | undefined
  for (;;) {
    try {
      const connection = await tryOnce(url)
      if (connection.standalone) journal?.warn({}, standaloneWarning(url))
      return {
        documents: mongoDocuments(connection, openPatiently(url)),
        vault: mongoVault(connection.db),
        blobs: mongoBlobs(connection.db),
        history: mongoHistory(connection.db),
        close: () => connection.client.close(),
      }
    } catch (error) {
      if (error instanceof BadAddress) throw new StoreFault('unavailable', error.message)
      // An unknown error is reported unchanged, in one line and at once.
      const fault = error instanceof MongoError ? new StoreFault('damaged', firstLine(error), { cause: error }) : error
      const isOwnFinding = fault instanceof StoreFault && fault === error && fault.kind === 'damaged'
      if (!(fault instanceof StoreFault) || isOwnFinding) throw error
      const { line, waits } = startFailure(fault, url)
      if (!waits || signal?.aborted) throw new StoreFault('unavailable', line, { cause: error })
      if (reported?.line !== line || Date.now() - reported.at >= REMIND_AFTER_MS) {
        reported = { line, at: Date.now() }
        journal?.warn({}, `${line}; waiting for it`)
      }
      await pause(RETRY_PAUSE_MS, signal)
    }
  }
}
