import test from 'ava'
import { projections } from '../../projections/all.ts'
import type { Query } from '../../src/ports/documents.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { documentServer } from '../support/document-server.ts'
import { plannedReads } from '../support/mongodb-plans.ts'
import { openedThings, ranked, type Thing, thingChange, things, toPosition } from '../support/mongodb-things.ts'

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB itself is not tested: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  test('of concurrent first writes of a document the one with the greatest position stays', async (t) => {
    const { documents } = await openedThings(t, server.freshUrl())
    const positions = Array.from({ length: 50 }, (_, index) => ((index * 17) % 50) + 1)
    await Promise.all(
      positions.map((position) =>
        documents.write([thingChange('one', position, position)], { name: `shard ${position}`, from: undefined, to: toPosition(position) }),
      ),
    )
    t.is((await documents.load(things, ['one'])).get('one')?.position, toPosition(50))
  })

  test('one of several concurrent moves of a checkpoint succeeds', async (t) => {
    const { documents } = await openedThings(t, server.freshUrl())
    await documents.write([], { name: 'shard', from: undefined, to: toPosition(1) })
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => documents.write([], { name: 'shard', from: toPosition(1), to: toPosition(index + 2) })),
    )
    t.is(outcomes.filter((outcome) => outcome === 'written').length, 1)
  })

  test.serial('a batch larger than one call takes is written whole, and repeating it changes nothing', async (t) => {
    const { documents, admin } = await openedThings(t, server.freshUrl())
    const changes = Array.from({ length: 120 }, (_, index) => thingChange(`t${index}`, index + 1, index))
    t.is(await documents.write(changes, { name: 'all', from: undefined, to: toPosition(120) }), 'written')
    const stored = () => admin.db().collection('things_v1').find().sort({ _id: 1 }).toArray()
    const first = await stored()
    t.is(await documents.write(changes, { name: 'all', from: toPosition(120), to: toPosition(120) }), 'written')
    t.is(first.length, 120)
    t.deepEqual(await stored(), first)
  })

  test('every page of a declared query reads a bounded part of its index, in its order', async (t) => {
    const { url } = await openedThings(t, server.freshUrl())
    const members = Array.from({ length: 200 }, (_, index) => `g${index}`)
    const anchors = [{}, { after: [5, 'x'] }, { before: [5, 'x'] }] as const
    const planned = await plannedReads(url, things, async (documents) => {
      for (const anchor of anchors)
        for (const group of ['a', { in: members }])
          await documents.find(things, { ...ranked, where: { group }, page: { limit: 10, ...anchor } })
    })
    t.is(planned.length, 10)
    for (const { stages } of planned) {
      t.deepEqual([...new Set(stages.flatMap(({ indexName }) => indexName ?? []))], ['group,-rank,id +note'])
      t.false(stages.some(({ stage }) => stage === 'COLLSCAN'))
      if (server.can('ordered-plans')) t.false(stages.some(({ stage }) => stage === 'SORT'))
    }
  })

  test('selecting fields of the index fetches no document, and selecting others is refused', async (t) => {
    const { url, documents } = await openedThings(t, server.freshUrl())
    const planned = await plannedReads(url, things, (store) => store.select(things, ranked, ['id', 'rank', 'note']))
    t.is(planned.length, 1)
    if (server.can('covered-plans')) t.false(planned.flatMap(({ stages }) => stages).some(({ stage }) => stage === 'FETCH'))
    await t.throwsAsync(documents.select(things, ranked, ['$position']), { message: /no index of things/ })
  })

  // the two that keep a server busiest run by themselves: others beside them would wait longer than a call may
  test.serial('every declared index serves its queries, for every division into equality and order', async (t) => {
    const { url } = await openedThings(t, server.freshUrl())
    for (const { collection } of projections) {
      t.true(collection.indexes.length < 62, 'a collection of MongoDB has at most 64 indexes')
      const queries = collection.indexes.flatMap(({ fields }) =>
        fields.map((_, equal): Query => {
          const order = fields.slice(equal)
          const where = Object.fromEntries(fields.slice(0, equal).map((name) => [name.replace(/^-/, ''), 1]))
          return { where, order, page: { limit: 25, after: order.map(() => 1) } }
        }),
      )
      const planned = await plannedReads(url, collection, async (documents) => {
        for (const query of queries) await documents.find(collection, query)
      })
      t.is(
        planned.length,
        queries.reduce((ranges, { order }) => ranges + order.length, 0),
      )
      for (const { command, stages } of planned) {
        const text = `${collection.name} ${JSON.stringify(command.filter)}`
        t.true(
          stages.some(({ indexName }) => indexName !== undefined && indexName === command.hint),
          text,
        )
        t.false(
          stages.some(({ stage }) => stage === 'COLLSCAN' || (stage === 'SORT' && server.can('ordered-plans'))),
          text,
        )
      }
    }
  })

  test('an index that differs from its declaration is rebuilt, and an undeclared one is left alone', async (t) => {
    const { documents, admin } = await openedThings(t, server.freshUrl())
    const stored = admin.db().collection('things_v1')
    await stored.dropIndex('group,$position,id')
    await stored.createIndex({ live: 1, note: 1 }, { name: 'group,$position,id' })
    await stored.createIndex({ note: 1 }, { name: 'somebody else' })
    await documents.prepare([things])
    const indexes = new Map((await stored.indexes()).map(({ name, key }) => [name, key]))
    t.deepEqual(indexes.get('group,$position,id'), { live: 1, 'body.group': 1, position: 1, _id: 1 })
    t.true(indexes.has('somebody else'))
  })

  test('only collections of obsolete versions can be dropped', async (t) => {
    const { documents, vault, admin } = await openedThings(t, server.freshUrl())
    await documents.prepare([{ ...things, version: 2 }])
    await documents.write([thingChange('a', 1, 1)], { name: 'c', from: undefined, to: toPosition(1) })
    await vault.put('key', 'k', { value: 1 })
    for (const name of await documents.obsolete([{ ...things, version: 2 }])) await documents.drop(name)
    await t.throwsAsync(documents.drop('vault_key'))
    const names = (await admin.db().listCollections().toArray()).map(({ name }) => name)
    t.false(names.includes('things_v1'))
    t.true(['things_v2', 'checkpoints', 'vault_key'].every((name) => names.includes(name)))
  })

  test('integers of 53 bits are read back unchanged', async (t) => {
    const { documents } = await openedThings(t, server.freshUrl())
    const numbers = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 32 + 1, 5e9, 0, 1.5]
    const changes = numbers.map((rank, index) => thingChange(`n${index}`, index + 1, rank))
    await documents.write(changes, { name: 'numbers', from: undefined, to: toPosition(9) })
    const found = await documents.find(things, { ...ranked, page: { limit: 10, after: [Number.MAX_SAFE_INTEGER, 'n'] } })
    t.deepEqual(
      found.map(({ rank }) => rank),
      numbers.toSorted((left, right) => right - left),
    )
  })

  test.serial('a document larger than the server takes is refused as too large', async (t) => {
    const { documents } = await openedThings(t, server.freshUrl())
    const huge: Thing = { id: 'huge', group: 'a', rank: 1, note: 'x'.repeat(17 * 1024 * 1024) }
    const write = documents.write([{ collection: things, id: 'huge', position: toPosition(1), document: huge }], {
      name: 'c',
      from: undefined,
      to: toPosition(1),
    })
    t.is((await t.throwsAsync(write, { instanceOf: StoreFault }))?.kind, 'too-large')
  })
}
