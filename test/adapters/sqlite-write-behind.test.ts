import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import test, { type ExecutionContext } from 'ava'
import { documentRows, learnTables } from '../../src/adapters/sqlite/document-rows.ts'
import { documentReads } from '../../src/adapters/sqlite/documents.ts'
import { heldTable } from '../../src/adapters/sqlite/held-documents.ts'
import { localStores } from '../../src/adapters/sqlite/local-stores.ts'
import { type Overlay, openOverlay } from '../../src/adapters/sqlite/overlay.ts'
import type { Notice } from '../../src/adapters/sqlite/protocol.ts'
import { openReader, openWriter } from '../../src/adapters/sqlite/schema.ts'
import type { Document, DocumentChange, Query } from '../../src/ports/documents.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { listedOf, make, plain, toPosition, unique } from '../contracts/document-cases.ts'
import { answer, applyChanges, arbitraryThing, type Model, queries, type Thing, things } from '../contracts/document-model.ts'
import fc from '../support/properties.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const NEVER = {
  ms: Number.POSITIVE_INFINITY,
  events: Number.POSITIVE_INFINITY,
  documents: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
  stepMs: 1,
}

/**
 * A thread that writes and one that reads, as they are in production but for the threads: notices arrive when they are received, and
 * something can happen between the beginning of a snapshot and the moment at which its reader receives them.
 */
const twoThreads = async (t: ExecutionContext) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const writing = openWriter(file)
  t.teardown(writing.close)
  const { ports, documents: writer } = localStores(writing)
  const collection = things(unique())
  writer.prepare([collection])
  const sent: Notice[] = []
  const inSnapshot: (() => void)[] = []
  writer.hold(
    {
      onChanged: (changed, number) => sent.push({ notice: 'changed', changed, number }),
      onFlushing: () => {},
      onFlushed: (upTo) => sent.push({ notice: 'flushed', upTo }),
    },
    NEVER,
  )
  const reading = openReader(file)
  t.teardown(reading.close)
  const stored = documentRows(reading, 20_000)
  learnTables(reading, stored, [collection])
  let changes = 0
  const receive = (most = Number.POSITIVE_INFINITY): void => {
    for (const notice of sent.splice(0, most)) {
      if (notice.notice === 'changed') {
        held.add(notice.changed, notice.number)
        changes = notice.number
      } else if (notice.notice === 'flushed') held.noteFlushed(notice.upTo)
    }
  }
  const held: Overlay = openOverlay(reading, stored, {
    receive: () => {
      for (const happen of inSnapshot.splice(0)) happen()
      receive()
    },
    flush: async () => writer.flush(),
    onChanged: () => {},
    onReordered: () => {},
  })
  return {
    collection,
    forgetAll: () => {
      receive()
      held.dropFlushed()
      stored.forgetAll()
    },
    writer,
    writing,
    held,
    receive,
    inSnapshot,
    received: () => changes,
    local: ports.documents,
    documents: documentReads(reading, stored, held),
  }
}

const IDS = Array.from({ length: 12 }, (_, n) => `t${n}`)
const written = fc.array(
  fc
    .constantFrom(...IDS)
    .chain((id) => fc.record({ id: fc.constant(id), document: fc.option(arbitraryThing(id), { nil: undefined, freq: 4 }) })),
  { minLength: 1, maxLength: 6 },
)
type Written = readonly { readonly id: string; readonly document: Thing | undefined }[]

const WHERE = { listed: true }
const FIELDS = ['id', 'title', 'hot', 'rank', 'score', 'listed'] as const

/** Returns the answer of a naive store to `select`. */
const selected = (model: Model, query: Query) =>
  answer(model, query).map((id) => {
    const document = model.get(id)?.document as unknown as Readonly<Record<string, unknown>>
    return Object.fromEntries(FIELDS.map((field) => [field, document[field]]))
  })

const copyOf = (model: Model): Model => new Map(model)

