import type { Collection, DocumentChange } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import fc from '../support/properties.ts'
import type { Cases } from './contract.ts'
import { listedOf, make, type OpenedDocuments, plain, prepareThings, toPosition, unique } from './document-cases.ts'
import { answer, applyChanges, arbitraryThing, type Model, type Thing, things } from './document-model.ts'

/** Changes, tombstones, collections. */
export const writes: Cases<OpenedDocuments> = {
  'a change moves a document in every listing it is in': async (t, { documents }) => {
    const { find, put, write, change } = await prepareThings(documents)
    await put(make('a', { hot: 1 }), make('b', { hot: 2 }))
    await write(change(make('a', { hot: 3 }), 10), change(make('b', { hot: 2, listed: false }), 11))
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'a')
    t.is(await find({ listed: false }, ['-hot', '-id'], { limit: 9 }), 'b')
    t.is(await find({ listed: true, sub: 'x' }, ['-hot', '-id'], { limit: 9, after: [2.5, ''] }), '')
  },
  'a change that is not newer than its document does nothing': async (t, { documents }) => {
    const { collection, put, write, change, find } = await prepareThings(documents)
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
    const { collection, put, write, change, gone, find } = await prepareThings(documents)
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
  'loading returns documents and tombstones with their positions': async (t, { documents }) => {
    const { collection, put, write, change, gone } = await prepareThings(documents)
    await put(make('a'), make('b'))
    await write(change(make('b', { hot: 1 }), 8), gone('a', 9))
    const found = await documents.load(collection, ['a', 'b', 'nobody'])
    t.deepEqual(
      plain(Object.fromEntries(found)),
      plain({ a: { position: toPosition(9), document: undefined }, b: { position: toPosition(8), document: make('b', { hot: 1 }) } }),
    )
  },
  'tombstones are swept up to a position, documents stay': async (t, { documents }) => {
    const { collection, put, write, gone } = await prepareThings(documents)
    await put(make('a'), make('b'), make('c'))
    await write(gone('a', 10), gone('b', 20))
    t.is(await documents.sweep(collection, toPosition(10), 100), 1)
    t.deepEqual([...(await documents.load(collection, ['a', 'b', 'c'])).keys()].sort(), ['b', 'c'])
    t.is(await documents.sweep(collection, toPosition(10), 100), 0)
  },
  'a sweep removes at most the given number of tombstones': async (t, { documents }) => {
    const { collection, write, gone } = await prepareThings(documents)
    await write(...'abcdefg'.split('').map((id, i) => gone(id, i + 1)))
    t.is(await documents.sweep(collection, toPosition(6), 4), 4)
    t.is((await documents.load(collection, 'abcdefg'.split(''))).size, 3)
    t.is(await documents.sweep(collection, toPosition(6), 4), 2)
    t.deepEqual([...(await documents.load(collection, 'abcdefg'.split(''))).keys()], ['g'])
  },
  'obsolete collections are listed by name, and can be dropped': async (t, { documents }) => {
    const { collection, put, write, gone } = await prepareThings(documents)
    const next: Collection<Thing> = { ...collection, version: 2 }
    const other = await prepareThings(documents)
    await documents.prepare([next])
    await put(make('a'), make('b'))
    await write(gone('b', 50))
    await other.put(make('a'))
    const mine = (names: readonly string[]) => names.filter((name) => name.startsWith(collection.name))
    t.deepEqual(mine(await documents.obsolete([collection, next, other.collection])), [])
    t.deepEqual(mine(await documents.obsolete([next, other.collection])), [`${collection.name}_v1`])
    await documents.drop(`${collection.name}_v1`)
    await documents.drop(`${collection.name}_v1`)
    t.deepEqual(mine(await documents.obsolete([])), [`${collection.name}_v2`])
    t.is((await documents.getMany(other.collection, ['a'])).size, 1)
    await documents.prepare([collection])
    t.is((await documents.load(collection, ['a', 'b'])).size, 0, 'made again, it is empty')
    await documents.write([{ collection, id: 'a', position: toPosition(1), document: make('a', { title: 'new' }) }], [])
    t.is((await documents.getMany(collection, ['a'])).get('a')?.title, 'new')
  },
  'clearing a collection deletes its documents, tombstones and checkpoint, and nothing of others': async (t, { documents }) => {
    const mine = await prepareThings(documents)
    const other = await prepareThings(documents)
    await mine.put(make('a'), make('b'))
    await mine.write(mine.gone('b', 99))
    await other.put(make('a'))
    const before = (await documents.getMany(mine.collection, ['a'])).get('a')
    await documents.clear([mine.collection], mine.name)
    t.is((await documents.load(mine.collection, ['a', 'b'])).size, 0)
    t.is(await documents.checkpoint(mine.name), undefined)
    t.is((await documents.getMany(other.collection, ['a'])).size, 1)
    await documents.write([mine.change(make('a', { title: 'rebuilt' }), 1)], { name: mine.name, from: undefined, to: toPosition(1) })
    const after = (await documents.getMany(mine.collection, ['a'])).get('a')
    t.is(before?.title, '')
    t.is(after?.title, 'rebuilt')
  },
  'preparing a collection again keeps its documents': async (t, { documents }) => {
    const { collection, put, find } = await prepareThings(documents)
    await put(make('a'))
    await documents.prepare([collection])
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'a')
  },
  'a collection can be filled before its indexes are built': async (t, { documents }) => {
    const collection = things(unique())
    await documents.prepare([collection], 'later')
    const change = (document: Thing, position: number): DocumentChange => ({
      collection,
      id: document.id,
      position: toPosition(position),
      document,
    })
    await documents.write([change(make('a', { hot: 1 }), 1), change(make('b', { hot: 2 }), 2)], {
      name: collection.name,
      from: undefined,
      to: toPosition(2),
    })
    await documents.write([change(make('a', { hot: 3 }), 3)], { name: collection.name, from: toPosition(2), to: toPosition(3) })
    t.is((await documents.load(collection, ['a', 'b'])).size, 2)
    await documents.prepare([collection])
    t.is(listedOf(await documents.find(collection, { where: { listed: true }, order: ['-hot', '-id'], page: { limit: 9 } })), 'a b')
  },
  'versions of a collection are separate': async (t, { documents }) => {
    const { collection, put } = await prepareThings(documents)
    const next: Collection<Thing> = { ...collection, version: 2 }
    await documents.prepare([next])
    await put(make('a'))
    t.is((await documents.getMany(next, ['a'])).size, 0)
    t.is((await documents.getMany(collection, ['a'])).size, 1)
  },
  'any history, with repetitions and late arrivals, leaves the documents of a naive store': async (t, { documents }) => {
    const { collection, name } = await prepareThings(documents)
    const id = fc.integer({ min: 0, max: 5 }).map((n) => `t${n}`)
    const step = id.chain((at) =>
      fc.record({
        id: fc.constant(at),
        position: fc.integer({ min: 1, max: 30 }),
        document: fc.option(arbitraryThing(at), { nil: undefined }),
      }),
    )
    const property = fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 6 }), async (batches) => {
      await documents.clear([collection], name)
      const model: Model = new Map()
      let from: Position | undefined
      for (const [i, batch] of batches.entries()) {
        const changes = batch.map(
          ({ id, position, document }): DocumentChange => ({ collection, id, position: toPosition(position), document }),
        )
        t.is(await documents.write(changes, { name, from, to: toPosition(i + 1) }), 'written')
        from = toPosition(i + 1)
        applyChanges(model, changes)
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
