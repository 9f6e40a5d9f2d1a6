import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { callStore, countTries, firstLine } from './errors.ts'

const DATABASE = 'rostra'

/**
 * Settings for durability: acknowledged writes are on the journals of a majority, and reads return nothing that a change of primary could
 * undo.
 */
const DURABLE_WRITES = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 2_000 },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
} satisfies MongoClientOptions

/** The time after which a silent socket is given up. With one retry a call ends within twice that. */
const SOCKET_TIMEOUT_MS = 2_500

/** Limits that together bound a call to a frozen server. The driver's own are 30 s, 90 s and none. */
const BOUNDED_WAITS = {
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: SOCKET_TIMEOUT_MS,
  waitQueueTimeoutMS: 2_000,
  heartbeatFrequencyMS: 2_000,
  maxAdaptiveRetries: 1,
} satisfies MongoClientOptions

/** The time that a server may take for one read. It is below the socket's limit, so that an abandoned query does not run on. */
export const READ_TIMEOUT_MS = 2_000

export type MongoConnection = {
  readonly client: MongoClient
  readonly db: Db
  /** True if it is no member of a replica set: then writes whose connection breaks are not repeated. */
  readonly standalone: boolean
}

const databaseOf = (url: string): string => decodeURIComponent(/^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1] ?? DATABASE)

/** An error that waiting cannot resolve. */
export class BadAddress extends Error {}

const clientAt = (url: string, bounds: MongoClientOptions): { readonly client: MongoClient; readonly db: Db } => {
  try {
    const client = countTries(
      new MongoClient(url, {
        ...(!/[?&]appName=/i.test(url) && { appName: 'rostra' }),
        ignoreUndefined: true,
        ...DURABLE_WRITES,
        ...bounds,
      }),
    )
    return { client, db: client.db(databaseOf(url)) }
  } catch (error) {
    throw new BadAddress(`DOCUMENT_STORE_URL is not a MongoDB address: ${error instanceof Error ? firstLine(error) : error}`)
  }
}

const open = async (url: string, bounds: MongoClientOptions): Promise<MongoConnection> => {
  const { client, db } = clientAt(url, bounds)
  try {
    const hello = await callStore('read', async () => {
      await client.connect()
      return client.db('admin').command({ hello: 1 })
    })
    // A router of a sharded cluster names itself in `msg`, a member that has not been initiated answers `isreplicaset`.
    const standalone = hello.setName === undefined && hello.msg === undefined && hello.isreplicaset !== true
    return { client, db, standalone }
  } catch (error) {
    await client.close()
    throw error
  }
}

/** Connects so that every call ends within seconds. */
export const connectToMongo = (url: string): Promise<MongoConnection> => open(url, BOUNDED_WAITS)

/** Connects for building indexes, which may take as long as there are documents. The heartbeat detects a server that freezes meanwhile. */
export const connectPatiently = (url: string): Promise<MongoConnection> =>
  open(url, { ...BOUNDED_WAITS, socketTimeoutMS: 0, writeConcern: { w: 'majority', journal: true } })
