import { join } from 'node:path'
import test from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { type Collection, type Document, type DocumentStore, pairsBy } from '../../src/ports/documents.ts'
import { remembering } from '../../src/queries/read-cache.ts'
import { temporaryDirectory } from '../support/temporary.ts'

type Thing = Document & { readonly group: string; readonly seq: number }
const things: Collection<Thing> = { name: 'things', version: 1, unique: { seq: [] }, indexes: [{ fields: ['group', '-seq'] }] }
const others: Collection<Thing> = { name: 'others', version: 1, unique: { seq: [] }, indexes: [{ fields: ['group', '-seq'] }] }

const at = (position: number) => String(position).padStart(20, '0')

test('a cached document is not read again until its collection changes', async (t) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(() => stores.close())
  await stores.documents.prepare([things, others])
  const generations: Record<string, number> = { things: 0, others: 0 }
  const asked: string[] = []
  const noting: DocumentStore = {
    ...stores.documents,
    getMany: (collection, ids) => {
      asked.push(`${collection.name}: ${ids.join(' ')}`)
      return stores.documents.getMany(collection, ids)
    },
    getPairs: (collection, pair, others) => {
      asked.push(`${collection.name} of ${pair.one}: ${others.join(' ')}`)
      return stores.documents.getPairs(collection, pair, others)
    },
    find: (collection, query) => {
      asked.push(`${collection.name}: find`)
      return stores.documents.find(collection, query)
    },
  }
  const documents = remembering(noting, { generation: (name) => generations[name] })
  let last: string | undefined
  const write = async (collection: Collection<Thing>, position: number, document: Thing) => {
    await stores.documents.write([{ collection, id: document.id, position: at(position), document }], {
      name: 'c',
      from: last,
      to: at(position),
    })
    last = at(position)
    generations[collection.name] = (generations[collection.name] ?? 0) + 1
  }
  const page = { where: { group: 'g' }, order: ['-seq'], page: { limit: 5 } }
  const read = async () => ({
    ids: [...(await documents.getMany(things, ['a', 'b'])).keys()],
    found: (await documents.find(things, page)).map(({ id }) => id),
  })

  await write(things, 1, { id: 'a', group: 'g', seq: 1 })
  t.deepEqual(await read(), { ids: ['a'], found: ['a'] })
  t.deepEqual(await read(), { ids: ['a'], found: ['a'] })
  t.deepEqual(asked, ['things: a b', 'things: find'], 'also what is not there is remembered')

  await write(others, 2, { id: 'a', group: 'g', seq: 1 })
  await read()
  t.is(asked.length, 2, 'another collection changed')

  await write(things, 3, { id: 'b', group: 'g', seq: 2 })
  t.deepEqual(await read(), { ids: ['a', 'b'], found: ['b', 'a'] })
  t.is(asked.length, 4)
})

test('cached pairs are kept separately for each owner', async (t) => {
  const { documents, asked } = counting(1)
  const pairs = (one: string, ...others: string[]) =>
    documents
      .getPairs(things, { one, idOf: (other) => `${one}.${other}` }, others)
      .then((found) => Array.from(found.values(), ({ id }) => id))
  t.deepEqual(await pairs('a', 'x', 'y', 'x'), ['a.x', 'a.y'])
  t.deepEqual(await pairs('b', 'x'), ['b.x'])
  t.deepEqual(await pairs('a', 'y', 'z'), ['a.y', 'a.z'])
  t.is(asked.ids, 4)
})

test('nothing cached is used while the generation of a collection is unknown', async (t) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(() => stores.close())
  await stores.documents.prepare([things])
  const documents = remembering(stores.documents, { generation: () => undefined })
  t.is((await documents.getMany(things, ['a'])).size, 0)
  const document: Thing = { id: 'a', group: 'g', seq: 1 }
  await stores.documents.write([{ collection: things, id: 'a', position: at(1), document }], { name: 'c', from: undefined, to: at(1) })
  t.is((await documents.getMany(things, ['a'])).size, 1)
  t.is(await documents.count(things, { group: 'g' }, 10), 1)
})

/** A store whose documents are as long as asked for, and which counts what is read from it; nothing in it ever changes. */
const counting = (length: number) => {
  const asked = { ids: 0, finds: 0 }
  const getMany = async (_: unknown, ids: readonly string[]) => {
    asked.ids += ids.length
    const there = length === 0 ? [] : ids
    return new Map(there.map((id) => [id, { id, group: 'x'.repeat(length), seq: 1 }]))
  }
  const store = {
    getMany,
    getPairs: pairsBy(getMany as DocumentStore['getMany']),
    find: async () => {
      asked.finds += 1
      return [{ id: 'a', group: 'x'.repeat(length), seq: 1 }]
    },
  } as unknown as DocumentStore
  return { documents: remembering(store, { generation: () => 1 }), asked }
}
const named = (count: number) => Array.from({ length: count }, (_, n) => `t5_${n}`)

test('documents are cached up to a number of bytes, and the names of missing ones up to a number', async (t) => {
  for (const [length, few, many] of [
    [40_000, 20, 200],
    [0, 1_000, 60_000],
  ] as const) {
    const { documents, asked } = counting(length)
    for (const count of [few, few]) await documents.getMany(things, named(count))
    t.is(asked.ids, few, 'few are read once')
    await documents.getMany(things, named(many))
    const before = asked.ids
    for (const count of [few, few]) await documents.getMany(things, named(count))
    t.is(asked.ids, before + few, 'what was cached before is dropped')
  }
})

test('pairs that do not exist, and their owners, are cached up to a number', async (t) => {
  const { documents, asked } = counting(0)
  const pair = (one: string) => documents.getPairs(things, { one, idOf: (other) => `${one}.${other}` }, ['x'])
  for (const one of ['a', 'a']) await pair(one)
  t.is(asked.ids, 1)
  for (let n = 0; n < 30_000; n += 1) await pair(`v${n}`)
  const before = asked.ids
  await pair('a')
  t.is(asked.ids, before + 1)
})

test('results of queries are cached up to a number of bytes', async (t) => {
  const { documents, asked } = counting(1_000_000)
  const page = (limit: number) => documents.find(things, { where: { group: 'g' }, order: ['-seq'], page: { limit } })
  for (const limit of [1, 1, 2]) await page(limit)
  t.is(asked.finds, 2)
  for (let limit = 2; limit < 20; limit += 1) await page(limit)
  const before = asked.finds
  await page(1)
  t.is(asked.finds, before + 1, 'the one not read for longest was dropped')
})
