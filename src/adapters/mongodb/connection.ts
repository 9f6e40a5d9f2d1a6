import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { calling, countTries, firstLine } from './errors.ts'

const DATABASE = 'rostra'

/** Acknowledged writes are on the journals of a majority. Reads return nothing that a change of primary could undo. */
const DURABLE = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 2_000 },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
} satisfies MongoClientOptions

/** A socket that stays silent this long is given up; with one retry a call ends within twice that. */
const SOCKET_TIMEOUT_MS = 2_500

/** The driver's own limits are 30 s, 90 s and none; only all of these together limit a call to a frozen server. */
const BOUNDED = {
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: SOCKET_TIMEOUT_MS,
  waitQueueTimeoutMS: 2_000,
  heartbeatFrequencyMS: 2_000,
  maxAdaptiveRetries: 1,
} satisfies MongoClientOptions

/** How long a server may take for one read; below the socket's limit, so that an abandoned query does not run on. */
export const READ_TIMEOUT_MS = 2_000

export type Connection = {
  readonly client: MongoClient
  readonly db: Db
  /** No member of a replica set: writes whose connection breaks are not repeated. */
  readonly standalone: boolean
}

const databaseOf = (url: string): string => decodeURIComponent(/^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1] ?? DATABASE)

/** An error that waiting cannot resolve. */
export class BadAddress extends Error {}

const clientAt = (url: string, bounds: MongoClientOptions): { readonly client: MongoClient; readonly db: Db } => {
  try {
    const client = countTries(new MongoClient(url, { appName: 'rostra', ignoreUndefined: true, ...DURABLE, ...bounds }))
    return { client, db: client.db(databaseOf(url)) }
  } catch (error) {
    throw new BadAddress(`DOCUMENT_STORE_URL is not a MongoDB address: ${error instanceof Error ? firstLine(error) : error}`)
  }
}

const open = async (url: string, bounds: MongoClientOptions): Promise<Connection> => {
  const { client, db } = clientAt(url, bounds)
  try {
    const hello = await calling('read', async () => {
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

/** Every call through it ends within seconds. */
export const connect = (url: string): Promise<Connection> => open(url, BOUNDED)

/** For building indexes, which may take as long as there are documents. A server that freezes meanwhile is detected by its heartbeat. */
export const connectPatiently = (url: string): Promise<Connection> =>
  open(url, { ...BOUNDED, socketTimeoutMS: 0, writeConcern: { w: 'majority', journal: true } })
