import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { projections } from '../../projections/all.ts'
import { digestOf } from '../../projections/engine/digest.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { type MongoStores, openMongo } from '../../src/adapters/mongodb/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import type { Logged } from '../../src/domain/events.ts'
import type { Collection, Document, DocumentChange, DocumentStore, Query, Value } from '../../src/ports/documents.ts'
import { documentServer } from '../support/document-server.ts'
import { positionOf } from '../support/logged-events.ts'
import fc from '../support/properties.ts'
import { catchUp, openFile } from '../support/read-models.ts'

type Item = Document & { readonly group: string | null; readonly flag: boolean; readonly rank: number | null; readonly text: string }

const items: Collection<Item> = {
  name: 'items',
  version: 1,
  indexes: [
    { fields: ['group', 'flag', '-rank', '-text', 'id'], covers: ['$position'] },
    { fields: ['group', 'rank', '-id'] },
    { fields: ['-rank', 'id'] },
    { fields: ['group', '-$position', '-id'], feed: true },
  ],
}

const GROUPS = ['a', 'b', 'B', 'ä', null]
const RANKS = [null, -1, 0, 1, 1.5, 2 ** 40, Number.MAX_SAFE_INTEGER]
const TEXTS = ['', 'a', 'Z', 'é', '\uffff', '\u{1f600}', '$a.b']

const position = (number: number): string => String(number).padStart(20, '0')

const stored = fc.record({
  id: fc.integer({ min: 0, max: 60 }).map((number) => `i${number}`),
  group: fc.constantFrom(...GROUPS),
  flag: fc.boolean(),
  rank: fc.constantFrom(...RANKS),
  text: fc.constantFrom(...TEXTS),
  gone: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
})

const changesOf = (drawn: readonly (Item & { readonly gone: boolean })[]): readonly DocumentChange[] =>
  drawn.map(({ gone, ...document }, index) => ({
    collection: items,
    id: document.id,
    position: position(index + 1),
    document: gone ? undefined : document,
  }))

const rank: fc.Arbitrary<Value> = fc.constantFrom(...RANKS, 0.5)
const id = fc.constantFrom('', 'i3', 'i30', 'i9', 'z')
const group: fc.Arbitrary<Query['where'][string]> = fc.oneof(
  fc.constantFrom(...GROUPS),
  fc.uniqueArray(fc.constantFrom(...GROUPS), { minLength: 1 }).map((values) => ({ in: values })),
)
const bound = fc.constantFrom(-1, 0, 1, 1.5, 2 ** 40)
const range = fc.oneof(fc.record({ gte: bound }), fc.record({ gt: bound, lte: bound }), fc.record({ lt: bound }))

const shapes = [
  fc.record({
    where: fc.record({ group, flag: fc.boolean() }),
    order: fc.constant(['-rank', '-text', 'id']),
    anchor: fc.tuple(rank, fc.constantFrom(...TEXTS), id),
  }),
  fc.record({
    where: fc.record({ group, flag: fc.boolean() }),
    order: fc.constant(['rank', 'text', '-id']),
    anchor: fc.tuple(rank, fc.constantFrom(...TEXTS), id),
  }),
  fc.record({
    where: fc.oneof(fc.record({ group }), fc.record({ group, rank: range })),
    order: fc.constant(['rank', '-id']),
    anchor: fc.tuple(rank, id),
  }),
  fc.record({
    where: fc.oneof(fc.constant({}), fc.record({ rank: range })),
    order: fc.constant(['-rank', 'id']),
    anchor: fc.tuple(rank, id),
  }),
  fc.record({
    where: fc.record({ group }),
    order: fc.constantFrom(['-$position', '-id'], ['$position', 'id']),
    anchor: fc.tuple(fc.integer({ min: 0, max: 90 }).map(position), id),
  }),
] as const

const query: fc.Arbitrary<Query> = fc
  .tuple(fc.oneof(...shapes), fc.integer({ min: 1, max: 12 }), fc.constantFrom('first', 'after', 'before'))
  .map(([{ where, order, anchor }, limit, which]): Query => {
    const page = which === 'first' ? { limit } : which === 'after' ? { limit, after: anchor } : { limit, before: anchor }
    return { where, order, page }
  })

const server = await documentServer()

if (typeof server === 'string') test.skip(`whether MongoDB answers as SQLite does is not tested: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  const opened = async (t: ExecutionContext): Promise<MongoStores> => {
    const url = server.freshUrl()
    const mongo = await openMongo({ url })
    t.teardown(async () => {
      await mongo.close()
      const client = await new MongoClient(url).connect()
      await client.db().dropDatabase()
      await client.close()
    })
    return mongo
  }

  test('read models built from one log in MongoDB and in SQLite have the same digests', async (t) => {
    const { append, ports, stores } = openFile(t)
    const { documents } = await opened(t)
    const log = [...syntheticLog({ seed: 11, links: 12, subsites: 2, accounts: 9 })]
    await append(log.map((event, index) => ({ ...event, position: positionOf(index + 1) }) as Logged))
    await catchUp(await openReadModels(ports, projections))
    await catchUp(await openReadModels({ ...ports, documents }, projections), 37)
    const digests = (store: DocumentStore) => Promise.all(projections.map(({ collection }) => digestOf(store, collection)))
    const built = await digests(stores.documents)
    t.true(built.some((digest) => digest.documents > 50))
    t.deepEqual(await digests(documents), built)
  })

  test('MongoDB returns the same as SQLite for every query: ties, nulls, ranges, memberships, anchors of absent documents', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'stores-'))
    const sqlite = await openSqlite({ file: join(directory, 'stores.db') })
    t.teardown(async () => {
      await sqlite.close()
      await rm(directory, { recursive: true })
    })
    const mongo = await opened(t)
    const stores: readonly [DocumentStore, DocumentStore] = [sqlite.documents, mongo.documents]
    await fc.assert(
      fc.asyncProperty(
        fc.array(stored, { minLength: 40, maxLength: 80 }),
        fc.array(query, { minLength: 40, maxLength: 40 }),
        async (drawn, queries) => {
          const changes = changesOf(drawn)
          for (const store of stores) {
            await store.prepare([items])
            await store.clear([items], 'items')
            t.is(await store.write(changes, { name: 'items', from: undefined, to: position(changes.length) }), 'written')
          }
          for (const asked of queries) {
            const [expected, found] = await Promise.all(stores.map((store) => store.find(items, asked)))
            t.deepEqual(found, expected, JSON.stringify(asked))
          }
        },
      ),
      { numRuns: 6 },
    )
  })
}
