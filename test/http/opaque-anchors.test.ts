import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from '../../src/http/contract/endpoint.ts'
import { list } from '../../src/http/things/listing.ts'
import { openOpaqueAnchors } from '../../src/queries/opaque-anchors.ts'
import { anchors, inMemorySource } from '../../src/queries/ordered-source.ts'

type Item = { readonly id: string; readonly seq: number }

const ORDER = ['-seq']
/** More than one page examines. */
const MANY = 20_000
const items = Array.from({ length: MANY }, (_, seq): Item => ({ id: `t5_${seq.toString(36)}`, seq }))
/** Only the first and the last ones are visible. */
const isVisible = ({ seq }: Item) => seq < 3 || seq >= MANY - 2
const visible = items.filter(isVisible).map(({ id }) => id)

const secret = 'a secret of the site, long enough'

type Page = { readonly children: readonly Item[]; readonly after: string | null; readonly before: string | null }

/** One page of a listing, by a process that has just started. */
const pageAt = async (
  page: { readonly limit: number; readonly after?: string; readonly before?: string },
  order = ORDER,
): Promise<Page> => {
  const context = { page, viewer: {} } as unknown as Context
  const byName = new Map(items.map((item) => [item.id, item]))
  const source = inMemorySource(items, order)
  const listed = list<Item>({
    source,
    order,
    nameOf: ({ id }) => id,
    visible: (some) => some.filter(isVisible),
    anchor: async (name) => {
      const item = byName.get(name)
      return item && { key: source.keyOf(item), viewable: true }
    },
    present: (some) => some,
  })
  const turned = await listed.turn(context, { anchors: anchors(), opaqueAnchors: openOpaqueAnchors(secret) })
  if (E.isLeft(turned)) throw new Error(turned.left.code)
  return turned.right as unknown as Page
}

test('where a page ends at no visible item its anchor says nothing, and leads on in any process, there and back', async (t) => {
  const there: string[] = []
  const ends: string[] = []
  let page = await pageAt({ limit: 10 })
  for (; ; page = await pageAt({ limit: 10, after: page.after })) {
    there.push(...page.children.map(({ id }) => id))
    if (page.after === null) break
    ends.push(page.after)
  }
  t.deepEqual(there, visible.toReversed())
  const opaque = ends.filter((end) => !visible.includes(end))
  t.true(opaque.length > 0)
  for (const end of opaque) t.regex(end, /^at_[0-9a-f]{58,}$/)
  t.is(new Set(opaque.map((end) => end.length)).size <= 2, true)
  const back: string[] = page.children.map(({ id }) => id)
  for (let n = 0; page.before !== null && n < 20; n += 1) {
    page = await pageAt({ limit: 10, before: page.before })
    back.unshift(...page.children.map(({ id }) => id))
  }
  t.deepEqual(back, visible.toReversed())
})

test('an anchor of another order, of another site, or that was altered is no anchor: the first page', async (t) => {
  const { seal, unseal } = openOpaqueAnchors(secret)
  const end = seal(ORDER, [MANY - 100])
  t.deepEqual(unseal(ORDER, end), [MANY - 100])
  t.not(seal(ORDER, [MANY - 100]), end)
  const altered = `${end.slice(0, -1)}${end.endsWith('0') ? '1' : '0'}`
  for (const [order, text] of [
    [['-hot', '-seq'], end],
    [ORDER, altered],
    [ORDER, 'at_'],
    [ORDER, 'at_zz'],
    [ORDER, end.slice(0, 40)],
  ] as const)
    t.is(unseal(order, text), undefined, text)
  t.is(openOpaqueAnchors('another secret of another site').unseal(ORDER, end), undefined)
  t.deepEqual(
    (await pageAt({ limit: 1, after: altered })).children.map(({ id }) => id),
    visible.slice(-1),
  )
})
