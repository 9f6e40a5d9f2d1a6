import { randomBytes } from 'node:crypto'
import { MongoClient } from 'mongodb'
import type { StartedTestContainer } from 'testcontainers'
import { containerRuntimeAnswers, containers } from './containers.ts'
import { withDatabase } from './document-address.ts'

/** The image the MongoDB suites are meant for: a real server, as a replica set of one member. */
const MONGODB_IMAGE = 'mongo:8.0.13'

export type DocumentServer = {
  /** Returns an address with a database of its own, so that suites never meet. */
  readonly freshUrl: () => string
  /** True if the server may be disturbed as a whole: it is this suite's own, or TEST_DOCUMENT_STORE_ALONE says that nobody else uses it. */
  readonly alone: boolean
  readonly can: (capability: Capability) => boolean
  /** Drops a database before the end of the suite. */
  readonly drop: (url: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Capabilities that a server may lack which merely speaks MongoDB's protocol, named in TEST_DOCUMENT_STORE_LACKS:
 * - `plans`: it explains its plan of a query
 * - `ordered-plans`: plans tell about order; the planner of such a server sorts in memory after a compound index
 * - `covered-plans`: projections are answered from an index alone
 * - `serial-retries`: a write that the driver repeats while its first try is still under way is distinguished from it. SecantusDB 0.7.0b3
 * looks a transaction number up before the write and notes it after: the same update sent over two connections at once under one session
 * and number was answered "matched" and "not matched" in 57 of 400 rounds, and an `$inc` counted twice in 64 of 400. So a compare-and-set
 * whose connection broke may have been made although its repetition says that another was first. MongoDB promises the first answer again.
 */
export type Capability = 'plans' | 'ordered-plans' | 'covered-plans' | 'serial-retries'

const databaseName = (): string => `test_${process.pid}_${randomBytes(4).toString('hex')}`

/** A suite deletes its databases on a server that outlives it. */
const drop = async (urls: readonly string[]): Promise<void> => {
  for (const url of urls) {
    const client = await new MongoClient(url, { serverSelectionTimeoutMS: 2_000 }).connect()
    await client.db().dropDatabase()
    await client.close()
  }
}

const toServer = (url: string, lacks: string, alone: boolean, stop: () => Promise<void>): DocumentServer => {
  const missing = new Set(lacks.split(',').map((name) => name.trim()))
  const urls: string[] = []
  return {
    freshUrl: () => {
      const fresh = withDatabase(url, databaseName())
      urls.push(fresh)
      return fresh
    },
    alone,
    can: (capability) => !missing.has(capability),
    drop: (url) => drop([url]),
    stop: async () => {
      await drop(urls).catch(() => undefined) // a server that was disturbed to its end has nothing left to drop
      await stop()
    },
  }
}

const initiateReplicaSet = async (container: StartedTestContainer): Promise<void> => {
  const script =
    "rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'localhost:27017' }] }); while (!db.hello().isWritablePrimary) sleep(100)"
  const { exitCode, output } = await container.exec(['mongosh', '--quiet', '--eval', script])
  if (exitCode !== 0) throw new Error(`the replica set could not be initiated: ${output}`)
}

/** The server at TEST_DOCUMENT_STORE_URL, else a container, else the reason why there is none. */
export const documentServer = async (): Promise<DocumentServer | string> => {
  const url = process.env.TEST_DOCUMENT_STORE_URL
  if (url) return toServer(url, process.env.TEST_DOCUMENT_STORE_LACKS ?? '', process.env.TEST_DOCUMENT_STORE_ALONE === '1', async () => {})
  if (!(await containerRuntimeAnswers())) return 'TEST_DOCUMENT_STORE_URL names no server and no container engine answers'
  const { GenericContainer, Wait } = await containers()
  const container = await new GenericContainer(MONGODB_IMAGE)
    .withCommand(['--replSet', 'rs0', '--bind_ip_all'])
    .withExposedPorts(27_017)
    .withWaitStrategy(Wait.forLogMessage('Waiting for connections'))
    .start()
  await initiateReplicaSet(container)
  const address = `mongodb://${container.getHost()}:${container.getMappedPort(27_017)}/?directConnection=true`
  return toServer(address, '', true, async () => {
    await container.stop()
  })
}
