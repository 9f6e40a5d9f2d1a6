import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { projections } from '../../projections/all.ts'
import { type MongoStores, openMongo } from '../../src/adapters/mongodb/open.ts'
import type { Change, Collection, Document, Query } from '../../src/ports/documents.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { primaryOf } from '../support/document-address.ts'
import { documentServer } from '../support/document-server.ts'
import { plannedReads } from '../support/mongodb-plans.ts'
import { openRelay } from '../support/relay.ts'

type Thing = Document & { readonly group: string; readonly rank: number; readonly note?: string }

const things: Collection<Thing> = {
  name: 'things',
  version: 1,
  indexes: [{ fields: ['group', '-rank', 'id'], covers: ['note'] }, { fields: ['group', '$position'] }, { fields: ['-rank', 'id'] }],
}

const at = (position: number): string => String(position).padStart(20, '0')

const thing = (id: string, position: number, rank: number, group = 'a'): Change => {
  const document: Thing = { id, group, rank, note: `note of ${id}` }
  return { collection: things, id, position: at(position), document }
}

const ranked: Query = { where: { group: 'a' }, order: ['-rank', 'id'], page: { limit: 10 } }

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB itself is not tested: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  const opened = async (
    t: ExecutionContext,
    url = server.freshUrl(),
  ): Promise<MongoStores & { readonly admin: MongoClient; readonly url: string }> => {
    const admin = await new MongoClient(url).connect()
    const stores = await openMongo({ url })
    t.teardown(async () => {
      await stores.close()
      await admin.db().dropDatabase()
      await admin.close()
    })
    await stores.documents.prepare([things])
    return { ...stores, admin, url }
  }

  test('of concurrent first writes of a document the one with the greatest position stays', async (t) => {
    const { documents } = await opened(t)
    const positions = Array.from({ length: 50 }, (_, index) => ((index * 17) % 50) + 1)
    await Promise.all(
      positions.map((position) =>
        documents.write([thing('one', position, position)], { name: `shard ${position}`, from: undefined, to: at(position) }),
      ),
    )
    t.is((await documents.load(things, ['one'])).get('one')?.position, at(50))
  })

  test('one of several concurrent moves of a checkpoint succeeds', async (t) => {
    const { documents } = await opened(t)
    await documents.write([], { name: 'shard', from: undefined, to: at(1) })
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => documents.write([], { name: 'shard', from: at(1), to: at(index + 2) })),
    )
    t.is(outcomes.filter((outcome) => outcome === 'written').length, 1)
  })

  test.serial('a batch larger than one call takes is written whole, and repeating it changes nothing', async (t) => {
    const { documents, admin } = await opened(t)
    const changes = Array.from({ length: 420 }, (_, index) => thing(`t${index}`, index + 1, index))
    t.is(await documents.write(changes, { name: 'all', from: undefined, to: at(420) }), 'written')
    const stored = () => admin.db().collection('things_v1').find().sort({ _id: 1 }).toArray()
    const first = await stored()
    t.is(await documents.write(changes, { name: 'all', from: at(420), to: at(420) }), 'written')
    t.is(first.length, 420)
    t.deepEqual(await stored(), first)
  })

  test('every page of a declared query reads a bounded part of its index, in its order', async (t) => {
    const { url } = await opened(t)
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
    const { url, documents } = await opened(t)
    const planned = await plannedReads(url, things, (store) => store.select(things, ranked, ['id', 'rank', 'note']))
    t.is(planned.length, 1)
    if (server.can('covered-plans')) t.false(planned.flatMap(({ stages }) => stages).some(({ stage }) => stage === 'FETCH'))
    await t.throwsAsync(documents.select(things, ranked, ['$position']), { message: /no index of things/ })
  })

  test('every declared index serves its queries, for every division into equality and order', async (t) => {
    const { url } = await opened(t)
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
    const { documents, admin } = await opened(t)
    const stored = admin.db().collection('things_v1')
    await stored.dropIndex('group,$position')
    await stored.createIndex({ live: 1, note: 1 }, { name: 'group,$position' })
    await stored.createIndex({ note: 1 }, { name: 'somebody else' })
    await documents.prepare([things])
    const indexes = new Map((await stored.indexes()).map(({ name, key }) => [name, key]))
    t.deepEqual(indexes.get('group,$position'), { live: 1, 'body.group': 1, position: 1, _id: 1 })
    t.true(indexes.has('somebody else'))
  })

  test('only collections of obsolete versions can be dropped', async (t) => {
    const { documents, vault, admin } = await opened(t)
    await documents.prepare([{ ...things, version: 2 }])
    await documents.write([thing('a', 1, 1)], { name: 'c', from: undefined, to: at(1) })
    await vault.put('key', 'k', { value: 1 })
    for (const name of await documents.obsolete([{ ...things, version: 2 }])) await documents.drop(name)
    await t.throwsAsync(documents.drop('vault_key'))
    const names = (await admin.db().listCollections().toArray()).map(({ name }) => name)
    t.false(names.includes('things_v1'))
    t.true(['things_v2', 'checkpoints', 'vault_key'].every((name) => names.includes(name)))
  })

  test('integers of 53 bits are read back unchanged', async (t) => {
    const { documents } = await opened(t)
    const numbers = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 32 + 1, 5e9, 0, 1.5]
    const changes = numbers.map((rank, index) => thing(`n${index}`, index + 1, rank))
    await documents.write(changes, { name: 'numbers', from: undefined, to: at(9) })
    const found = await documents.find(things, { ...ranked, page: { limit: 10, after: [Number.MAX_SAFE_INTEGER, 'n'] } })
    t.deepEqual(
      found.map(({ rank }) => rank),
      numbers.toSorted((left, right) => right - left),
    )
  })

  test('a document larger than the server takes is refused as too large', async (t) => {
    const { documents } = await opened(t)
    const huge: Thing = { id: 'huge', group: 'a', rank: 1, note: 'x'.repeat(17 * 1024 * 1024) }
    const write = documents.write([{ collection: things, id: 'huge', position: at(1), document: huge }], {
      name: 'c',
      from: undefined,
      to: at(1),
    })
    t.is((await t.throwsAsync(write, { instanceOf: StoreFault }))?.kind, 'too-large')
  })

  test('the start waits for a server that is not there yet', async (t) => {
    const { host, port, by } = await primaryOf(server.freshUrl())
    const relay = await openRelay({ host, port })
    t.teardown(relay.down)
    await relay.down()
    const lines: string[] = []
    const journal = { warn: (_: object, line: string) => lines.push(line) }
    const opening = openMongo({ url: by(relay.port), journal })
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    await relay.up()
    const { vault, close } = await opening
    t.is(await vault.get('lease', 'none'), undefined)
    await close()
    t.deepEqual(lines, [
      `DOCUMENT_STORE_URL: the connection was refused: no server listens at this address (127.0.0.1:${relay.port}); waiting for it`,
    ])
  })

  test('calls to a frozen server fail within seconds, and succeed again once it continues', async (t) => {
    const { host, port, by } = await primaryOf(server.freshUrl())
    const relay = await openRelay({ host, port })
    t.teardown(relay.down)
    const { documents, vault } = await opened(t, by(relay.port))
    await documents.write([thing('kept', 1, 1)], { name: 'c', from: undefined, to: at(1) })
    const more = { ...things, name: 'more', indexes: [{ fields: ['group', 'id'] }] }
    await documents.prepare([more], 'later')

    const reads: Readonly<Record<string, () => Promise<unknown>>> = {
      getMany: () => documents.getMany(things, ['kept']),
      load: () => documents.load(things, ['kept']),
      find: () => documents.find(things, { ...ranked, page: { limit: 10, after: [5, 'x'] } }),
      select: () => documents.select(things, ranked, ['id']),
      count: () => documents.count(things, { group: 'a' }, 10),
      walk: () => documents.walk(things, undefined, 10),
      checkpoint: () => documents.checkpoint('c'),
      checkpoints: () => documents.checkpoints(['c', 'd']),
      get: () => vault.get('lease', 'x'),
      getManyOfVault: () => vault.getMany('lease', ['x', 'y']),
      list: () => vault.list('lease', 'x'),
    }
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      write: () => documents.write([thing('new', 2, 1)], { name: 'c', from: at(1), to: at(2) }),
      clear: () => documents.clear([], 'none'),
      sweep: () => documents.sweep(more, at(1), 10),
      prepare: () => documents.prepare([more]),
      put: () => vault.put('lease', 'x', { value: 1 }),
      putIf: () => vault.putIf('lease', 'x', 1, { value: 1 }),
      create: () => vault.putIf('lease', 'x', 0, { value: 1 }),
      take: () => vault.take('lease', 'x'),
      delete: () => vault.delete('lease', 'x'),
      deleteAll: () => vault.deleteAll('lease', 'x'),
      sweepVault: () => vault.sweep(1),
    }
    relay.freeze()
    const started = Date.now()
    const failing = (calls: typeof reads, kinds: readonly string[]) =>
      Object.entries(calls).map(async ([name, call]) => {
        const fault = await t.throwsAsync(call(), { instanceOf: StoreFault }, name)
        t.true(kinds.includes(fault?.kind ?? ''), `${name}: ${fault?.kind}`)
        return `${name} ${Date.now() - started}`
      })
    t.log(...(await Promise.all([...failing(reads, ['unavailable']), ...failing(writes, ['unavailable', 'unknown-outcome'])])))
    t.true(Date.now() - started < 8_000)

    relay.thaw()
    const deadline = Date.now() + 5_000
    const again = async (): Promise<number> => {
      try {
        return (await documents.getMany(things, ['kept'])).size
      } catch (error) {
        if (Date.now() > deadline) throw error
        return again()
      }
    }
    t.is(await again(), 1)
  })
}

test('a refused connection is reported in one line within three seconds, without credentials', async (t) => {
  const started = Date.now()
  const url = 'mongodb://ann:secret@127.0.0.1:1/rostra'
  const fault = await t.throwsAsync(openMongo({ url, signal: AbortSignal.abort() }), { instanceOf: StoreFault })
  t.is(fault?.kind, 'unavailable')
  t.is(fault?.message, 'DOCUMENT_STORE_URL: the connection was refused: no server listens at this address (127.0.0.1:1)')
  t.true(Date.now() - started < 3_000)
})

test('an invalid address is refused in one line that does not repeat the password', async (t) => {
  const error = await t.throwsAsync(openMongo({ url: 'mongodb://ann:secret@127.0.0.1:x/rostra' }), { instanceOf: StoreFault })
  t.regex(error?.message ?? '', /^DOCUMENT_STORE_URL is not a MongoDB address/)
  t.notRegex(error?.message ?? '', /secret|\n/)
})
