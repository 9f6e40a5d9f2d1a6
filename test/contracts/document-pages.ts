import type { Collection, Document, DocumentChange, Query, Value } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import fc from '../support/properties.ts'
import type { Cases } from './contract.ts'
import { listedOf, make, type OpenedDocuments, prepareThings, toPosition, unique } from './document-cases.ts'
import { anchorOf, answer, applyChanges, queries, someThings, type Thing } from './document-model.ts'

/** Orders in which a change would move other documents, or that give several documents one place; what is wrong with each. */
const unstable: readonly (readonly [Omit<Collection<Document>, 'name' | 'version'>, RegExp])[] = [
  [{ indexes: [{ fields: ['sub', '-hot'] }] }, /sub -hot: it does not end in id/],
  [{ indexes: [{ fields: ['sub', 'id', '-hot'] }] }, /it does not end in id/],
  [{ indexes: [{ fields: ['sub', '-at'] }], unique: { hot: [] } }, /it does not end in id/],
  [{ indexes: [{ fields: ['kind', '-at'] }], unique: { at: ['sub'] } }, /it does not end in id/],
  [{ indexes: [{ fields: ['sub', '$position', 'id'] }] }, /only a feed of changes/],
  [{ indexes: [{ fields: ['-at', '-$position', '-id'] }] }, /only a feed of changes/],
  [{ indexes: [{ fields: ['sub', '$position'], feed: true }] }, /ends in \$position and id/],
  [{ indexes: [{ fields: ['sub', 'at', 'id'], feed: true }] }, /ends in \$position and id/],
  [{ indexes: [], search: { text: ['title'], filters: [], orders: { new: ['-at'] } } }, /-at: it does not end in id/],
]

