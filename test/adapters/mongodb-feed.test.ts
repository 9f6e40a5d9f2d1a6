import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { BSON } from 'mongodb'
import { connectToMongo } from '../../src/adapters/mongodb/connection.ts'
import { mongoDocuments } from '../../src/adapters/mongodb/documents.ts'
import { things, toPosition } from '../support/mongodb-things.ts'
import { scriptedMongo } from '../support/scripted-mongodb.ts'

test('a document that changes while a feed of changes is read is found where it was or where it went', async (t) => {
  const positions = new Map([
    ['read', toPosition(700)],
    ['still', toPosition(700)],
    ['moving', toPosition(700)],
    ['later', toPosition(800)],
  ])
  const indexes: Readonly<Record<string, unknown>>[] = []
  const server = await scriptedMongo(async (command, name) => {
    if (name === 'createIndexes') indexes.push(...(command.indexes as typeof indexes))
    if (name !== 'find') return { cursor: { id: BSON.Long.ZERO, ns: 'rostra.things_v1', firstBatch: indexes } }
    const { position } = command.filter as { readonly position: { readonly $eq?: string; readonly $gt?: string } }
    // the rest of the changes of one event takes long to read, and meanwhile one of them changes again
    if (position.$eq !== undefined) {
      await sleep(50)
      positions.set('moving', toPosition(900))
    }
    const found = [...positions]
      .filter(([id, is]) => (position.$eq === undefined ? is > String(position.$gt) : is === position.$eq && id > 'read'))
      .map(([_id, is]) => ({ _id, position: is, live: true, body: { id: _id } }))
    return { cursor: { id: BSON.Long.ZERO, ns: 'rostra.things_v1', firstBatch: found } }
  })
  const connection = await connectToMongo(server.url)
  t.teardown(async () => {
    await connection.client.close()
    await server.close()
  })
  const documents = mongoDocuments(connection, (use) => use(connection.db))
  await documents.prepare([things])
  const feed = { where: { group: 'a' }, order: ['$position', 'id'], page: { limit: 9, after: [toPosition(700), 'read'] } }
  t.deepEqual((await documents.find(things, feed)).map(({ id }) => id).toSorted(), ['later', 'moving', 'still'])
})
