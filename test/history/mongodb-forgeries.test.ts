import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { FULL } from '../support/full.ts'
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
    const insert = (document: object) => client.db().collection('history_rows').insertOne(document)
    return { events, history, insert, ...contentsIn(client.db()) }
  }
  vectorCases(test, 'servers', open)
  forgeryCases(test, 'servers', open, FULL)

  test.serial('servers: a second row under another id is named, not taken for the first', async (t) => {
    const { history, insert } = await open(t)
    const row = { tree: '1/log', kind: 'head', number: 3, value: Buffer.from('a') } as const
    await history.add([row])
    t.is((await history.list('1/log', 'head', 0, 9)).length, 1)
    await insert({ ...row, _id: 'another', name: null, value: Buffer.from('b') })
    await t.throwsAsync(history.list('1/log', 'head', 0, 9), { message: /the row another in place of 1\/log head 3/ })
  })
}
