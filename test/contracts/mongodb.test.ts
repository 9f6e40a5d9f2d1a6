import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { type MongoStores, openMongo } from '../../src/adapters/mongodb/open.ts'
import { documentServer } from '../support/document-server.ts'
import { plannedReads } from '../support/mongodb-plans.ts'
import { blobsContract } from './blobs.ts'
import type { OpenedDocuments } from './document-cases.ts'
import { documentsContract } from './documents.ts'
import { historyContract } from './history.ts'
import { vaultContract } from './vault.ts'

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB: the contracts are not run: ${server}`, (t) => t.pass())
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
    const reopen = async (): Promise<MongoStores> => {
      await stores.close()
      stores = await openMongo({ url })
      return stores
    }
    return { url, stores, reopen }
  }

  const served =
    (url: string): OpenedDocuments['served'] =>
    async (t, collection, covering, reads) => {
      const planned = await plannedReads(url, collection, reads)
      t.true(planned.length > 0)
      for (const { command, stages } of planned) {
        const text = JSON.stringify(command.filter ?? command.pipeline)
        const found = stages.map(({ stage }) => stage)
        t.true(found.length > 0, text)
        t.false(found.includes('COLLSCAN'), text)
        if (server.can('ordered-plans')) t.false(found.includes('SORT'), text)
        // An index of MongoDB does not tell null from a missing field, so asking for null looks at the documents.
        if (covering && server.can('covered-plans') && !text.includes('{"$eq":null}')) t.false(found.includes('FETCH'), text)
      }
    }

  documentsContract(test, 'MongoDB documents', async (t) => {
    const { url, stores } = await opened(t)
    const shown = server.can('plans') && served(url)
    return { documents: stores.documents, ...(shown && { served: shown }) }
  })

  blobsContract(test, 'MongoDB blobs', async (t) => {
    const { stores, reopen } = await opened(t)
    return { blobs: stores.blobs, reopen: async () => (await reopen()).blobs }
  })

  historyContract(test, 'MongoDB history', async (t) => {
    const { stores, reopen } = await opened(t)
    return { history: stores.history, reopen: async () => (await reopen()).history }
  })

  vaultContract(test, 'MongoDB vault', async (t) => {
    const { stores, reopen } = await opened(t)
    return { vault: stores.vault, reopen: async () => (await reopen()).vault }
  })
}
