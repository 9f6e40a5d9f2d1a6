import { join } from 'node:path'
import test from 'ava'
import { indexedFields } from '../../src/adapters/mongodb/query.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import {
  type Collection,
  type Document,
  type DocumentStore,
  type Filter,
  type Pair,
  pairsBy,
  type Query,
} from '../../src/ports/documents.ts'
import type { ChangedDocument } from '../../src/ports/freshness.ts'
import { recentChanges } from '../../src/ports/recent-changes.ts'
import { cacheReads } from '../../src/queries/read-cache.ts'
import { answer, arbitraryThing, type Model, things as modelThings, queries } from '../contracts/document-model.ts'
import fc from '../support/properties.ts'
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
  const documents = cacheReads(noting, { generation: (name) => generations[name], changes: () => undefined })
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

test('documents known from elsewhere are cached only while the read models are where they are known from', async (t) => {
  const { store, recent, write } = changingStore()
  let place = at(1)
  const { generation, since: changes } = recent
  const documents = cacheReads(store, { generation, changes, isAt: (position) => position === place })
  const collection = modelThings('changing')
  const thing = (id: string, title: string) => ({ id, title }) as unknown as Thing
  const titleOf = async (id: string) =>
    ((await documents.getMany(collection, [id])).get(id) as { readonly title?: string } | undefined)?.title
  const remember = (id: string, document: Thing | null) => documents.remember?.(collection, new Map([[id, document]]), at(1))
  write({ id: 'b', document: thing('b', 'as stored') })
  remember('a', thing('a', 'as known'))
  remember('none', null)
  t.deepEqual([await titleOf('a'), await titleOf('none')], ['as known', undefined])
  write({ id: 'a', document: thing('a', 'changed') })
  write({ id: 'none', document: thing('none', 'made') })
  t.deepEqual([await titleOf('a'), await titleOf('none')], ['changed', 'made'])
  remember('a', thing('a', 'as known'))
  t.is(await titleOf('a'), 'changed', 'a cached document stays')
  place = at(2)
  remember('b', thing('b', 'as known'))
  t.is(await titleOf('b'), 'as stored')
})

test('what one of two says of the other is not taken for what the other says of it', async (t) => {
  const { store, recent, write } = changingStore()
  const documents = cacheReads(store, { generation: recent.generation, changes: recent.since })
  const titleOf = async (one: string, other: string) => {
    const pair = { one, idOf: (of: string) => `${one}.${of}` }
    const found = await documents.getPairs(modelThings('changing'), pair, [other])
    return (found.get(other) as { readonly title?: string } | undefined)?.title
  }
  const say = (id: string, title: string) => write({ id, document: { id, title } as unknown as Thing })
  say('a.b', 'a of b')
  t.deepEqual([await titleOf('a', 'b'), await titleOf('b', 'a')], ['a of b', undefined])
  say('b.a', 'b of a')
  t.deepEqual([await titleOf('a', 'b'), await titleOf('b', 'a')], ['a of b', 'b of a'])
})

test('nothing cached is used while the generation of a collection is unknown', async (t) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(() => stores.close())
  await stores.documents.prepare([things])
  const documents = cacheReads(stores.documents, { generation: () => undefined, changes: () => undefined })
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
  return { documents: cacheReads(store, { generation: () => 1, changes: () => undefined }), asked }
}
const named = (count: number) => Array.from({ length: count }, (_, n) => `t5_${n}`)