test('whatever is written, flushed and read in whatever order, every read is of one state, with everything that its snapshot has', async (t) => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ write: written, fresh: fc.boolean() }) },
    { weight: 2, arbitrary: fc.constant({ flush: true } as const) },
    { weight: 3, arbitrary: fc.record({ writeSome: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 2, arbitrary: fc.record({ receive: fc.integer({ min: 1, max: 3 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ inSnapshot: fc.array(fc.oneof(written, fc.constantFrom(1, 3, 99)), { minLength: 1, maxLength: 3 }) }),
    },
    { weight: 6, arbitrary: fc.record({ query: queries }) },
    { weight: 2, arbitrary: fc.record({ ids: fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ select: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 1, arbitrary: fc.record({ max: fc.integer({ min: 1, max: 9 }) }) },
  )
  const { collection, writer, forgetAll, receive, inSnapshot, received, local, documents } = await twoThreads(t)
  let position = 0
  /** The states after each change that was told. */
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
    inSnapshot.splice(0)
    writer.clear([collection], 'x')
    forgetAll()
    const model: Model = new Map()
    const base = received()
    const states = [copyOf(model)]
    const write = (some: Written, fresh: boolean) => {
      const changes = some.map(({ id, document }): DocumentChange => {
        position += 1
        return { collection, id, position: toPosition(position), document, fresh: fresh && !model.has(id) }
      })
      t.is(writer.write(changes, []), 'written')
      applyChanges(model, changes)
      states.push(copyOf(model))
    }
    for (const [n, one] of steps.entries()) {
      if ('write' in one) write(one.write, one.fresh && new Set(one.write.map(({ id }) => id)).size === one.write.length)
      else if ('flush' in one) writer.flush()
      else if ('writeSome' in one) writer.writeSome(one.writeSome)
      else if ('receive' in one) receive(one.receive)
      else if ('inSnapshot' in one)
        for (const happening of one.inSnapshot)
          inSnapshot.push(() => (typeof happening === 'number' ? writer.writeSome(happening) : write(happening, false)))
      else if ('query' in one) {
        const found = listedOf(await documents.find(collection, one.query))
        t.is(found, answer(model, one.query).join(' '), JSON.stringify({ n, query: one.query }))
        t.is(listedOf(await local.find(collection, one.query)), found)
      } else if ('ids' in one) {
        const first = received() - base
        const found = plain(Object.fromEntries(await documents.getMany(collection, one.ids)))
        const couldBe = states
          .slice(first)
          .map((state) =>
            plain(Object.fromEntries(one.ids.flatMap((id) => (state.get(id)?.document ? [[id, state.get(id)?.document]] : [])))),
          )
        t.true(
          couldBe.some((state) => JSON.stringify(sorted(state)) === JSON.stringify(sorted(found))),
          JSON.stringify({ found, couldBe }),
        )
        const loaded = await local.load(collection, one.ids)
        t.deepEqual(
          plain([...loaded].toSorted(byId)),
          plain(one.ids.flatMap((id) => (model.has(id) ? [[id, model.get(id)]] : [])).toSorted(byId)),
        )
      } else if ('select' in one) {
        const query = { where: WHERE, order: ['-hot', '-id'], page: { limit: one.select } }
        t.deepEqual(await documents.select(collection, query, FIELDS), selected(model, query))
      } else
        t.is(
          await documents.count(collection, WHERE, one.max),
          Math.min(one.max, answer(model, { where: WHERE, order: ['id'], page: { limit: 99 } }).length),
        )
    }
  })
  await fc.assert(property, { numRuns: 300 })
})

const sorted = (found: Readonly<Record<string, unknown>>) => Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1))
const byId = (a: unknown, b: unknown): number => (String((a as [string])[0]) < String((b as [string])[0]) ? -1 : 1)

