import type { Cases } from './contract.ts'
import { make, type OpenedDocuments, plain, prepareThings, toPosition, unique } from './document-cases.ts'
import { things } from './document-model.ts'

/** Cases of inspections by audits. */
export const inspection: Cases<OpenedDocuments> = {
  'an inspection shows documents and tombstones in the order of their ids, with their positions': async (t, { documents }) => {
    const { collection, put, write, change, gone } = await prepareThings(documents)
    await put(make('a'), make('é'), make('c'), make('b'))
    await write(change(make('c', { hot: 1.5, rank: null, title: 'Leaves' }), 8), gone('b', 9))
    const [first, second, ...others] = await documents.inspect(collection, undefined, 3)
    t.deepEqual(plain(first), plain({ id: 'a', position: toPosition(1), isTombstone: false, document: make('a'), deviations: [] }))
    t.deepEqual(plain(second), plain({ id: 'b', position: toPosition(9), isTombstone: true, document: undefined, deviations: [] }))
    t.deepEqual(
      others.map(({ id, position }) => [id, position]),
      [['c', toPosition(8)]],
    )
    t.deepEqual(
      (await documents.inspect(collection, 'c', 3)).map(({ id, deviations }) => [id, deviations]),
      [['é', []]],
    )
  },
  'an inspection needs no preparation, and a collection that is not there has no rows': async (t, { documents }) => {
    t.deepEqual(await documents.inspect(things(unique()), undefined, 10), [])
  },
  'a prepared collection differs in nothing, whatever was written to it': async (t, { documents }) => {
    const { collection, put, write, change, gone } = await prepareThings(documents)
    await put(make('a', { title: 'Soft water' }), make('b', { title: 'two minutes' }), make('c'))
    await write(change(make('a', { title: 'Hard water' }), 8), gone('b', 9))
    t.deepEqual(
      (await documents.differences([collection])).filter((line) => line.includes(collection.name)),
      [],
    )
  },
  'a collection that was never made is a difference': async (t, { documents }) => {
    const collection = things(unique())
    const found = await documents.differences([collection])
    t.true(
      found.some((line) => line.includes(`${collection.name}_v1`) && /missing/.test(line)),
      found.join('; '),
    )
  },
}