test('documents are cached up to a number of bytes, the names of missing ones included', async (t) => {
  for (const [length, few, many] of [
    [40_000, 20, 400],
    [0, 1_000, 130_000],
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

test('pairs that do not exist, and their owners, are cached up to a number of bytes', async (t) => {
  const { documents, asked } = counting(0)
  const pair = (one: string) => documents.getPairs(things, { one, idOf: (other) => `${one}.${other}` }, ['x'])
  for (const one of ['a', 'a']) await pair(one)
  t.is(asked.ids, 1)
  for (let n = 0; n < 50_000; n += 1) await pair(`v${n}`)
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

const ENDS = ['x', 'y', 'z'] as const
const IDS = ['a', 'b'].flatMap((one) => ENDS.map((other) => `${one}.${other}`))
const written = fc.constantFrom(...IDS).chain((id) =>
  fc.record({
    id: fc.constant(id),
    document: fc.option(arbitraryThing(id), { nil: undefined, freq: 4 }),
    known: fc.constantFrom(undefined, undefined, 'indexed' as const, 'nothing' as const),
  }),
)
type Written = { readonly id: string; readonly document: Document | undefined; readonly known?: ChangedDocument['known'] }

/** A document as far as it is known: only what is in an index of its collection, or nothing. */
const partOf = (document: Document | undefined, known: ChangedDocument['known']): Document | undefined => {
  if (!document || known === undefined) return document
  const fields = known === 'nothing' ? [] : ['id', ...indexedFields(modelThings('changing'))]
  return Object.fromEntries(Object.entries(document).filter(([field]) => fields.includes(field))) as Document
}

/** A store in memory that tells of its changes; what is written while it reads is written before or after it has looked. */
const changingStore = () => {
  const model: Model = new Map()
  const recent = recentChanges()
  const meanwhile: { before: Written[]; after: Written[] } = { before: [], after: [] }
  let position = 0
  const write = ({ id, document, known }: Written): void => {
    position += 1
    model.set(id, { position: String(position).padStart(9, '0'), document: document as never })
    recent.add('changing', { id, document: () => partOf(document, known), ...(known && { known }) }, 1)
  }
  const read = async <T>(look: () => T): Promise<T> => {
    for (const one of meanwhile.before.splice(0)) write(one)
    const seen = look()
    for (const one of meanwhile.after.splice(0)) write(one)
    await undefined
    return seen
  }
  const found = (query: Query) => answer(model, query).map((id) => model.get(id)?.document as Document)
  const getMany = (_: unknown, ids: readonly string[]) =>
    read(() => new Map(ids.flatMap((id) => (model.get(id)?.document ? [[id, model.get(id)?.document as Document] as const] : []))))
  const counted = (where: Filter, max: number) => found({ where, order: ['id'], page: { limit: max } }).length
  const store = {
    getMany,
    getPairs: pairsBy(getMany as never),
    find: (_: unknown, query: Query) => read(() => found(query)),
    select: (_: unknown, query: Query, fields: readonly string[]) =>
      read(() => found(query).map((one) => Object.fromEntries(fields.map((field) => [field, one[field as 'id'] ?? null])))),
    count: (_: unknown, where: Filter, max: number) => read(() => counted(where, max)),
  } as unknown as DocumentStore
  return { store, recent, write, meanwhile }
}

/** Every kind of read of what changes, for one query. */
const readsOf = (documents: DocumentStore, { query, ids }: { readonly query: Query; readonly ids: readonly string[] }) => {
  const collection = modelThings('changing')
  const pair = (one: string, idOf: Pair['idOf']) => documents.getPairs(collection, { one, idOf }, ENDS)
  const isEquality = Object.values(query.where).every((condition) => typeof condition !== 'object')
  return Promise.all([
    documents.find(collection, query),
    documents.select(collection, query, ['id', 'title']),
    documents.select(collection, query, ['title', 'score', ...query.order.map((field) => field.replace(/^-/, ''))]),
    isEquality ? documents.count(collection, query.where, 4) : undefined,
    documents.getMany(collection, ids).then((found) => ids.map((id) => found.get(id))),
    pair('a', (other) => `a.${other}`).then((found) => ENDS.map((end) => found.get(end))),
    pair('x', (other) => `${other}.x`).then((found) => ENDS.map((end) => found.get(end))),
  ])
}

test('whatever changes, and whenever, what is cached is what the store has', async (t) => {
  const reads = fc.record({ query: queries, ids: fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 3 }) })
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ write: fc.array(written, { minLength: 1, maxLength: 2 }) }) },
    { weight: 1, arbitrary: fc.record({ before: fc.array(written, { maxLength: 2 }), after: fc.array(written, { maxLength: 2 }) }) },
    { weight: 4, arbitrary: fc.record({ read: fc.nat({ max: 2 }) }) },
    { weight: 1, arbitrary: fc.constant({ touch: true } as const) },
    { weight: 1, arbitrary: fc.constant({ forget: true } as const) },
  )
  const property = fc.asyncProperty(
    fc.array(reads, { minLength: 3, maxLength: 3 }),
    fc.array(step, { minLength: 5, maxLength: 30 }),
    async (pool, steps) => {
      const { store, recent, write, meanwhile } = changingStore()
      let forgotten = 0
      const changes = (collection: string, since: number) => (since < forgotten ? undefined : recent.since(collection, since))
      const documents = cacheReads(store, { generation: recent.generation, changes })
      for (const one of steps) {
        if ('write' in one) for (const each of one.write) write(each)
        else if ('before' in one) Object.assign(meanwhile, { before: [...one.before], after: [...one.after] })
        else if ('touch' in one) recent.touch('changing')
        else if ('forget' in one) forgotten = recent.generation('changing')
        else {
          const asked = pool[one.read] as (typeof pool)[number]
          await readsOf(documents, asked)
          for (const each of [...meanwhile.before.splice(0), ...meanwhile.after.splice(0)]) write(each) // for collections of which nothing was read
          t.deepEqual(await readsOf(documents, asked), await readsOf(store, asked))
        }
      }
    },
  )
  await fc.assert(property, { numRuns: 200 })
})

