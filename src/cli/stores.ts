import { existsSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { diskBlobs } from '../adapters/disk/blobs.ts'
import { sqliteHistory } from '../adapters/sqlite/history.ts'
import { openSqlite } from '../adapters/sqlite/stores.ts'
import { type Config, configOf, type Environment } from '../config.ts'
import { openLog } from '../operations/logging.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { HistoryStore } from '../ports/history.ts'
import { connectStores, historyFile, refuseCopy, type ServerConnections, type Servers } from '../stores.ts'
import { dataFile, Misuse } from './data-file.ts'

/** Returns the configuration that the environment gives. */
export const readConfig = (environment: Environment): Config => {
  const config = configOf(environment, 'work')
  if (E.isLeft(config)) throw new Misuse(config.left)
  return config.right
}

export const isDataFile = ({ eventStoreUrl }: Config): boolean => eventStoreUrl.startsWith('sqlite:')

/** Makes a program give up at once where a server would wait. */
const impatient = AbortSignal.abort()

/** Opens EventStoreDB and MongoDB, if the environment names them. */
export const openServers = (config: Config): Promise<Servers> =>
  connectStores(config, openLog(config.logLevel === 'info' ? 'error' : config.logLevel), impatient)

/** Opens the stores that the environment names, for reading only. A server may run meanwhile. */
export const openToRead = async (
  environment: Environment,
): Promise<ServerConnections & { readonly blobs: Blobs; readonly history: HistoryStore | undefined }> => {
  const config = readConfig(environment)
  if (!isDataFile(config)) return openServers(config)
  const file = dataFile(environment)
  const stores = await openSqlite({ file, readOnly: true })
  const history = existsSync(historyFile(file)) ? sqliteHistory(historyFile(file), true) : undefined
  const close = async () => {
    await history?.close()
    await stores.close()
  }
  return { ...stores, blobs: diskBlobs(`${file}.blobs`), history, close }
}

/**
 * Opens the stores that the environment names, for a few writes beside a server that may be running. A data file is made if there is none.
 */
export const openBeside = async (environment: Environment): Promise<ServerConnections> => {
  const config = readConfig(environment)
  if (!isDataFile(config)) return openServers(config)
  const file = config.eventStoreUrl.slice('sqlite:'.length)
  const stores = await openSqlite({ file, beside: true })
  try {
    await refuseCopy(file, stores)
  } catch (error) {
    await stores.close()
    throw error
  }
  return stores
}
