import test from 'ava'
import { MongoClient } from 'mongodb'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import type { CheckpointMove, DocumentChange } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import { documentServer } from '../support/document-server.ts'
import { make, prepareThings, toPosition, unique } from './document-cases.ts'

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB: records of batches are not tried: ${server}`, (t) => t.pass())
else {
  test('a batch is recorded before its checkpoints move, and read with them', async (t) => {
    const { documents, close } = await openMongo({ url: server.freshUrl() })
    t.teardown(async () => {
      await close()
      await server.stop()
    })
    const { collection, change } = await prepareThings(documents)
    const [a, b] = [unique(), unique()]
    const batch = (moves: readonly CheckpointMove[], changes: readonly DocumentChange[], ...rewritten: readonly string[]) =>
      documents.write(
        changes,
        moves,
        undefined,
        rewritten.map((id) => ({ collection, id })),
      )
    const move = (name: string, from: number | undefined, to: number): CheckpointMove => ({
      name,
      from: from === undefined ? undefined : toPosition(from),
      to: toPosition(to),
    })
    const since = async (...places: readonly (readonly [string, number])[]) => {
      const beyond = new Map<string, Position>(places.map(([name, position]) => [name, toPosition(position)]))
      const { positions, records } = await documents.progress([a, b], beyond)
      return {
        at: [a, b].map((name) => Number(positions.get(name))),
        ids: records?.map(({ ids }) => ids.get(collection.name)?.join(' ') ?? '').toSorted(),
      }
    }

    await batch([move(a, undefined, 1), move(b, undefined, 1)], [change(make('x'), 1)])
    t.deepEqual(await since([a, 1], [b, 1]), { at: [1, 1], ids: [] }, 'a batch that makes its checkpoints is not recorded')
    await batch([move(a, 1, 2), move(b, 1, 2)], [change(make('x'), 2), change(make('y'), 2)])
    await batch([move(a, 2, 3)], [change(make('z'), 3)], 'w')
    await documents.write([change(make('x'), 4)], { name: unique(), from: undefined, to: toPosition(4) })
    t.deepEqual(await since([a, 1], [b, 1]), { at: [3, 2], ids: ['x y', 'z w'] })
    t.deepEqual(await since([a, 2], [b, 2]), { at: [3, 2], ids: ['z w'] })
    t.deepEqual(await since([a, 3], [b, 2]), { at: [3, 2], ids: [] })
    t.deepEqual(await since(), { at: [3, 2], ids: [] })

    const { records } = await documents.progress([a, b], new Map([[a, toPosition(2)]]))
    t.deepEqual(records?.[0]?.moves, [move(a, 2, 3)])

    t.is(await batch([move(a, 1, 9)], []), 'fenced')
    t.deepEqual(await since([a, 3], [b, 2]), { at: [3, 2], ids: [] }, 'a writer that knows before it writes that it is fenced')
    await batch([move(b, 2, 5)], [])
    t.deepEqual((await since([b, 2])).ids, [''], 'a batch without documents, too')

    for (let n = 5; n < 106; n++) await batch([move(b, n, n + 1)], [])
    t.is((await since([b, 5])).ids, undefined, 'too many')
    t.is((await since([b, 7])).ids?.length, 99)
  })

  test('the last batch of few documents is read with its checkpoints alone, also if it moved several', async (t) => {
    const url = server.freshUrl()
    const { documents, close } = await openMongo({ url })
    const client = new MongoClient(url)
    t.teardown(async () => {
      await client.close()
      await close()
    })
    const { collection, change } = await prepareThings(documents)
    const names = [unique(), unique(), unique()]
    const move = async (some: readonly string[], from: number, to: number, count: number) => {
      const ids = Array.from({ length: count }, (_, n) => `${to} ${n}`)
      const moves = some.map((name): CheckpointMove => ({ name, from: toPosition(from), to: toPosition(to) }))
      await documents.write(
        ids.map((id) => change(make(id), to)),
        moves,
        undefined,
        [],
      )
      await client.db().collection('changes').deleteMany({})
    }
    const since = async (...places: readonly number[]) => {
      const beyond = new Map(places.map((place, n) => [names[n] ?? '', toPosition(place)]))
      return (await documents.progress(names, beyond)).records?.map(({ ids }) => ids.get(collection.name)?.length).toSorted()
    }
    for (const name of names) await documents.write([], { name, from: undefined, to: toPosition(1) })
    await move(names, 1, 2, 3)
    t.deepEqual(await since(1, 1, 1), [3])
    t.deepEqual(await since(2, 1, 2), [3], 'of one of them')
    t.deepEqual(await since(2, 2, 2), [])
    await move(names.slice(0, 2), 2, 3, 1)
    await move(names.slice(2), 2, 3, 2)
    t.deepEqual(await since(2, 2, 2), [1, 2], 'by two workers')
    t.deepEqual(await since(1, 1, 1), [], 'an earlier one only in the collection of records')
    await move(names, 3, 4, 41)
    t.deepEqual(await since(3, 3, 3), [], 'a larger one, too')
    await move(names, 4, 5, 40)
    t.deepEqual(await since(4, 4, 4), [40])
  })

  test('of a document the indexed fields can be read alone', async (t) => {
    const { documents, close } = await openMongo({ url: server.freshUrl() })
    t.teardown(close)
    const { collection, put, write, gone } = await prepareThings(documents)
    await put(make('a', { hot: 3, rank: null }), make('b'))
    await write(gone('b', 50))
    const found = await documents.getIndexed(collection, ['a', 'b', 'nobody'])
    t.deepEqual([...found.keys()], ['a'])
    t.like(found.get('a'), { id: 'a', hot: 3, rank: null, listed: true })
  })
}