test('held documents are listed in order, however many change between two listings', async (t) => {
  const change = fc.record({
    id: fc.integer({ min: 0, max: 150 }),
    rank: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 5 }),
    author: fc.constantFrom('a', 'b'),
  })
  const order = [
    { field: 'rank', descending: true },
    { field: 'seq', descending: false },
  ]
  const property = fc.property(fc.array(fc.array(change, { maxLength: 200, size: 'max' }), { minLength: 1, maxLength: 6 }), (rounds) => {
    const table = heldTable()
    for (const round of rounds) {
      for (const { id, rank, author } of round) {
        const parsed = rank === undefined ? undefined : ({ id: `t${id}`, seq: id, rank, author } as Document)
        const held = { position: 1, text: parsed && JSON.stringify(parsed), parsed }
        if (rank === 0) table.delete(`t${id}`)
        else table.set(`t${id}`, held)
      }
      for (const author of ['a', 'b']) {
        const naive = [...table.values()].flatMap(({ parsed }) => (parsed && Object(parsed).author === author ? [Object(parsed)] : []))
        naive.sort((one, other) => other.rank - one.rank || one.seq - other.seq)
        const listed = table.listDocuments(['author'], [author], order)
        t.is(
          JSON.stringify(listed.map(({ row, held: { text } }) => [row, text])),
          JSON.stringify(naive.map((one) => [[one.rank, one.seq], JSON.stringify(one)])),
        )
      }
    }
  })
  fc.assert(property, { numRuns: 30 })
})

test('many held documents are put in order in several turns of the event loop, while others change', async (t) => {
  const table = heldTable()
  const order = [{ field: 'seq', descending: true }]
  const put = (n: number, seq: number, author = `a${n % 3}`): void => {
    const document = { id: `t${n}`, seq, author }
    table.set(document.id, { position: 1, text: JSON.stringify(document), parsed: document as Document })
  }
  for (let n = 0; n < 3_000; n += 1) put(n, n)
  const turns = { before: 0, counting: true }
  const count = (): void => {
    turns.before += 1
    if (turns.before < 4) for (let n = 0; n < 400; n += 1) put(n * 5, 10_000 * turns.before + n, 'a1')
    if (turns.counting) setImmediate(count)
  }
  setImmediate(count)
  await table.gather(['author'], order)
  turns.counting = false
  t.true(turns.before >= 5, `${turns.before} turns of others`)
  t.is(table.gather(['author'], order), undefined)
  const naive = [...table.values()].flatMap(({ parsed }) => (Object(parsed).author === 'a1' ? [Object(parsed).seq] : []))
  t.deepEqual(
    table.listDocuments(['author'], ['a1'], order).map(({ row }) => row[0]),
    naive.toSorted((a, b) => b - a),
  )
})

test('a listing of held documents takes no memory for those that came and went since it was asked for', (t) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const order = [{ field: 'id', descending: false }]
  const grown = (askEvery: number): number => {
    const table = heldTable()
    collect()
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < 50_000; n += 1) {
      table.set(`t${n}`, { position: n, text: '{}', parsed: { id: `t${n}`, author: `a${n}` } as Document })
      table.delete(`t${n - 1}`)
      if (n % askEvery === 0) table.listDocuments(['author'], ['a0'], order)
    }
    collect()
    t.is(table.size, 1)
    return (process.memoryUsage().heapUsed - before) / 2 ** 20
  }
  for (const askEvery of [Number.POSITIVE_INFINITY, 10]) {
    const mebibytes = grown(askEvery)
    t.true(mebibytes < 1, `${mebibytes} MiB, asked every ${askEvery}`)
  }
})

