import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { calling, countTries, firstLine } from './errors.ts'

const DATABASE = 'rostra'

/** Acknowledged means: on the journals of a majority. Reads see nothing that a change of primary could take back. */
const DURABLE = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 2_000 },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
} satisfies MongoClientOptions

/** A socket that stays silent this long is given up; with one retry a call ends within twice that. */
const SOCKET_TIMEOUT = 2_500

/** The driver's own limits are 30 s, 90 s and none at all; only all of these together bound a call to a frozen server. */
const BOUNDED = {
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: SOCKET_TIMEOUT,
  waitQueueTimeoutMS: 2_000,
  heartbeatFrequencyMS: 2_000,
} satisfies MongoClientOptions

/** What a server may spend on one read; below the socket's limit, so that an abandoned query does not run on. */
export const READ_TIME = 2_000

export type Connection = { readonly client: MongoClient; readonly db: Db }

const databaseOf = (url: string): string => /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1] ?? DATABASE

/** Nothing that waiting could cure. */
export class BadAddress extends Error {}

const clientAt = (url: string, bounds: MongoClientOptions): MongoClient => {
  try {
    return countTries(new MongoClient(url, { appName: 'rostra', ignoreUndefined: true, ...DURABLE, ...bounds }))
  } catch (error) {
    throw new BadAddress(`DOCUMENT_STORE_URL is not a MongoDB address: ${error instanceof Error ? firstLine(error) : error}`)
  }
}

const open = async (url: string, bounds: MongoClientOptions): Promise<Connection> => {
  const client = clientAt(url, bounds)
  try {
    await calling('read', async () => {
      await client.connect()
      await client.db('admin').command({ ping: 1 })
    })
    return { client, db: client.db(databaseOf(url)) }
  } catch (error) {
    await client.close()
    throw error
  }
}

/** Every call through it ends within seconds. */
export const connect = (url: string): Promise<Connection> => open(url, BOUNDED)

/** For building indexes, which may take as long as there are documents. */
export const connectPatiently = (url: string): Promise<Connection> => open(url, { ...BOUNDED, socketTimeoutMS: 0 })
