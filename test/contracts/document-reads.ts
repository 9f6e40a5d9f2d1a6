import type { Collection, Document, Query } from '../../src/ports/documents.ts'
import type { Cases } from './contract.ts'
import { listedOf, make, type OpenedDocuments, plain, prepareThings, toPosition, unique } from './document-cases.ts'

/** Reading what is not a listing, and how reads are answered. */
export const reads: Cases<OpenedDocuments> = {
  'many documents are read by id; absent ones are left out': async (t, { documents }) => {
    const { collection, put } = await prepareThings(documents)
    const all = [make('a'), make('b', { title: 'zwei "2"', rank: 3 })]
    await put(...all)
    const found = await documents.getMany(collection, ['b', 'nobody', 'a', 'b'])
    t.deepEqual(
      new Map([...found].map(([id, document]) => [id, plain(document)])),
      new Map([
        ['b', all[1]],
        ['a', all[0]],
      ]),
    )
    t.is((await documents.getMany(collection, [])).size, 0)
  },
  'documents of pairs are read by the other of each pair': async (t, { documents }) => {
    const { collection, put } = await prepareThings(documents)
    const all = [make('v.a'), make('v.b'), make('w.c')]
    await put(...all)
    const pair = { one: 'v', idOf: (other: string) => `v.${other}` }
    const found = await documents.getPairs(collection, pair, ['b', 'c', 'a', 'b'])
    t.deepEqual([...found].map(([other, document]) => [other, plain(document)]).sort(), [
      ['a', all[0]],
      ['b', all[1]],
    ])
    t.is((await documents.getPairs(collection, pair, [])).size, 0)
  },
  'at most a thousand ids can be read at once': async (t, { documents }) => {
    const { collection, put } = await prepareThings(documents)
    await put(make('t7'))
    const ids = Array.from({ length: 1_001 }, (_, i) => `t${i}`)
    t.is((await documents.getMany(collection, ids.slice(0, 1_000))).size, 1)
    await t.throwsAsync(documents.getMany(collection, ids))
  },
  'a text can contain any character, and a number any integer of 53 bits': async (t, { documents }) => {
    const { collection, put, find } = await prepareThings(documents)
    const titles = ['a\0b', '\u0001', '\u2028', '\u{10ffff}', '$a.b', '"\\\n', 'e\u0301']
    const numbers = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 53 - 2, 2 ** 31, -(2 ** 31) - 1, 0, 0.1]
    const all = titles.map((title, i) => make(`t${i}`, { title, hot: numbers[i] ?? 0 }))
    await put(...all)
    const found = await documents.getMany(
      collection,
      all.map(({ id }) => id),
    )
    t.deepEqual(
      [...found.values()].map(plain).sort((a, b) => (a.id < b.id ? -1 : 1)),
      all,
    )
    const byNumber = all.toSorted((a, b) => b.hot - a.hot)
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), listedOf(byNumber))
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9, after: [2 ** 53 - 2, 't2'] }), listedOf(byNumber.slice(2)))
    const byTitle = all.toSorted((a, b) => Buffer.compare(Buffer.from(b.title), Buffer.from(a.title)))
    t.is(await find({ kind: 'k' }, ['-title', 'id'], { limit: 9 }), listedOf(byTitle))
  },
  'returned documents are frozen, and the same object while they do not change': async (t, { documents }) => {
    const { collection, put, write, change } = await prepareThings(documents)
    await put(make('a'), make('b'))
    const listing = () => documents.find(collection, { where: { listed: true }, order: ['hot', 'id'], page: { limit: 9 } })
    const [a, b] = await listing()
    t.true(Object.isFrozen(a))
    t.is((await documents.getMany(collection, ['a'])).get('a'), a)
    await write(change(make('b', { title: 'new' }), 50))
    const [sameA, newB] = await listing()
    t.is(sameA, a)
    t.not(newB, b)
    t.is(newB?.title, 'new')
    t.is((await documents.getMany(collection, ['b'])).get('b'), newB)
  },
  'returned documents are frozen deeply': async (t, { documents }) => {
    type Nested = Document & { readonly inner: { readonly list: readonly { readonly n: number }[] } }
    const collection: Collection<Nested> = { name: unique(), version: 1, indexes: [] }
    await documents.prepare([collection])
    const document: Nested = { id: 'a', inner: { list: [{ n: 1 }] } }
    await documents.write([{ collection, id: 'a', position: toPosition(1), document }], {
      name: collection.name,
      from: undefined,
      to: toPosition(1),
    })
    const found = (await documents.getMany(collection, ['a'])).get('a')
    t.deepEqual(plain(found), document)
    t.true(Object.isFrozen(found?.inner.list[0]) && Object.isFrozen(found?.inner.list) && Object.isFrozen(found?.inner))
  },
  'selected fields come from the index, with their types': async (t, { documents }) => {
    const { collection, put } = await prepareThings(documents)
    await put(make('a', { title: 'one', hot: 0.25, rank: 4 }), make('b', { title: 'two', score: -1 }))
    const query: Query = { where: { listed: true }, order: ['-hot', '-id'], page: { limit: 9 } }
    t.deepEqual(await documents.select(collection, query, ['id', 'listed', 'hot', 'title', 'rank']), [
      { id: 'a', listed: true, hot: 0.25, title: 'one', rank: 4 },
      { id: 'b', listed: true, hot: 0, title: 'two', rank: null },
    ])
    t.deepEqual(await documents.select(collection, { ...query, where: { sub: 'x' }, order: ['$position', 'id'] }, ['$position', 'id']), [
      { $position: toPosition(1), id: 'a' },
      { $position: toPosition(2), id: 'b' },
    ])
    await t.throwsAsync(documents.select(collection, query, ['kind']))
  },
  'a selection of fields is paged and merged like a listing': async (t, { documents }) => {
    const { collection, put } = await prepareThings(documents)
    await put(...'abcdef'.split('').map((id, i) => make(id, { sub: i % 2 ? 'x' : 'y', hot: i })))
    const where = { listed: true, sub: { in: ['x', 'y'] } }
    const page = { limit: 2, after: [4, 'e'] }
    t.deepEqual(await documents.select(collection, { where, order: ['-hot', '-id'], page }, ['id', 'hot']), [
      { id: 'd', hot: 3 },
      { id: 'c', hot: 2 },
    ])
  },
  'counting stops at the given limit': async (t, { documents }) => {
    const { collection, put, write, gone } = await prepareThings(documents)
    await put(...Array.from({ length: 30 }, (_, i) => make(`t${i}`, { sub: i < 10 ? 'x' : 'y', listed: i % 2 === 0 })))
    t.is(await documents.count(collection, { sub: 'x' }, 100), 10)
    t.is(await documents.count(collection, { sub: 'y' }, 7), 7)
    t.is(await documents.count(collection, { sub: 'y', listed: true }, 100), 10)
    t.is(await documents.count(collection, { sub: 'nobody' }, 100), 0)
    await write(gone('t0', 100))
    t.is(await documents.count(collection, { sub: 'x' }, 100), 9)
    await t.throwsAsync(documents.count(collection, { title: 'x' }, 5))
    await t.throwsAsync(documents.count(collection, { sub: { gt: 'x' } }, 5))
  },
  'a collection can be read in bytewise order of its ids': async (t, { documents }) => {
    const { collection, put, write, gone } = await prepareThings(documents)
    await put(...['b', 'a', 'B', 'aa', 'é', 'z', 'gone'].map((id) => make(id)))
    await write(gone('gone', 99))
    t.is(listedOf(await documents.walk(collection, undefined, 3)), 'B a aa')
    t.is(listedOf(await documents.walk(collection, 'aa', 3)), 'b z é')
    t.is(listedOf(await documents.walk(collection, 'é', 3)), '')
    t.true((await documents.walk(collection, undefined, 9)).every(Object.isFrozen))
  },
  'every kind of query is served by its index': async (t, opened) => {
    const { documents, served } = opened
    const { collection, put } = await prepareThings(documents)
    await put(
      ...Array.from({ length: 50 }, (_, i) => make(`t${i}`, { sub: `s${i % 3}`, hot: i % 4, at: i, score: i % 3, rank: i % 5 ? i : null })),
    )
    if (!served) {
      t.log('this adapter shows no plans')
      t.pass()
      return
    }
    const listings: readonly Query[] = [
      { where: { listed: true }, order: ['-hot', '-id'], page: { limit: 25, after: [2, 't5'] } },
      { where: { listed: true, sub: { in: ['s0', 's1'] } }, order: ['-hot', '-id'], page: { limit: 25, before: [0, ''] } },
      { where: { sub: 's1', at: { gte: 3, lt: 40 } }, order: ['-at', '-id'], page: { limit: 5, after: [30, 't30'] } },
      { where: { kind: 'k' }, order: ['-score', 'at', 'id'], page: { limit: 5, after: [1, 4, 't4'] } },
      { where: {}, order: ['rank', 'id'], page: { limit: 50, after: [null, 't0'] } },
      { where: { sub: 's1' }, order: ['-rank', 'id'], page: { limit: 50, after: [1, 't1'] } },
      { where: { sub: 's1' }, order: ['$position', 'id'], page: { limit: 5 } },
    ]
    await served(t, collection, false, async (store) => {
      for (const query of listings) await store.find(collection, query)
      await store.getMany(collection, ['t1', 't2'])
      await store.load(collection, ['t1', 'nobody'])
    })
    await served(t, collection, true, async (store) => {
      for (const query of listings) await store.select(collection, query, ['id', ...query.order.map((name) => name.replace('-', ''))])
      await store.select(collection, listings[0] ?? { where: {}, order: [], page: { limit: 1 } }, ['title', 'score', 'rank', 'id'])
      await store.count(collection, { sub: 's1' }, 10)
    })
  },
}