test('a disk that is full when changes are to be written leaves them held, readable and in order, until there is space', async (t) => {
  const { collection, writer, writing, receive, documents, local } = await twoThreads(t)
  const query: Query = { where: WHERE, order: ['-hot', '-id'], page: { limit: 200 } }
  const write = (from: number | undefined, to: number) =>
    writer.write(
      Array.from({ length: 40 }, (_, n) => {
        const document = make(`t${(to - 1) * 40 + n}`, { hot: n, title: 'x'.repeat(2_000) })
        return { collection, id: document.id, position: toPosition(to), document, fresh: true }
      }),
      { name: 'x', from: from === undefined ? undefined : toPosition(from), to: toPosition(to) },
    )
  write(undefined, 1)
  writer.flush()
  const pages = Number(writing.db.prepare('PRAGMA page_count').get()?.page_count)
  writing.db.exec(`PRAGMA max_page_count = ${pages + 3}`)
  write(1, 2)
  for (let tries = 0; tries < 2; tries += 1) {
    const fault = t.throws(() => writer.flush())
    t.true(fault instanceof StoreFault && fault.kind === 'full')
  }
  t.is(write(1, 9), 'fenced')
  t.is(write(2, 3), 'written')
  receive()
  t.is((await documents.find(collection, query)).length, 120)
  t.is((await local.find(collection, query)).length, 120)
  t.is(await local.checkpoint('x'), toPosition(3))
  const inFile = writing.db.prepare("SELECT position FROM checkpoint WHERE name = 'x'")
  t.is(inFile.get()?.position, toPosition(1))
  writing.db.exec('PRAGMA max_page_count = 1000000')
  writer.flush()
  t.is(inFile.get()?.position, toPosition(3))
  receive()
  t.is((await documents.find(collection, query)).length, 120)
})

test('many changes of one document reach the file as one, with the checkpoint of the last', async (t) => {
  const { collection, writer, writing } = await twoThreads(t)
  const count = () => Number(writing.db.prepare('SELECT total_changes() AS n').get()?.n)
  const vote = (n: number) =>
    writer.write([{ collection, id: 'a', position: toPosition(n), document: make('a', { hot: n }) }], {
      name: 'x',
      from: n === 1 ? undefined : toPosition(n - 1),
      to: toPosition(n),
    })
  vote(1)
  writer.flush()
  const before = count()
  for (let n = 2; n <= 11; n += 1) vote(n)
  t.is(count(), before)
  writer.flush()
  t.is(count(), before + 2, 'a row and a checkpoint')
  t.is(writing.db.prepare('SELECT position FROM checkpoint').get()?.position, toPosition(11))
})

test('changes are due when they are old, many or large, and not before', async (t) => {
  const { collection, writer } = await twoThreads(t)
  const listener = { onChanged: () => {}, onFlushing: () => {}, onFlushed: () => {} }
  let position = 0
  const write = (count: number, title = '') => {
    position += 1
    const changes = Array.from({ length: count }, (_, n) => ({
      collection,
      id: `t${n}`,
      position: toPosition(position),
      document: make(`t${n}`, { title }),
    }))
    writer.write(changes, { name: 'x', from: position === 1 ? undefined : toPosition(position - 1), to: toPosition(position) })
  }
  for (const [limits, enough] of [
    [{ ...NEVER, events: 3 }, () => write(2)],
    [{ ...NEVER, documents: 3 }, () => write(3)],
    [{ ...NEVER, characters: 5_000 }, () => write(1, 'x'.repeat(5_000))],
    [{ ...NEVER, ms: 0 }, () => {}],
  ] as const) {
    writer.flush()
    writer.hold(listener, limits)
    t.false(writer.isDue(), 'nothing is held')
    write(2)
    if (limits.ms > 0) t.false(writer.isDue())
    write(2)
    if (limits.ms > 0) t.false(writer.isDue(), 'two documents, however often they change')
    enough()
    t.true(writer.isDue())
  }
  writer.flush()
  writer.hold(listener, { ...NEVER, documents: 2 })
  write(3)
  t.true(writer.isDue())
  t.false(writer.isFull())
  write(4)
  t.true(writer.isFull(), 'twice as much as is written')
  const [first] = [writer.holds()]
  writer.writeSome(1)
  write(5)
  t.true(writer.isDue(), 'what has been begun is finished')
  t.false(writer.areWritten(first))
  writer.writeSome(9)
  t.true(writer.areWritten(first))
  t.false(writer.areWritten(writer.holds()))
  writer.flush()
  t.true(writer.areWritten(writer.holds()))
  t.false(writer.isDue())
})

