import type { ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { type MongoStores, openMongo } from '../../src/adapters/mongodb/open.ts'
import type { Collection, Document, DocumentChange, Query } from '../../src/ports/documents.ts'

export type Thing = Document & { readonly group: string; readonly rank: number; readonly note?: string }

export const things: Collection<Thing> = {
  name: 'things',
  version: 1,
  indexes: [
    { fields: ['group', '-rank', 'id'], covers: ['note'] },
    { fields: ['group', '$position', 'id'], feed: true },
    { fields: ['-rank', 'id'] },
  ],
}

export const toPosition = (position: number): string => String(position).padStart(20, '0')

export const thingChange = (id: string, position: number, rank: number, group = 'a'): DocumentChange => {
  const document: Thing = { id, group, rank, note: `note of ${id}` }
  return { collection: things, id, position: toPosition(position), document }
}

export const ranked: Query = { where: { group: 'a' }, order: ['-rank', 'id'], page: { limit: 10 } }

/** The stores in a database which is dropped after the test. */
export const openedThings = async (
  t: ExecutionContext,
  url: string,
): Promise<MongoStores & { readonly admin: MongoClient; readonly url: string }> => {
  const admin = await new MongoClient(url).connect()
  const stores = await openMongo({ url })
  t.teardown(async () => {
    await stores.close()
    await admin.db().dropDatabase()
    await admin.close()
  })
  await stores.documents.prepare([things])
  return { ...stores, admin, url }
}
