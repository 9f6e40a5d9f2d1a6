import test from 'ava'
import { compareKeysBy } from '../../src/ports/orders.ts'
import { inLargePages, inMemorySource, mergeSources, type OrderedSource, walk } from '../../src/queries/ordered-source.ts'
import fc from '../support/properties.ts'

type Item = { readonly id: string; readonly rank: number; readonly seq: number }

const order = ['-rank', '-seq']
const compare = compareKeysBy(order)
const keyOf = ({ rank, seq }: Omit<Item, 'id'>) => [rank, seq]
const item = (seq: number, rank = 0): Item => ({ id: `t${seq}`, rank, seq })

/** Items at hand as a source; counts how often it was asked. */
const listing = (items: readonly Item[]) => {
  const sorted = items.toSorted((a, b) => compare(keyOf(a), keyOf(b)))
  const asked = { times: 0 }
  const source: OrderedSource<Item> = {
    keyOf,
    find: async ({ limit, after, before }) => {
      asked.times += 1
      if (before) return sorted.filter((item) => compare(keyOf(item), before) < 0).slice(-limit)
      return sorted.filter((item) => !after || compare(keyOf(item), after) > 0).slice(0, limit)
    },
  }
  return { sorted, source, asked }
}

const numbered = (count: number): readonly Item[] => Array.from({ length: count }, (_, seq) => item(seq))

test('a list in memory has the order of the stores: null, numbers, then texts by the bytes of UTF-8', async (t) => {
  const names = [null, -1, 0, '', 'a', '\uffff', '\u{1f375}']
  const items = names.map((name, n) => ({ id: `t${n}`, name }))
  for (const [order, expected] of [
    [['name', 'id'], names],
    [['-name', 'id'], names.toReversed()],
  ] as const) {
    const { find } = inMemorySource(items.toReversed(), order)
    t.deepEqual(
      (await find({ limit: 10 })).map(({ name }) => name),
      expected,
    )
  }
})

test('a first page reads once, a later one twice: for itself and for whether there are items before', async (t) => {
  const { source, sorted, asked } = listing(numbered(10))
  const first = await walk(source, 3, undefined)
  t.is(asked.times, 1)
  t.deepEqual(first, { items: sorted.slice(0, 3), after: sorted[2], before: undefined })
  asked.times = 0
  await walk(source, 3, { after: keyOf(sorted[2] ?? { rank: 0, seq: 0 }) })
  t.is(asked.times, 2)
})

test('larger reads give the same pages', async (t) => {
  const pages = fc.record({
    count: fc.nat(700),
    every: fc.constantFrom(1, 7, 60, 900),
    limit: fc.constantFrom(1, 3, 120),
    backwards: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(pages, async ({ count, every, limit, backwards }) => {
      const [plain, large] = [listing(numbered(count)), listing(numbered(count))]
      const keep = (items: readonly Item[]) => items.filter(({ seq }) => seq % every === 0)
      const from = backwards ? { before: [0, -1] } : undefined
      t.deepEqual(await walk(inLargePages(large.source), limit, from, keep), await walk(plain.source, limit, from, keep))
      t.true(large.asked.times <= plain.asked.times)
    }),
  )
  const { source, asked } = listing(numbered(5_000))
  await walk(inLargePages(source), 5, undefined, () => [])
  t.true(asked.times <= 12, `${asked.times}`)
})

test('after twenty reads without a visible item the page ends, and the next continues after the last item read', async (t) => {
  const { source, sorted, asked } = listing(numbered(20_000))
  const keep = (items: readonly Item[]) => items.filter(({ seq }) => seq === 0)
  const seen: Item[] = []
  let pages = 0
  for (let after: Item | undefined; ; pages += 1) {
    asked.times = 0
    const page = await walk(source, 5, after && { after: keyOf(after) }, keep)
    t.true(asked.times <= 41, 'twenty forwards, twenty to see what lies behind')
    seen.push(...page.items)
    after = page.after
    if (!after) break
    t.true(page.items.length === 0)
    t.is(page.hidden, 'after')
  }
  t.deepEqual(seen, sorted.slice(-1), 'nothing is missed')
  t.true(pages >= 2)
})

const items = fc.uniqueArray(
  fc.tuple(fc.nat(60), fc.nat(4)).map(([seq, rank]) => item(seq, rank)),
  { selector: ({ id }) => id, maxLength: 40 },
)

test('stretches merge by the ids of their items: one of several stretches is there once, and of equal keys each', async (t) => {
  const twins = [item(1), item(2), { ...item(2), id: 'twin' }]
  const page = await mergeSources([listing(twins.slice(0, 2)).source, listing(twins.slice(1)).source], order).find({ limit: 9 })
  t.deepEqual(page.map(({ id }) => id).toSorted(), ['t1', 't2', 'twin'])
})

test('paging with any page size, forwards and backwards, over one or several sources lists every visible item in order', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      items,
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      async (all, limit, parts, modulus) => {
        const { sorted } = listing(all)
        const sources = Array.from({ length: parts }, (_, part) => listing(all.filter(({ seq }) => seq % parts === part)).source)
        const source = mergeSources(sources, order)
        const passes = ({ seq }: Item) => seq % modulus === 0
        const keep = (some: readonly Item[]) => some.filter(passes)
        const expected = sorted.filter(passes)
        const there: Item[] = []
        let page = await walk(source, limit, undefined, keep)
        t.is(page.before, undefined)
        for (;;) {
          there.push(...page.items)
          t.is(page.after, there.length < expected.length ? there.at(-1) : undefined)
          if (!page.after) break
          page = await walk(source, limit, { after: keyOf(page.after) }, keep)
          t.is(page.before, page.items[0])
        }
        t.deepEqual(there, expected)
        const back: Item[] = []
        for (let before = expected.at(-1); before; ) {
          const earlier = await walk(source, limit, { before: keyOf(before) }, keep)
          back.unshift(...earlier.items)
          t.is(earlier.after, earlier.items.at(-1))
          before = earlier.before
        }
        t.deepEqual(back, expected.slice(0, -1))
      },
    ),
    { numRuns: 100 },
  )
})