test('a change ends what it concerns, and nothing else', async (t) => {
  const { store, recent, write } = changingStore()
  const asked: string[] = []
  const noting =
    (read: string, of: (...args: never) => unknown) =>
    (collection: unknown, ...args: unknown[]) => {
      asked.push(`${read} ${JSON.stringify(args[0])}`)
      return (of as (...all: unknown[]) => unknown)(collection, ...args)
    }
  const noted = { ...store, find: noting('find', store.find as never), getMany: noting('getMany', store.getMany as never) } as DocumentStore
  const documents = cacheReads(noted, { generation: recent.generation, changes: recent.since })
  const collection = modelThings('changing')
  const query: Query = { where: { listed: true }, order: ['-hot', '-id'], page: { limit: 2 } }
  const make = (id: string, hot: number, listed = true) => ({ id, document: { id, listed, hot, title: '' } as unknown as Document })
  const read = async () => {
    asked.splice(0)
    const found = await documents.find(collection, query)
    await documents.getMany(collection, ['a.x'])
    return { found: found.map(({ id }) => id), asked: asked.length }
  }
  for (const [id, hot] of [
    ['a.x', 9],
    ['a.y', 8],
    ['a.z', 1],
  ] as const)
    write(make(id, hot))
  t.deepEqual(await read(), { found: ['a.x', 'a.y'], asked: 2 })
  write(make('a.z', 2))
  write(make('b.x', 99, false))
  t.deepEqual(await read(), { found: ['a.x', 'a.y'], asked: 0 }, 'below the page, and not of the listing')
  write(make('a.z', 8.5))
  t.deepEqual(await read(), { found: ['a.x', 'a.z'], asked: 0 }, 'on the page now')
  write(make('a.z', 10))
  t.deepEqual(await read(), { found: ['a.z', 'a.x'], asked: 0 }, 'at another place of the page')
  write(make('a.x', 0))
  t.deepEqual(await read(), { found: ['a.z', 'a.y'], asked: 1 }, 'off the page: what comes after it was not known')
})

test('changes are known as far back as they are kept: of each document the last', async (t) => {
  const recent = recentChanges()
  const add = (id: string, characters = 10) => recent.add('things', { id, document: () => undefined }, characters)
  const since = (generation: number) => recent.since('things', generation)?.map(({ id }) => id)
  for (let n = 0; n < 1_000; n += 1) add(`t${n % 20}`)
  t.is(since(0)?.length, 1_000)
  add('one more')
  t.deepEqual(new Set(since(0)), new Set([...Array.from({ length: 20 }, (_, n) => `t${n}`), 'one more']), 'nothing is forgotten')
  t.is(since(0)?.length, 21)
  t.deepEqual(since(999), ['t19', 'one more'])
  for (let n = 0; n < 980; n += 1) add(`u${n}`)
  t.is(since(0), undefined)
  t.is(recent.generation('things'), 1_981)
  t.deepEqual(since(1_481)?.slice(0, 1), ['u480'])
  t.is(since(1_481)?.length, 500)
  t.is(since(1_480), undefined)
  add('large', 10_000_000)
  t.is(since(1_981), undefined, 'not even the one that is too large by itself')
  t.deepEqual(since(1_982), [])
})
