import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { withinLimits } from '../../src/ports/within-limits.ts'
import { make, prepareThings, toPosition } from '../contracts/document-cases.ts'
import { anchorOf, answer, applyChanges } from '../contracts/document-model.ts'
import fc from '../support/properties.ts'

const SUBSITES = 450
const subsites = Array.from({ length: SUBSITES }, (_, n) => `s${n}`)
const all = Array.from({ length: 1_200 }, (_, n) =>
  make(`t${n}`, { sub: `s${(n * 7) % SUBSITES}`, hot: n % 11, listed: n % 3 > 0, rank: n % 4 === 0 ? null : n % 4 }),
)

const directory = await mkdtemp(join(tmpdir(), 'rostra-'))
const stores = await openSqlite({ file: join(directory, 'data.db') })
const documents = withinLimits(stores.documents)
const { collection, put, change } = await prepareThings(documents)
await put(...all)
const model = applyChanges(
  new Map(),
  all.map((document, i) => change(document, i + 1)),
)

test.after.always(async () => {
  await stores.close()
  await rm(directory, { recursive: true, force: true })
})

test('any number of ids can be read at once', async (t) => {
  const ids = [...all.map(({ id }) => id), 'nobody']
  t.is((await documents.getMany(collection, ids)).size, all.length)
  t.is((await documents.getMany(collection, [])).size, 0)
})

test('a query for no value matches nothing, without a read of the store', async (t) => {
  const unasked = async () => t.fail()
  const { find, select } = withinLimits({ ...stores.documents, find: unasked, select: unasked } as never)
  const query = { where: { sub: { in: [] } }, order: ['-hot', '-id'], page: { limit: 5 } }
  t.deepEqual(await find(collection, query), [])
  t.deepEqual(await select(collection, query, ['id']), [])
})

const orders = [
  { where: { listed: true }, order: ['-hot', '-id'] },
  { where: {}, order: ['-rank', 'id'] },
] as const

const asked = fc.record({
  members: fc.oneof(
    fc.constant([]),
    fc.constantFrom(...subsites).map((one) => [one]),
    fc.subarray(subsites, { minLength: 190 }).map((some) => [...some, ...some.slice(0, 20), 'nowhere']),
  ),
  kind: fc.constantFrom(...orders),
  limit: fc.integer({ min: 1, max: 60 }),
  anchor: fc.option(fc.record({ item: fc.constantFrom(...all), way: fc.constantFrom('after', 'before') }), { nil: undefined }),
})

test('a query for any number of values is one ordered listing, forwards and backwards', async (t) => {
  await fc.assert(
    fc.asyncProperty(asked, async ({ members, kind, limit, anchor }) => {
      const page = { limit, ...(anchor && { [anchor.way]: anchorOf(kind.order, anchor.item) }) }
      const query = { where: { ...kind.where, sub: { in: members } }, order: kind.order, page }
      const expected = answer(model, query)
      t.deepEqual(
        (await documents.find(collection, query)).map(({ id }) => id),
        expected,
      )
      t.deepEqual(
        (await documents.select<{ readonly id: string }>(collection, query, ['id'])).map(({ id }) => id),
        expected,
      )
    }),
    { numRuns: 60 },
  )
})

test('a query for any number of values can be ordered by position, if that is selected', async (t) => {
  const query = { where: { sub: { in: subsites } }, order: ['$position', 'id'], page: { limit: 5, after: [toPosition(100), 't99'] } }
  t.deepEqual(
    (await documents.select<{ readonly id: string }>(collection, query, ['id', '$position'])).map(({ id }) => id),
    ['t100', 't101', 't102', 't103', 't104'],
  )
  await t.throwsAsync(documents.find(collection, query), { message: /select it/ })
})