test('a document that is too large to be cached is read as it was last written', async (t) => {
  const { collection, writer, receive, documents, local } = await twoThreads(t)
  const write = (n: number, title: string) => {
    writer.write([{ collection, id: 'a', position: toPosition(n), document: make('a', { title }) }], [])
    writer.flush()
    receive()
  }
  write(1, 'small')
  for (const n of [2, 3]) {
    write(n, `${n}`.repeat(2_200_000))
    t.is((await local.load(collection, ['a'])).get('a')?.position, toPosition(n))
    t.is((await documents.getMany<Thing>(collection, ['a'])).get('a')?.title.length, 2_200_000)
  }
})

test('a mark that could not be written is not held, so that it can be made again', async (t) => {
  const { writer, writing, local } = await twoThreads(t)
  const mark = () => writer.write([], { name: 'x', from: undefined, to: toPosition(1) })
  writing.db.exec("CREATE TEMP TRIGGER full BEFORE INSERT ON checkpoint BEGIN SELECT RAISE(ABORT, 'full'); END")
  t.throws(mark, { message: 'full' })
  t.is(await local.checkpoint('x'), undefined)
  writing.db.exec('DROP TRIGGER full')
  t.is(mark(), 'written')
  t.is(writing.db.prepare("SELECT position FROM checkpoint WHERE name = 'x'").get()?.position, toPosition(1))
  t.is(mark(), 'fenced')
})

test('a document that is written again while its deletion is written stands without a tombstone', async (t) => {
  const { collection, writer, local } = await twoThreads(t)
  const write = (n: number, id: string, document?: Thing) =>
    writer.write([{ collection, id, position: toPosition(n), document, fresh: n === 1 || id !== 'a' }], [])
  write(1, 'a', make('a'))
  write(2, 'a')
  write(3, 'b', make('b'))
  writer.writeSome(1)
  write(4, 'a', make('a'))
  writer.flush()
  t.deepEqual(
    (await local.inspect(collection, undefined, 9)).map(({ id, isTombstone, deviations }) => ({ id, isTombstone, deviations })),
    ['a', 'b'].map((id) => ({ id, isTombstone: false, deviations: [] })),
  )
})

test('what a search that did not wait left unordered is written within a second, and then counts as changed', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const writing = openWriter(file)
  t.teardown(writing.close)
  const collection = things(unique())
  localStores(writing).documents.prepare([collection])
  const reading = openReader(file)
  t.teardown(reading.close)
  const stored = documentRows(reading, 20_000)
  learnTables(reading, stored, [collection])
  const table = stored.table(collection)
  const reordered = Promise.withResolvers<string>()
  let [number, flushes] = [0, 0]
  const held = openOverlay(reading, stored, {
    receive: () => {},
    flush: async () => {
      flushes += 1
      held.noteFlushed(number)
    },
    onChanged: () => {},
    onReordered: reordered.resolve,
  })
  const vote = (count: number) => {
    number += 1
    const all = Array.from({ length: count }, (_, n) => make(`t${n}`, { hot: number }))
    const [ids, positions, texts] = [all.map(({ id }) => id), all.map(() => number), all.map((one) => JSON.stringify(one))]
    held.add([{ table: table.name, collection: collection.name, ids, positions, texts, isSearchAffected: false }], number)
  }
  vote(1)
  await held.readySearch(table)
  vote(60)
  t.deepEqual([held.readySearch(table), flushes], [undefined, 1])
  const late = setTimeout(() => reordered.reject(new Error('not within ten seconds')), 10_000)
  t.is(await reordered.promise, collection.name)
  clearTimeout(late)
  t.is(flushes, 2)
})
