import { globSync, readFileSync } from 'node:fs'
import test from 'ava'
import { collection } from '../../projections/engine/projection.ts'
import { inLogOrder, listingIndex, searchOrder } from '../../src/ports/indexed.ts'

type Pot = {
  readonly id: string
  readonly seq: number
  readonly owner: string
  readonly isClean: boolean
  readonly lids: readonly string[]
}

const pots = collection<Pot>({
  name: 'pots',
  version: 1,
  unique: { seq: [] },
  indexes: [{ fields: ['owner', 'isClean', '-seq'], covers: ['id'] }],
  search: { text: ['owner'], filters: ['seq'], orders: { new: ['-seq'] } },
})

test('a query that an index serves, in its order or the reverse, names what it selects from that index', (t) => {
  t.deepEqual(listingIndex(pots, ['isClean', 'owner'], ['-seq'], ['owner']).selected, ['owner'])
  t.deepEqual(listingIndex(pots, ['owner', 'isClean'], ['seq']).order, ['seq'])
})

test('a query without an index fails when it is declared', (t) => {
  const without = { message: /^pots declares no index/ }
  t.throws(() => listingIndex(pots, ['owner'], ['-seq']), without)
  t.throws(() => listingIndex(pots, ['owner', 'isClean', 'seq'], ['id']), without)
  t.throws(() => listingIndex(pots, ['owner', 'isClean'], ['id']), without)
  t.throws(() => listingIndex(pots, ['isClean'], ['owner', '-seq']), without)
  t.throws(() => listingIndex(pots, ['owner'], ['isClean', 'seq']), without)
  t.throws(() => searchOrder(pots, 'top'), { message: /^pots declares no order top/ })
  t.is(searchOrder(pots, 'new'), 'new')
})

const wide = collection<Pot>({ name: 'wide', version: 1, indexes: [{ fields: ['owner', 'id'], covers: ['seq'] }] })

test('a field that no index carries cannot be selected from it', (t) => {
  t.notThrows(() => listingIndex(wide, ['owner'], ['id'], ['seq', 'owner', 'id']))
  t.throws(() => listingIndex(wide, ['owner'], ['id'], ['isClean']), { message: /^wide declares no index/ })
})

test('indexes and queries name fields that their documents have, of values that an index can hold', (t) => {
  // @ts-expect-error no document has this field
  collection<Pot>({ name: 'pots', version: 1, indexes: [{ fields: ['colour', 'id'] }] })
  // @ts-expect-error a list cannot be indexed
  collection<Pot>({ name: 'pots', version: 1, indexes: [{ fields: ['lids', 'id'] }] })
  // @ts-expect-error only a feed of changes is ordered by position
  collection<Pot>({ name: 'pots', version: 1, indexes: [{ fields: ['owner', '$position', 'id'] }] })
  // @ts-expect-error no document has this field
  t.throws(() => listingIndex(pots, ['colour'], ['-seq']))
  // @ts-expect-error no document has this field
  t.throws(() => listingIndex(pots, ['owner', 'isClean'], ['-colour']))
})

type Entry = { readonly id: string; readonly position: string }
const entries = collection<Entry>({ name: 'entries', version: 1, positions: ['position'], indexes: [{ fields: ['-position', '-id'] }] })

test('a query in the order of the log says so, and leaves out what is not settled at each read', (t) => {
  t.throws(() => listingIndex(entries, [], ['-position', '-id']), { message: /declare this with `inLogOrder`/ })
  const logged = inLogOrder(entries, [], ['-position', '-id'])
  let position = '1'
  const { upTo } = logged({ settled: () => position })
  t.deepEqual(upTo?.(), { position: { lte: '1' } })
  position = '2'
  t.deepEqual(upTo?.(), { position: { lte: '2' } })
  t.is(logged({}).upTo, undefined)
})

test('every query of the source is made from a declared one', (t) => {
  const files = globSync(['src/**/*.ts', 'projections/**/*.ts'], { exclude: ['src/adapters/**', 'src/ports/**'] })
  t.deepEqual(
    files.filter((file) => /\bdocuments\s*\.(find|select|count)\b/.test(readFileSync(file, 'utf8'))).toSorted(),
    [],
    'declare it with `indexed`, and use `findBy`, `selectBy` or `countBy`',
  )
})
