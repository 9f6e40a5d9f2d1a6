import type { Position } from '../../src/ports/event-store.ts'
import type { Cases } from './contract.ts'
import { make, type OpenedDocuments, plain, prepareThings, toPosition, unique } from './document-cases.ts'
import type { Thing } from './document-model.ts'

/** Checkpoints, which move with changes or not at all. */
export const checkpoints: Cases<OpenedDocuments> = {
  'changes can be written without moving a checkpoint': async (t, { documents }) => {
    const { collection, change } = await prepareThings(documents)
    t.is(await documents.write([change(make('a'), 1)], []), 'written')
    t.is((await documents.getMany(collection, ['a'])).size, 1)
  },
  'a checkpoint moves with the changes, and only from its expected position': async (t, { documents }) => {
    const { collection, change } = await prepareThings(documents)
    const name = unique()
    t.is(await documents.checkpoint(name), undefined)
    t.is(await documents.write([change(make('a'), 1)], { name, from: undefined, to: toPosition(5) }), 'written')
    t.is(await documents.checkpoint(name), toPosition(5))
    t.is(await documents.write([], { name, from: undefined, to: toPosition(6) }), 'fenced')
    t.is(await documents.write([], { name, from: toPosition(4), to: toPosition(6) }), 'fenced')
    t.is(await documents.write([], { name: unique(), from: toPosition(4), to: toPosition(6) }), 'fenced')
    t.is(await documents.checkpoint(name), toPosition(5))
    t.is(await documents.write([change(make('b'), 6)], { name, from: toPosition(5), to: toPosition(9) }), 'written')
    t.is(await documents.checkpoint(name), toPosition(9))
    t.is((await documents.getMany(collection, ['a', 'b'])).size, 2)
  },
  'a fenced writer writes no document and moves no checkpoint': async (t, { documents }) => {
    const { collection, change } = await prepareThings(documents)
    const name = unique()
    t.is(await documents.write([change(make('a'), 1)], { name, from: undefined, to: toPosition(1) }, () => false), 'fenced')
    t.is(await documents.checkpoint(name), undefined)
    t.is((await documents.load(collection, ['a'])).size, 0)
    t.is(await documents.write([change(make('a'), 1)], { name, from: undefined, to: toPosition(1) }, () => true), 'written')
  },
  'several checkpoints move together, and the batch succeeds only if all of them are at their expected positions': async (
    t,
    { documents },
  ) => {
    const { collection, change } = await prepareThings(documents)
    const [one, two, other] = [unique(), unique(), unique()]
    t.is((await documents.checkpoints([one, two])).size, 0)
    const first = [
      { name: one, from: undefined, to: toPosition(5) },
      { name: two, from: undefined, to: toPosition(6) },
    ]
    t.is(await documents.write([change(make('a'), 1)], first), 'written')
    t.deepEqual(
      [...(await documents.checkpoints([two, other, one]))].sort(([, x], [, y]) => (x < y ? -1 : 1)),
      [
        [one, toPosition(5)],
        [two, toPosition(6)],
      ],
    )
    const wrong = [
      { name: one, from: toPosition(5), to: toPosition(9) },
      { name: two, from: toPosition(5), to: toPosition(9) },
    ]
    t.is(await documents.write([change(make('b'), 7)], wrong), 'fenced')
    t.is((await documents.getMany(collection, ['a', 'b'])).size, 1)
    const right = [
      { name: one, from: toPosition(5), to: toPosition(9) },
      { name: two, from: toPosition(6), to: toPosition(9) },
      { name: other, from: undefined, to: toPosition(9) },
    ]
    t.is(await documents.write([change(make('b'), 7)], right), 'written')
    t.deepEqual([...(await documents.checkpoints([one, two, other])).values()], [toPosition(9), toPosition(9), toPosition(9)])
  },
  'checkpoints that stand together move together, unless one of them was moved meanwhile': async (t, { documents }) => {
    const [one, two, three] = [unique(), unique(), unique()]
    const moves = (names: readonly string[], from: Position | undefined, to: Position) => names.map((name) => ({ name, from, to }))
    const where = async () => (await documents.checkpoints([one, two, three])).values().toArray().sort()
    t.is(await documents.write([], moves([one, two, three], undefined, toPosition(5))), 'written')
    t.is(await documents.write([], moves([one, two, three], toPosition(5), toPosition(6))), 'written')
    t.deepEqual(await where(), [toPosition(6), toPosition(6), toPosition(6)])
    const outcomes = await Promise.all([
      documents.write([], moves([one, two], toPosition(6), toPosition(7))),
      documents.write([], moves([two, three], toPosition(6), toPosition(8))),
    ])
    t.deepEqual(outcomes.toSorted(), ['fenced', 'written'])
    t.is(await documents.checkpoint(two), outcomes[0] === 'written' ? toPosition(7) : toPosition(8))
  },
  'of two concurrent moves of one checkpoint one is fenced': async (t, { documents }) => {
    const { change } = await prepareThings(documents)
    const name = unique()
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((n) => documents.write([change(make('a'), n)], { name, from: undefined, to: toPosition(n) })),
    )
    t.deepEqual(outcomes.sort(), ['fenced', 'fenced', 'fenced', 'written'])
  },
  'a fenced batch writes nothing': async (t, { documents }) => {
    const { collection, change, gone, put } = await prepareThings(documents)
    await put(make('a'), make('b'))
    t.is(
      await documents.write([change(make('a', { hot: 1 }), 90), gone('b', 91), change(make('c'), 92)], {
        name: unique(),
        from: toPosition(1),
        to: toPosition(2),
      }),
      'fenced',
    )
    const found = await documents.getMany(collection, ['a', 'b', 'c'])
    t.deepEqual(
      [...found.values()].map(plain).sort((x, y) => (x.id < y.id ? -1 : 1)),
      [make('a'), make('b')],
    )
  },
  'a failed batch writes nothing': async (t, { documents }) => {
    const { collection, change, put, find } = await prepareThings(documents)
    const name = unique()
    await put(make('a', { hot: 1 }))
    const broken = { ...make('b'), hot: { not: 'a value' } } as unknown as Thing
    await t.throwsAsync(
      documents.write([change(make('a', { hot: 5 }), 90), change(broken, 91)], { name, from: undefined, to: toPosition(1) }),
    )
    t.is(await documents.checkpoint(name), undefined)
    t.is((await documents.getMany(collection, ['a'])).get('a')?.hot, 1)
    t.is(await find({ listed: true }, ['-hot', '-id'], { limit: 9 }), 'a')
  },
}
