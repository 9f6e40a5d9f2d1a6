import { randomBytes } from 'node:crypto'
import type { ExecutionContext, TestFn } from 'ava'
import fc from 'fast-check'
import type { Change, Collection, Document, DocumentStore, Query, Value } from '../../src/ports/documents.ts'
import { type Position, START } from '../../src/ports/event-store.ts'
import { type Cases, type Exceptions, type Open, runContract } from './contract.ts'
import { anchorOf, answer, applied, type Model, queries, someThings, type Thing, thing, things } from './document-model.ts'

/** A document store; `served` runs some reads and fails unless an index answered them, alone if `covering`, without a scan or a sort. */
export type OpenedDocuments = {
  readonly documents: DocumentStore
  readonly served?: (
    t: ExecutionContext,
    collection: Collection<Document>,
    covering: boolean,
    reads: (documents: DocumentStore) => Promise<unknown>,
  ) => Promise<void>
}

const unique = (): string => `c${randomBytes(6).toString('hex')}`
const at = (n: number): Position => String(n).padStart(START.length, '0')
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
const listedOf = (documents: readonly Document[]): string => documents.map(({ id }) => id).join(' ')

const base: Omit<Thing, 'id'> = { listed: true, sub: 'x', kind: 'k', hot: 0, score: 0, at: 0, rank: null, title: '' }
const make = (id: string, over: Partial<Thing> = {}): Thing => ({ id, ...base, ...over })

/** A prepared collection of its own, and a writer whose checkpoint moves along. */
const prepared = async (documents: DocumentStore, collection: Collection<Thing> = things(unique())) => {
  await documents.prepare([collection])
  const name = `checkpoint-${collection.name}`
  let from: Position | undefined
  const change = (document: Thing, position: number): Change => ({ collection, id: document.id, position: at(position), document })
  const gone = (id: string, position: number): Change => ({ collection, id, position: at(position), document: undefined })
  const write = async (...changes: readonly Change[]): Promise<void> => {
    const to = at(Number(from ?? 0) + 1_000)
    if ((await documents.write(changes, { name, from, to })) !== 'written') throw new Error('fenced')
    from = to
  }
  const put = (...all: readonly Thing[]): Promise<void> => write(...all.map((document, i) => change(document, i + 1)))
  const find = async (where: Query['where'], order: Query['order'], page: Query['page']): Promise<string> =>
    listedOf(await documents.find(collection, { where, order, page }))
  return { collection, name, change, gone, write, put, find }
}

