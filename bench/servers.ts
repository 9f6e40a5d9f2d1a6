import { randomBytes } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { Misuse } from '../src/cli/data-file.ts'
import { openLog } from '../src/operations/logging.ts'
import { LOG_START } from '../src/ports/event-store.ts'
import { connectStores, type ServerConnections, type Stores } from '../src/stores.ts'

/** The environment variables of a process of the service. */
export type Environment = Readonly<Record<string, string>>

/** The one log, and read models beside it in a database of their own. */
export type Site = ServerConnections & Pick<Stores, 'history'> & { readonly documentStoreUrl: string; readonly environment: Environment }

export type Servers = {
  readonly eventStoreUrl: string
  readonly openSite: () => Promise<Site>
  /** Removes the databases of all sites. */
  readonly drop: () => Promise<void>
}

/** The database of a MongoDB address that names none. */
const DEFAULT_DATABASE = 'rostra'

const partsOf = (url: string) => {
  const [, server = '', database = '', query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(url) ?? []
  return { server, database, options: new URLSearchParams(query) }
}

/** Returns an address of the same server and user with another database. */
export const inDatabase = (url: string, name: string): string => {
  const { server, database, options } = partsOf(url)
  // A user is known to the database that the address names, unless it says to which.
  if (server.includes('@') && database !== '' && !options.has('authSource')) options.set('authSource', database)
  return `${server}/${name}${options.size > 0 ? `?${options}` : ''}`
}

const withClient = async <T>(url: string, use: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = await new MongoClient(url, { serverSelectionTimeoutMS: 2_000 }).connect()
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/** The signal that makes the stores give up at once where a service would wait. */
const impatient = AbortSignal.abort()

/**
 * Opens servers that are empty. Throws `Misuse` for a log with events or a database with collections, so that no site of others is written
 * into. `addCleanUp` receives a function that removes the data of the run.
 */
export const openServers = async (
  eventStoreUrl: string,
  documentStoreUrl: string,
  addCleanUp: (cleanUp: () => Promise<void>) => void,
): Promise<Servers> => {
  const run = randomBytes(4).toString('hex')
  const databases: string[] = []
  const log = openLog('error')
  const secret = randomBytes(24).toString('hex')

  const openSite = async (): Promise<Site> => {
    const url = inDatabase(documentStoreUrl, `rostra_bench_${run}_${databases.length}`)
    databases.push(url)
    const stores = await connectStores({ eventStoreUrl, documentStoreUrl: url }, log, impatient)
    const environment = {
      EVENT_STORE_URL: eventStoreUrl,
      DOCUMENT_STORE_URL: url,
      SESSION_SECRET: secret,
      PROJECTIONS: 'external',
      PORT: '0',
      WORKER_PORT: '0',
      LOG_LEVEL: 'error',
    }
    return { ...stores, documentStoreUrl: url, environment }
  }
  const drop = async (): Promise<void> => {
    for (const url of databases.splice(0)) await withClient(url, (client) => client.db().dropDatabase())
  }
  addCleanUp(drop)

  const { events, close } = await openSite()
  try {
    const named = partsOf(documentStoreUrl).database || DEFAULT_DATABASE
    const there = await withClient(documentStoreUrl, (client) => client.db(named).listCollections({}, { nameOnly: true }).toArray())
    if (there.length > 0) throw new Misuse(`--document-store: the database ${named} is not empty; a bench only writes beside an empty one`)
    if ((await events.readAll(LOG_START, 1)).length > 0)
      throw new Misuse('--event-store: the log is not empty; what a bench writes stays there, so it takes a log that nobody uses')
  } finally {
    await close()
  }
  await drop()
  return { eventStoreUrl, openSite, drop }
}
