import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { type MongoStores, openMongo } from '../../src/adapters/mongodb/open.ts'
import { documentServer } from '../support/document-server.ts'
import { vaultContract } from './vault.ts'

const server = await documentServer()

if (typeof server === 'string') test(`MongoDB: the contracts are not run: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  const opened = async (t: ExecutionContext) => {
    const url = server.freshUrl()
    let stores = await openMongo({ url })
    t.teardown(async () => {
      await stores.close()
      const client = await new MongoClient(url).connect()
      await client.db().dropDatabase()
      await client.close()
    })
    const again = async (): Promise<MongoStores> => {
      await stores.close()
      stores = await openMongo({ url })
      return stores
    }
    return { stores, again }
  }

  vaultContract(test, 'MongoDB', async (t) => {
    const { stores, again } = await opened(t)
    return { vault: stores.vault, reopen: async () => (await again()).vault }
  })
}