/** Listings: filters, orders, pages. */
export const pages: Cases<OpenedDocuments> = {
  'an order that does not end in a field that is unique and never changes is refused': async (t, { documents }) => {
    for (const [declared, message] of unstable)
      await t.throwsAsync(documents.prepare([{ name: unique(), version: 1, ...declared }]), { message })
    await t.notThrowsAsync(
      documents.prepare([{ name: unique(), version: 1, indexes: [{ fields: ['sub', 'kind', '-at'] }], unique: { at: ['sub'] } }]),
    )
  },
  'equality fields select documents, the other fields of the index order them': async (t, { documents }) => {
    const { put, find } = await prepareThings(documents)
    await put(
      make('a', { hot: 1 }),
      make('b', { hot: 2, sub: 'y' }),
      make('c', { hot: 3 }),
      make('d', { hot: 9, listed: false }),
      make('e', { hot: -1.5 }),
    )
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 10 }), 'c b a e')
    t.is(await find({ listed: true, sub: 'x' }, ['-hot', '-id'], { limit: 2 }), 'c a')
    t.is(await find({ listed: false, sub: 'y' }, ['-hot', '-id'], { limit: 2 }), '')
  },
  'an index can be read backwards': async (t, { documents }) => {
    const { put, find } = await prepareThings(documents)
    await put(make('a', { at: 1 }), make('b', { at: 2 }), make('c', { at: 2 }))
    t.is(await find({ sub: 'x' }, ['at', 'id'], { limit: 10 }), 'a b c')
    t.is(await find({ sub: 'x' }, ['-at', '-id'], { limit: 10 }), 'c b a')
  },
  'pages after and before an anchor among ties have no gap and no repetition': async (t, { documents }) => {
    const { put, find } = await prepareThings(documents)
    await put(...'abcdefgh'.split('').map((id) => make(id, { hot: id < 'c' ? 5 : 3 })))
    const where = { listed: true }
    const order = ['-hot', '-id']
    t.is(await find(where, order, { limit: 4 }), 'b a h g')
    t.is(await find(where, order, { limit: 4, after: [3, 'g'] }), 'f e d c')
    t.is(await find(where, order, { limit: 4, after: [3, 'c'] }), '')
    t.is(await find(where, order, { limit: 4, before: [3, 'f'] }), 'b a h g')
    t.is(await find(where, order, { limit: 3, before: [3, 'f'] }), 'a h g')
    t.is(await find(where, order, { limit: 4, before: [5, 'b'] }), '')
  },
  'an anchor can belong to no document': async (t, { documents }) => {
    const { put, find, write, gone } = await prepareThings(documents)
    await put(make('a', { hot: 1 }), make('b', { hot: 2 }), make('c', { hot: 3 }))
    await write(gone('b', 50))
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 5, after: [2, 'b'] }), 'a')
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 5, before: [2, 'b'] }), 'c')
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 5, after: [2.5, ''] }), 'a')
  },
  'an order can mix directions': async (t, { documents }) => {
    const { put, find } = await prepareThings(documents)
    await put(
      make('a', { score: 1, at: 2 }),
      make('b', { score: 1, at: 1 }),
      make('c', { score: 2, at: 9 }),
      make('d', { score: 1, at: 1 }),
    )
    const where = { kind: 'k' }
    const order = ['-score', 'at', 'id']
    t.is(await find(where, order, { limit: 9 }), 'c b d a')
    t.is(await find(where, order, { limit: 9, after: [1, 1, 'b'] }), 'd a')
    t.is(await find(where, order, { limit: 1, before: [1, 2, 'a'] }), 'd')
  },
  'a range restricts the first field of the order, also with an anchor': async (t, { documents }) => {
    const { put, find } = await prepareThings(documents)
    await put(...[0, 1, 2, 3, 4, 5].map((n) => make(`t${n}`, { at: n })))
    t.is(await find({ sub: 'x', at: { gte: 1, lt: 4 } }, ['at', 'id'], { limit: 9 }), 't1 t2 t3')
    t.is(await find({ sub: 'x', at: { gt: 1, lte: 4 } }, ['-at', '-id'], { limit: 9 }), 't4 t3 t2')
    t.is(await find({ sub: 'x', at: { gte: 1, lt: 4 } }, ['at', 'id'], { limit: 9, after: [2, 't2'] }), 't3')
    t.is(await find({ sub: 'x', at: { gte: 1, lt: 4 } }, ['at', 'id'], { limit: 9, before: [99, ''] }), 't1 t2 t3')
  },
  'membership merges the listings of its values in order': async (t, { documents }) => {
    const { put, find } = await prepareThings(documents)
    const all = Array.from({ length: 60 }, (_, i) => make(`t${String(i).padStart(2, '0')}`, { sub: `s${i % 7}`, hot: i % 5 }))
    await put(...all)
    const where = { listed: true, sub: { in: ['s1', 's3', 's6', 's6', 'nobody'] } }
    const expected = all.filter(({ sub }) => ['s1', 's3', 's6'].includes(sub)).sort((a, b) => b.hot - a.hot || (a.id < b.id ? 1 : -1))
    t.is(await find(where, ['-hot', '-id'], { limit: 100 }), listedOf(expected))
    t.is(await find(where, ['-hot', '-id'], { limit: 7 }), listedOf(expected.slice(0, 7)))
    const anchor = anchorOf(['-hot', '-id'], expected[10] ?? {})
    t.is(await find(where, ['-hot', '-id'], { limit: 5, after: anchor }), listedOf(expected.slice(11, 16)))
    t.is(await find(where, ['-hot', '-id'], { limit: 5, before: anchor }), listedOf(expected.slice(5, 10)))
    t.is(await find({ listed: true, sub: { in: [] } }, ['-hot', '-id'], { limit: 5 }), '')
  },
  'a query can name at most 200 values': async (t, { documents }) => {
    const { put, collection } = await prepareThings(documents)
    const subs = Array.from({ length: 201 }, (_, i) => `s${i}`)
    await put(...subs.map((sub, i) => make(`t${i}`, { sub, hot: i })))
    const query = (members: readonly string[]): Query => ({
      where: { listed: true, sub: { in: members } },
      order: ['-hot', '-id'],
      page: { limit: 25 },
    })
    const found = await documents.find(collection, query(subs.slice(0, 200)))
    t.deepEqual(
      found.map(({ hot }) => hot),
      Array.from({ length: 25 }, (_, i) => 199 - i),
    )
    await t.throwsAsync(documents.find(collection, query(subs)))
  },
  'null sorts first, and is found by equality': async (t, { documents }) => {
    const { put, find } = await prepareThings(documents)
    await put(make('a', { rank: 1 }), make('b'), make('c', { rank: 0 }), make('d'))
    t.is(await find({}, ['rank', 'id'], { limit: 9 }), 'b d c a')
    t.is(await find({}, ['rank', 'id'], { limit: 9, after: [null, 'b'] }), 'd c a')
    t.is(await find({}, ['rank', 'id'], { limit: 9, before: [0, 'c'] }), 'b d')
    t.is(await find({ sub: 'x' }, ['-rank', 'id'], { limit: 9, after: [0, 'c'] }), 'b d')
    t.is(await find({ rank: { gte: 0 } }, ['rank', 'id'], { limit: 9 }), 'c a')
  },
  'texts are ordered by their bytes': async (t, { documents }) => {
    const { put, find } = await prepareThings(documents)
    const titles = ['b', 'B', 'é', 'a', '😀', '￿', 'z', '']
    await put(...titles.map((title, i) => make(`t${i}`, { title })))
    const sorted = [...titles].sort((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)))
    t.is(await find({ kind: 'k' }, ['-title', 'id'], { limit: 9 }), sorted.map((title) => `t${titles.indexOf(title)}`).join(' '))
  },
  'documents can be listed by the position of their last change': async (t, { documents }) => {
    const { put, find, write, change } = await prepareThings(documents)
    await put(make('a'), make('b'), make('c'))
    await write(change(make('a', { hot: 1 }), 77))
    t.is(await find({ sub: 'x' }, ['$position', 'id'], { limit: 9 }), 'b c a')
    t.is(await find({ sub: 'x', $position: { gt: toPosition(2) } }, ['$position', 'id'], { limit: 9 }), 'c a')
    t.is(await find({ sub: 'x' }, ['-$position', '-id'], { limit: 9, after: [toPosition(3), 'c'] }), 'b')
  },
  'a query that no declared index serves is refused': async (t, { documents }) => {
    const { collection } = await prepareThings(documents)
    const refused: readonly (readonly [Query['where'], readonly string[]])[] = [
      [{ title: 'x' }, ['id']],
      [{ listed: true }, ['-score', 'id']],
      [{ listed: true, kind: 'k' }, ['-hot', '-id']],
      [{ listed: true }, ['-hot']],
      [{ listed: true }, ['-hot', 'id']],
      [{ listed: true }, []],
      [{ listed: true, id: { gt: 'x' } }, ['-hot', '-id']],
    ]
    for (const [where, order] of refused)
      await t.throwsAsync(documents.find(collection, { where, order, page: { limit: 5 } }), undefined, JSON.stringify(where))
    await t.throwsAsync(
      documents.find({ ...collection, version: 2 }, { where: { listed: true }, order: ['-hot', '-id'], page: { limit: 5 } }),
    )
  },
  'any query over any documents returns the same as a naive search': async (t, { documents }) => {
    const { collection, name } = await prepareThings(documents)
    let from: Position | undefined
    const property = fc.asyncProperty(someThings, fc.array(queries, { minLength: 5, maxLength: 12 }), async (all, asked) => {
      const changes = all.map((document, i): DocumentChange => ({ collection, id: document.id, position: toPosition(i + 1), document }))
      await documents.clear([collection], name)
      await documents.write(changes, { name, from: undefined, to: toPosition(1_000) })
      const model = applyChanges(new Map(), changes)
      for (const query of asked)
        t.is(listedOf(await documents.find(collection, query)), answer(model, query).join(' '), JSON.stringify(query))
      from = toPosition(1_000)
    })
    await fc.assert(property, { numRuns: 60 })
    t.is(from, toPosition(1_000))
  },
  'paging in any size, forwards or backwards, returns every item exactly once': async (t, { documents }) => {
    const { collection, name } = await prepareThings(documents)
    const order = ['-hot', '-id']
    const property = fc.asyncProperty(someThings, fc.integer({ min: 1, max: 7 }), async (all, limit) => {
      await documents.clear([collection], name)
      await documents.write(
        all.map((document, i) => ({ collection, id: document.id, position: toPosition(i + 1), document })),
        { name, from: undefined, to: toPosition(99) },
      )
      const expected = answer(
        applyChanges(
          new Map(),
          all.map((document) => ({ collection, id: document.id, position: toPosition(1), document })),
        ),
        {
          where: { listed: true },
          order,
          page: { limit: 1_000 },
        },
      )
      const walk = async (
        step: (anchor: readonly Value[] | undefined) => Query['page'],
        next: (page: readonly Thing[]) => Thing | undefined,
      ) => {
        const found: (readonly Thing[])[] = []
        for (let anchor: readonly Value[] | undefined; ; ) {
          const page = await documents.find(collection, { where: { listed: true }, order, page: step(anchor) })
          const edge = next(page)
          if (!edge) return found
          found.push(page)
          anchor = anchorOf(order, edge)
        }
      }
      const forwards = await walk(
        (after) => ({ limit, ...(after && { after }) }),
        (page) => page.at(-1),
      )
      const backwards = await walk(
        (before) => ({ limit, before: before ?? [-9, ''] }),
        (page) => page[0],
      )
      t.deepEqual(
        forwards.flat().map(({ id }) => id),
        expected,
      )
      t.deepEqual(
        backwards
          .reverse()
          .flat()
          .map(({ id }) => id),
        expected,
      )
    })
    await fc.assert(property, { numRuns: 30 })
  },
}
