import { join } from 'node:path'
import test from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import type { Collection, Document, DocumentStore } from '../../src/ports/documents.ts'
import { remembering } from '../../src/queries/read-cache.ts'
import { temporaryDirectory } from '../support/temporary.ts'

type Thing = Document & { readonly group: string; readonly seq: number }
const things: Collection<Thing> = { name: 'things', version: 1, indexes: [{ fields: ['group', '-seq'] }] }
const others: Collection<Thing> = { name: 'others', version: 1, indexes: [{ fields: ['group', '-seq'] }] }

const at = (position: number) => String(position).padStart(20, '0')

test('what was read is not asked for again until its collection has changed', async (t) => {
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

test('without a known generation nothing cached is used', async (t) => {
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