const pages: Cases<OpenedDocuments> = {
  'equality fields select, the rest of the index orders': async (t, { documents }) => {
    const { put, find } = await prepared(documents)
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
  'an index is also read backwards': async (t, { documents }) => {
    const { put, find } = await prepared(documents)
    await put(make('a', { at: 1 }), make('b', { at: 2 }), make('c', { at: 2 }))
    t.is(await find({ sub: 'x' }, ['at', 'id'], { limit: 10 }), 'a b c')
    t.is(await find({ sub: 'x' }, ['-at', '-id'], { limit: 10 }), 'c b a')
  },
  'pages after and before an anchor in the midst of ties meet without gap or repetition': async (t, { documents }) => {
    const { put, find } = await prepared(documents)
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
  'an anchor need not belong to any document': async (t, { documents }) => {
    const { put, find, write, gone } = await prepared(documents)
    await put(make('a', { hot: 1 }), make('b', { hot: 2 }), make('c', { hot: 3 }))
    await write(gone('b', 50))
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 5, after: [2, 'b'] }), 'a')
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 5, before: [2, 'b'] }), 'c')
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 5, after: [2.5, ''] }), 'a')
  },
  'an order may mix directions': async (t, { documents }) => {
    const { put, find } = await prepared(documents)
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
  'a range cuts the first field of the order, together with an anchor': async (t, { documents }) => {
    const { put, find } = await prepared(documents)
    await put(...[0, 1, 2, 3, 4, 5].map((n) => make(`t${n}`, { at: n })))
    t.is(await find({ sub: 'x', at: { gte: 1, lt: 4 } }, ['at', 'id'], { limit: 9 }), 't1 t2 t3')
    t.is(await find({ sub: 'x', at: { gt: 1, lte: 4 } }, ['-at', '-id'], { limit: 9 }), 't4 t3 t2')
    t.is(await find({ sub: 'x', at: { gte: 1, lt: 4 } }, ['at', 'id'], { limit: 9, after: [2, 't2'] }), 't3')
    t.is(await find({ sub: 'x', at: { gte: 1, lt: 4 } }, ['at', 'id'], { limit: 9, before: [99, ''] }), 't1 t2 t3')
  },
  'membership merges the listings of its values in order': async (t, { documents }) => {
    const { put, find } = await prepared(documents)
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
  'up to 200 values may be asked for at once, and no more': async (t, { documents }) => {
    const { put, collection } = await prepared(documents)
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
    const { put, find } = await prepared(documents)
    await put(make('a', { rank: 1 }), make('b'), make('c', { rank: 0 }), make('d'))
    t.is(await find({}, ['rank', 'id'], { limit: 9 }), 'b d c a')
    t.is(await find({}, ['rank', 'id'], { limit: 9, after: [null, 'b'] }), 'd c a')
    t.is(await find({}, ['rank', 'id'], { limit: 9, before: [0, 'c'] }), 'b d')
    t.is(await find({ sub: 'x' }, ['-rank', 'id'], { limit: 9, after: [0, 'c'] }), 'b d')
    t.is(await find({ rank: { gte: 0 } }, ['rank', 'id'], { limit: 9 }), 'c a')
  },
  'texts are ordered by their bytes': async (t, { documents }) => {
    const { put, find } = await prepared(documents)
    const titles = ['b', 'B', 'é', 'a', '😀', '￿', 'z', '']
    await put(...titles.map((title, i) => make(`t${i}`, { title })))
    const sorted = [...titles].sort((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)))
    t.is(await find({ kind: 'k' }, ['-title', 'id'], { limit: 9 }), sorted.map((title) => `t${titles.indexOf(title)}`).join(' '))
  },
  'documents can be listed by the position of their last change': async (t, { documents }) => {
    const { put, find, write, change } = await prepared(documents)
    await put(make('a'), make('b'), make('c'))
    await write(change(make('a', { hot: 1 }), 77))
    t.is(await find({ sub: 'x' }, ['$position', 'id'], { limit: 9 }), 'b c a')
    t.is(await find({ sub: 'x', $position: { gt: at(2) } }, ['$position', 'id'], { limit: 9 }), 'c a')
    t.is(await find({ sub: 'x' }, ['-$position', '-id'], { limit: 9, after: [at(3), 'c'] }), 'b')
  },
  'what no declared index serves is refused': async (t, { documents }) => {
    const { collection } = await prepared(documents)
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
  'any query over any documents answers as a naive search of everything would': async (t, { documents }) => {
    const { collection, name } = await prepared(documents)
    let from: Position | undefined
    const property = fc.asyncProperty(someThings, fc.array(queries, { minLength: 5, maxLength: 12 }), async (all, asked) => {
      const changes = all.map((document, i): Change => ({ collection, id: document.id, position: at(i + 1), document }))
      await documents.clear([collection], name)
      await documents.write(changes, { name, from: undefined, to: at(1_000) })
      const model = applied(new Map(), changes)
      for (const query of asked)
        t.is(listedOf(await documents.find(collection, query)), answer(model, query).join(' '), JSON.stringify(query))
      from = at(1_000)
    })
    await fc.assert(property, { numRuns: 60 })
    t.is(from, at(1_000))
  },
  'walking in pages of any size, forwards or backwards, meets every item exactly once': async (t, { documents }) => {
    const { collection, name } = await prepared(documents)
    const order = ['-hot', '-id']
    const property = fc.asyncProperty(someThings, fc.integer({ min: 1, max: 7 }), async (all, limit) => {
      await documents.clear([collection], name)
      await documents.write(
        all.map((document, i) => ({ collection, id: document.id, position: at(i + 1), document })),
        { name, from: undefined, to: at(99) },
      )
      const expected = answer(
        applied(
          new Map(),
          all.map((document) => ({ collection, id: document.id, position: at(1), document })),
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

const reads: Cases<OpenedDocuments> = {
  'many documents are fetched by id; those that do not exist are left out': async (t, { documents }) => {
    const { collection, put } = await prepared(documents)
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
  'a thousand ids may be asked for at once, and no more': async (t, { documents }) => {
    const { collection, put } = await prepared(documents)
    await put(make('t7'))
    const ids = Array.from({ length: 1_001 }, (_, i) => `t${i}`)
    t.is((await documents.getMany(collection, ids.slice(0, 1_000))).size, 1)
    await t.throwsAsync(documents.getMany(collection, ids))
  },
  'documents handed out are frozen, and the same object while they do not change': async (t, { documents }) => {
    const { collection, put, write, change } = await prepared(documents)
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
  'frozen means all the way down': async (t, { documents }) => {
    type Nested = Document & { readonly inner: { readonly list: readonly { readonly n: number }[] } }
    const collection: Collection<Nested> = { name: unique(), version: 1, indexes: [] }
    await documents.prepare([collection])
    const document: Nested = { id: 'a', inner: { list: [{ n: 1 }] } }
    await documents.write([{ collection, id: 'a', position: at(1), document }], { name: collection.name, from: undefined, to: at(1) })
    const found = (await documents.getMany(collection, ['a'])).get('a')
    t.deepEqual(plain(found), document)
    t.true(Object.isFrozen(found?.inner.list[0]) && Object.isFrozen(found?.inner.list) && Object.isFrozen(found?.inner))
  },
  'selected fields come from the index, with their types': async (t, { documents }) => {
    const { collection, put } = await prepared(documents)
    await put(make('a', { title: 'one', hot: 0.25, rank: 4 }), make('b', { title: 'two', score: -1 }))
    const query: Query = { where: { listed: true }, order: ['-hot', '-id'], page: { limit: 9 } }
    t.deepEqual(await documents.select(collection, query, ['id', 'listed', 'hot', 'title', 'rank']), [
      { id: 'a', listed: true, hot: 0.25, title: 'one', rank: 4 },
      { id: 'b', listed: true, hot: 0, title: 'two', rank: null },
    ])
    t.deepEqual(await documents.select(collection, { ...query, where: { sub: 'x' }, order: ['$position', 'id'] }, ['$position', 'id']), [
      { $position: at(1), id: 'a' },
      { $position: at(2), id: 'b' },
    ])
    await t.throwsAsync(documents.select(collection, query, ['kind']))
  },
  'a selection pages and merges like a listing': async (t, { documents }) => {
    const { collection, put } = await prepared(documents)
    await put(...'abcdef'.split('').map((id, i) => make(id, { sub: i % 2 ? 'x' : 'y', hot: i })))
    const where = { listed: true, sub: { in: ['x', 'y'] } }
    const page = { limit: 2, after: [4, 'e'] }
    t.deepEqual(await documents.select(collection, { where, order: ['-hot', '-id'], page }, ['id', 'hot']), [
      { id: 'd', hot: 3 },
      { id: 'c', hot: 2 },
    ])
  },
  'counting goes no further than it is told': async (t, { documents }) => {
    const { collection, put, write, gone } = await prepared(documents)
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
  'a collection can be walked in bytewise order of its ids': async (t, { documents }) => {
    const { collection, put, write, gone } = await prepared(documents)
    await put(...['b', 'a', 'B', 'aa', 'é', 'z', 'gone'].map((id) => make(id)))
    await write(gone('gone', 99))
    t.is(listedOf(await documents.walk(collection, undefined, 3)), 'B a aa')
    t.is(listedOf(await documents.walk(collection, 'aa', 3)), 'b z é')
    t.is(listedOf(await documents.walk(collection, 'é', 3)), '')
    t.true((await documents.walk(collection, undefined, 9)).every(Object.isFrozen))
  },
  'every kind of query is served by its index': async (t, opened) => {
    const { documents, served } = opened
    const { collection, put } = await prepared(documents)
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

const writes: Cases<OpenedDocuments> = {
  'a change moves a document in every listing it is in': async (t, { documents }) => {
    const { find, put, write, change } = await prepared(documents)
    await put(make('a', { hot: 1 }), make('b', { hot: 2 }))
    await write(change(make('a', { hot: 3 }), 10), change(make('b', { hot: 2, listed: false }), 11))
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'a')
    t.is(await find({ listed: false }, ['-hot', '-id'], { limit: 9 }), 'b')
    t.is(await find({ listed: true, sub: 'x' }, ['-hot', '-id'], { limit: 9, after: [2.5, ''] }), '')
  },
  'a change that is not newer than its document does nothing': async (t, { documents }) => {
    const { collection, put, write, change, find } = await prepared(documents)
    await put(make('a', { title: 'first' }))
    await write(change(make('a', { title: 'newer' }), 20))
    await write(change(make('a', { title: 'older' }), 19), change(make('a', { title: 'the same' }), 20))
    t.is((await documents.getMany(collection, ['a'])).get('a')?.title, 'newer')
    await write(
      change(make('a', { title: 'one' }), 30),
      change(make('a', { title: 'two', hot: 7 }), 31),
      change(make('a', { title: 'zero' }), 29),
    )
    t.is((await documents.getMany(collection, ['a'])).get('a')?.title, 'two')
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'a')
  },
  'a tombstone hides its document everywhere, and redelivery cannot bring it back': async (t, { documents }) => {
    const { collection, put, write, change, gone, find } = await prepared(documents)
    await put(make('a'), make('b'))
    await write(gone('a', 50))
    t.is((await documents.getMany(collection, ['a', 'b'])).size, 1)
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'b')
    await write(change(make('a'), 1), change(make('a'), 50))
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'b')
    await write(change(make('a', { title: 'back' }), 51))
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'b a')
    await write(gone('never', 60))
    await write(change(make('never'), 59))
    t.is((await documents.getMany(collection, ['never'])).size, 0)
  },
  'loading shows documents and tombstones with their positions': async (t, { documents }) => {
    const { collection, put, write, change, gone } = await prepared(documents)
    await put(make('a'), make('b'))
    await write(change(make('b', { hot: 1 }), 8), gone('a', 9))
    const found = await documents.load(collection, ['a', 'b', 'nobody'])
    t.deepEqual(
      plain(Object.fromEntries(found)),
      plain({ a: { position: at(9), document: undefined }, b: { position: at(8), document: make('b', { hot: 1 }) } }),
    )
  },
  'tombstones are swept up to a position, documents stay': async (t, { documents }) => {
    const { collection, put, write, gone } = await prepared(documents)
    await put(make('a'), make('b'), make('c'))
    await write(gone('a', 10), gone('b', 20))
    await documents.sweep(collection, at(10))
    t.deepEqual([...(await documents.load(collection, ['a', 'b', 'c'])).keys()].sort(), ['b', 'c'])
  },
  'a checkpoint moves with the changes, and only from where it was thought to be': async (t, { documents }) => {
    const { collection, change } = await prepared(documents)
    const name = unique()
    t.is(await documents.checkpoint(name), undefined)
    t.is(await documents.write([change(make('a'), 1)], { name, from: undefined, to: at(5) }), 'written')
    t.is(await documents.checkpoint(name), at(5))
    t.is(await documents.write([], { name, from: undefined, to: at(6) }), 'fenced')
    t.is(await documents.write([], { name, from: at(4), to: at(6) }), 'fenced')
    t.is(await documents.write([], { name: unique(), from: at(4), to: at(6) }), 'fenced')
    t.is(await documents.checkpoint(name), at(5))
    t.is(await documents.write([change(make('b'), 6)], { name, from: at(5), to: at(9) }), 'written')
    t.is(await documents.checkpoint(name), at(9))
    t.is((await documents.getMany(collection, ['a', 'b'])).size, 2)
  },
  'several checkpoints move together, and the batch counts only if all of them stood where they were thought to': async (
    t,
    { documents },
  ) => {
    const { collection, change } = await prepared(documents)
    const [one, two, other] = [unique(), unique(), unique()]
    t.is((await documents.checkpoints([one, two])).size, 0)
    const first = [
      { name: one, from: undefined, to: at(5) },
      { name: two, from: undefined, to: at(6) },
    ]
    t.is(await documents.write([change(make('a'), 1)], first), 'written')
    t.deepEqual(
      [...(await documents.checkpoints([two, other, one]))].sort(([, x], [, y]) => (x < y ? -1 : 1)),
      [
        [one, at(5)],
        [two, at(6)],
      ],
    )
    const wrong = [
      { name: one, from: at(5), to: at(9) },
      { name: two, from: at(5), to: at(9) },
    ]
    t.is(await documents.write([change(make('b'), 7)], wrong), 'fenced')
    t.is((await documents.getMany(collection, ['a', 'b'])).size, 1)
    const right = [
      { name: one, from: at(5), to: at(9) },
      { name: two, from: at(6), to: at(9) },
      { name: other, from: undefined, to: at(9) },
    ]
    t.is(await documents.write([change(make('b'), 7)], right), 'written')
    t.deepEqual([...(await documents.checkpoints([one, two, other])).values()], [at(9), at(9), at(9)])
  },
  'of two that move one checkpoint at once, one is fenced': async (t, { documents }) => {
    const { change } = await prepared(documents)
    const name = unique()
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((n) => documents.write([change(make('a'), n)], { name, from: undefined, to: at(n) })),
    )
    t.deepEqual(outcomes.sort(), ['fenced', 'fenced', 'fenced', 'written'])
  },
  'a fenced batch writes nothing': async (t, { documents }) => {
    const { collection, change, gone, put } = await prepared(documents)
    await put(make('a'), make('b'))
    t.is(
      await documents.write([change(make('a', { hot: 1 }), 90), gone('b', 91), change(make('c'), 92)], {
        name: unique(),
        from: at(1),
        to: at(2),
      }),
      'fenced',
    )
    const found = await documents.getMany(collection, ['a', 'b', 'c'])
    t.deepEqual(
      [...found.values()].map(plain).sort((x, y) => (x.id < y.id ? -1 : 1)),
      [make('a'), make('b')],
    )
  },
  'a batch that fails leaves nothing behind': async (t, { documents }) => {
    const { collection, change, put, find } = await prepared(documents)
    const name = unique()
    await put(make('a', { hot: 1 }))
    const broken = { ...make('b'), hot: { not: 'a value' } } as unknown as Thing
    await t.throwsAsync(documents.write([change(make('a', { hot: 5 }), 90), change(broken, 91)], { name, from: undefined, to: at(1) }))
    t.is(await documents.checkpoint(name), undefined)
    t.is((await documents.getMany(collection, ['a'])).get('a')?.hot, 1)
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'a')
  },
  'clearing forgets documents, tombstones and the checkpoint, and nothing of others': async (t, { documents }) => {
    const mine = await prepared(documents)
    const other = await prepared(documents)
    await mine.put(make('a'), make('b'))
    await mine.write(mine.gone('b', 99))
    await other.put(make('a'))
    const before = (await documents.getMany(mine.collection, ['a'])).get('a')
    await documents.clear([mine.collection], mine.name)
    t.is((await documents.load(mine.collection, ['a', 'b'])).size, 0)
    t.is(await documents.checkpoint(mine.name), undefined)
    t.is((await documents.getMany(other.collection, ['a'])).size, 1)
    await documents.write([mine.change(make('a', { title: 'rebuilt' }), 1)], { name: mine.name, from: undefined, to: at(1) })
    const after = (await documents.getMany(mine.collection, ['a'])).get('a')
    t.is(before?.title, '')
    t.is(after?.title, 'rebuilt')
  },
  'preparing again keeps what is there': async (t, { documents }) => {
    const { collection, put, find } = await prepared(documents)
    await put(make('a'))
    await documents.prepare([collection])
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'a')
  },
  'a collection may be filled before its indexes are made': async (t, { documents }) => {
    const collection = things(unique())
    await documents.prepare([collection], 'later')
    const change = (document: Thing, position: number): Change => ({ collection, id: document.id, position: at(position), document })
    await documents.write([change(make('a', { hot: 1 }), 1), change(make('b', { hot: 2 }), 2)], {
      name: collection.name,
      from: undefined,
      to: at(2),
    })
    await documents.write([change(make('a', { hot: 3 }), 3)], { name: collection.name, from: at(2), to: at(3) })
    t.is((await documents.load(collection, ['a', 'b'])).size, 2)
    await documents.prepare([collection])
    t.is(listedOf(await documents.find(collection, { where: { listed: true }, order: ['-hot', '-id'], page: { limit: 9 } })), 'a b')
  },
  'versions of a collection are apart': async (t, { documents }) => {
    const { collection, put } = await prepared(documents)
    const next: Collection<Thing> = { ...collection, version: 2 }
    await documents.prepare([next])
    await put(make('a'))
    t.is((await documents.getMany(next, ['a'])).size, 0)
    t.is((await documents.getMany(collection, ['a'])).size, 1)
  },
  'any history, with repetitions and late arrivals, leaves what a naive store would hold': async (t, { documents }) => {
    const { collection, name } = await prepared(documents)
    const id = fc.integer({ min: 0, max: 5 }).map((n) => `t${n}`)
    const step = id.chain((at) =>
      fc.record({ id: fc.constant(at), position: fc.integer({ min: 1, max: 30 }), document: fc.option(thing(at), { nil: undefined }) }),
    )
    const property = fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 6 }), async (batches) => {
      await documents.clear([collection], name)
      const model: Model = new Map()
      let from: Position | undefined
      for (const [i, batch] of batches.entries()) {
        const changes = batch.map(({ id, position, document }): Change => ({ collection, id, position: at(position), document }))
        t.is(await documents.write(changes, { name, from, to: at(i + 1) }), 'written')
        from = at(i + 1)
        applied(model, changes)
      }
      const held = await documents.load(collection, ['t0', 't1', 't2', 't3', 't4', 't5'])
      t.deepEqual(plain([...held].sort()), plain([...model].sort()))
      for (const query of [
        { where: { listed: true }, order: ['-hot', '-id'], page: { limit: 9 } },
        { where: { sub: 'x' }, order: ['$position', 'id'], page: { limit: 9 } },
      ])
        t.is(listedOf(await documents.find(collection, query)), answer(model, query).join(' '))
    })
    await fc.assert(property, { numRuns: 50 })
  },
}

type Post = Document & {
  readonly title: string
  readonly text?: string
  readonly sub: string
  readonly nsfw: boolean
  readonly at: number
  readonly score: number
}

const posts = (): Collection<Post> => ({
  name: unique(),
  version: 1,
  indexes: [{ fields: ['sub', '-id'] }],
  search: { text: ['title', 'text'], filters: ['sub', 'nsfw'], orders: { new: ['-at', '-id'], top: ['-score', '-id'] } },
})

const searches: Cases<OpenedDocuments> = {
  'every term is required, without regard to case and diacritics, in any text field': async (t, { documents }) => {
    const { search } = await written(documents)
    t.is(await search('tea'), 'a b c')
    t.is(await search('TEA cérémonie'), 'a b')
    t.is(await search('zolw'), '')
    t.is(await search('cafe'), 'b d')
    t.is(await search('tea coffee'), '')
    t.is(await search('nothing'), '')
    t.is(await search('te'), '', 'no prefixes')
    t.is(await search('teas'), '', 'no stemming')
  },
  'whatever a user types is text, never syntax': async (t, { documents }) => {
    const { search } = await written(documents)
    for (const terms of [
      '"',
      'tea AND',
      '-tea',
      'tea*',
      'title:tea',
      '(tea',
      'tea NEAR(',
      "'; DROP TABLE",
      '$',
      '{"a":1}',
      '\\',
      'a\0b',
      '"tea" "',
    ])
      await t.notThrowsAsync(search(terms), terms)
    t.is(await search(''), '')
    t.is(await search('  " -- * '), '')
    t.is(await search('tea and'), '', 'a word like any other')
    t.is(await search('"tea" (ceremonie)'), 'a b')
  },
  'filters are equality': async (t, { documents }) => {
    const { search } = await written(documents)
    t.is(await search('tea', { sub: 'drinks' }), 'a c')
    t.is(await search('tea', { sub: 'drinks', nsfw: true }), 'c')
    t.is(await search('tea', { nsfw: false }), 'a b')
  },
  'declared orders are exact, and are cut by offset and limit': async (t, { documents }) => {
    const { search, collection } = await written(documents)
    t.is(await search('tea', {}, 'new'), 'c b a')
    t.is(await search('tea', {}, 'top'), 'c a b')
    t.is(await search('tea', {}, 'top', 1, 1), 'a')
    t.is(await search('tea', {}, 'top', 5, 3), '')
    await t.throwsAsync(documents.search(collection, { terms: 'tea', where: {}, order: 'sideways', limit: 5, offset: 0 }))
    await t.throwsAsync(documents.search(collection, { terms: 'tea', where: { at: 1 }, order: 'new', limit: 5, offset: 0 }))
  },
  'a search follows every change': async (t, { documents }) => {
    const { search, collection, name, write } = await written(documents)
    await write([
      ['a', 100, { id: 'a', title: 'Water', sub: 'drinks', nsfw: false, at: 1, score: 2 }],
      ['b', 101, undefined],
    ])
    t.is(await search('tea'), 'c')
    t.is(await search('water'), 'a')
    await write([['a', 102, { id: 'a', title: 'Water', sub: 'drinks', nsfw: false, at: 1, score: 50 }]])
    t.is(await search('water'), 'a')
    await write([['b', 103, { id: 'b', title: 'water again', sub: 'drinks', nsfw: false, at: 9, score: 0 }]])
    t.is(await search('water', {}, 'top'), 'a b')
    await documents.clear([collection], name)
    t.is(await search('water'), '')
  },
}

const written = async (documents: DocumentStore) => {
  const collection = posts()
  await documents.prepare([collection])
  let from: Position | undefined
  const write = async (changes: readonly (readonly [string, number, Post | undefined])[]): Promise<void> => {
    const to = at(Number(from ?? 0) + 1_000)
    await documents.write(
      changes.map(([id, position, document]) => ({ collection, id, position: at(position), document })),
      { name: collection.name, from, to },
    )
    from = to
  }
  await write([
    ['a', 1, { id: 'a', title: 'The Tea Ceremonie', text: 'slowly', sub: 'drinks', nsfw: false, at: 1, score: 2 }],
    ['b', 2, { id: 'b', title: 'Cérémonie du thé', text: 'tea, or café?', sub: 'france', nsfw: false, at: 2, score: 1 }],
    ['c', 3, { id: 'c', title: 'tea, tea; TEA!', sub: 'drinks', nsfw: true, at: 3, score: 9 }],
    ['d', 4, { id: 'd', title: 'cafe', text: 'Coffee', sub: 'drinks', nsfw: false, at: 4, score: 5 }],
  ])
  const search = async (
    terms: string,
    where: Readonly<Record<string, Value>> = {},
    order = 'relevance',
    limit = 10,
    offset = 0,
  ): Promise<string> => {
    const found = (await documents.search(collection, { terms, where, order, limit, offset })).map(({ id }) => id)
    return (order === 'relevance' ? found.sort() : found).join(' ')
  }
  return { collection, name: collection.name, search, write }
}

/** The definition of the document store port. */
export const documentsContract = (test: TestFn, name: string, open: Open<OpenedDocuments>, exceptions: Exceptions = {}): void =>
  runContract(test, name, { ...pages, ...reads, ...writes, ...searches }, open, exceptions)
