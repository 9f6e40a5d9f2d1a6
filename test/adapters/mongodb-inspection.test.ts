import test, { type ExecutionContext } from 'ava'
import { type Db, MongoClient } from 'mongodb'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import type { Collection } from '../../src/ports/documents.ts'
import { make, prepareThings, unique } from '../contracts/document-cases.ts'
import { type Thing, things } from '../contracts/document-model.ts'
import { documentServer } from '../support/document-server.ts'

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB: alterations are not looked for: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  const opened = async (t: ExecutionContext) => {
    const url = server.freshUrl()
    const { documents, close } = await openMongo({ url })
    const client = await new MongoClient(url).connect()
    t.teardown(async () => {
      await client.db().dropDatabase()
      await client.close()
      await close()
    })
    return { documents, db: client.db() }
  }

  const searched: Collection<Thing> = { ...things(unique()), search: { text: ['title'], filters: ['sub'], orders: { new: ['-at', 'id'] } } }
  const rows = (db: Db) => db.collection<{ _id: string | number; [field: string]: unknown }>(`${searched.name}_v1`)
  const set = (fields: Readonly<Record<string, unknown>>) => (db: Db) => rows(db).updateOne({ _id: 'a' }, { $set: fields })

  const alterations: readonly (readonly [what: string, change: (db: Db) => Promise<unknown>, part: string])[] = [
    ['not live', set({ live: false }), 'live'],
    ['a tombstone, too', set({ tombstone: '1' }), 'tombstone'],
    ['other words', set({ words: ' kettle ' }), 'words'],
    ['a field of somebody else', set({ theirs: 1 }), 'theirs'],
    ['a list where an index is', set({ 'body.hot': [1, 2] }), 'index of hot'],
  ]

  test('MongoDB: an inspection names every part of a row that differs from its document', async (t) => {
    const { documents, db } = await opened(t)
    const { put } = await prepareThings(documents, searched)
    const deviations = async () => (await documents.inspect(searched, undefined, 9)).flatMap((row) => row.deviations)
    for (const [what, change, part] of alterations) {
      await rows(db).deleteMany({})
      await put(make('a', { title: 'Soft water' }))
      t.deepEqual(await deviations(), [], what)
      await change(db)
      t.deepEqual(
        (await deviations()).map((deviation) => deviation.part),
        [part],
        what,
      )
    }
    for (const body of [null, 'tea', [1]]) {
      await set({ body })(db)
      const [row] = await documents.inspect(searched, undefined, 9)
      t.deepEqual([row?.isTombstone, row?.document], [false, undefined])
    }
  })

  test('MongoDB: dropped, changed and unique indexes, foreign ids and options are differences', async (t) => {
    const { documents, db } = await opened(t)
    await prepareThings(documents, searched)
    t.deepEqual(await documents.differences([searched]), [])
    await rows(db).createIndex({ 'body.theirs': 1 }, { name: 'theirs' })
    t.deepEqual(await documents.differences([searched]), [], 'whoever runs the server may add an index')
    await rows(db).createIndex({ 'body.title': 1 }, { name: 'one of each', unique: true })
    await rows(db).dropIndex('rank,id')
    await rows(db).insertOne({ _id: 7, position: '1', live: true, body: {} })
    const found = await documents.differences([searched])
    for (const line of [/the index "rank,id" of \w+ is missing/, /the unique index "one of each"/, /a document whose id is no text: 7/])
      t.true(
        found.some((one) => line.test(one)),
        found.join('; '),
      )
    await rows(db).drop()
    await db.createCollection(`${searched.name}_v1`, { capped: true, size: 10_000 })
    t.true((await documents.differences([searched])).some((one) => /is not as this program makes it: collection .*capped/.test(one)))
  })
}
