import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { forgeryCases } from './forgeries.ts'
import { contentsIn } from './opened-stores.ts'
import { vectorCases } from './vectors.ts'

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB: the vectors of the history are not tried: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  const open = async (t: ExecutionContext) => {
    const log = await startEventStoreServer()
    const url = server.freshUrl()
    const events = await openEventStoreDb({ url: `esdb://127.0.0.1:${log.port}?tls=false` })
    const { history, close } = await openMongo({ url })
    const client = new MongoClient(url)
    t.teardown(async () => {
      await events.close()
      await log.stop()
      await client.close()
      await close()
      await server.drop(url)
    })
    return { events, history, ...contentsIn(client.db()) }
  }
  vectorCases(test, 'servers', open)
  forgeryCases(test, 'servers', open)
}
