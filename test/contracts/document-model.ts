import type { Collection, Condition, Document, DocumentChange, Filter, PageBounds, Query, Value } from '../../src/ports/documents.ts'
import fc from '../support/properties.ts'

/** The documents of this contract. They have few values per field, so that ties are the rule. */
export type Thing = Document & {
  readonly listed: boolean
  readonly sub: string
  readonly kind: string
  readonly hot: number
  readonly score: number
  readonly at: number
  readonly rank: number | null
  readonly title: string
}

export const things = (name: string): Collection<Thing> => ({
  name,
  version: 1,
  indexes: [
    { fields: ['listed', '-hot', '-id'], covers: ['title', 'score', 'rank'] },
    { fields: ['sub', 'listed', '-hot', '-id'] },
    { fields: ['sub', 'at', 'id'] },
    { fields: ['kind', '-score', 'at', 'id'] },
    { fields: ['rank', 'id'] },
    { fields: ['sub', '-rank', 'id'] },
    { fields: ['kind', '-title', 'id'] },
    { fields: ['sub', '$position', 'id'], feed: true },
  ],
})

const text = fc.constantFrom('a', 'B', 'b', 'zebra', 'é', '', '￿', '😀', 'aa')

export const arbitraryThing = (id: string): fc.Arbitrary<Thing> =>
  fc.record({
    id: fc.constant(id),
    listed: fc.boolean(),
    sub: fc.constantFrom('x', 'y', 'z'),
    kind: fc.constantFrom('k', 'l'),
    hot: fc.constantFrom(-1.5, 0, 0.25, 3),
    score: fc.integer({ min: -2, max: 2 }),
    at: fc.integer({ min: 0, max: 4 }),
    rank: fc.option(fc.integer({ min: 0, max: 2 })),
    title: text,
  })

export const someThings: fc.Arbitrary<readonly Thing[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 999 }), { maxLength: 40 })
  .chain((numbers) => fc.tuple(...numbers.map((n) => arbitraryThing(`t${n}`))))

/** The positions a naive store keeps beside its documents. */
export type Model = Map<string, { readonly position: string; readonly document: Thing | undefined }>

export const applyChanges = (model: Model, changes: readonly DocumentChange[]): Model => {
  for (const { id, position, document } of changes) {
    const current = model.get(id)
    if (!current || current.position < position) model.set(id, { position, document: document as Thing | undefined })
  }
  return model
}

const bytes = (value: string): Buffer => Buffer.from(value)

const compare = (a: Value, b: Value): number => {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(bytes(a), bytes(b))
  return Number(a) - Number(b)
}

type Row = Readonly<Record<string, Value>>

const meets = (value: Value, condition: Condition): boolean => {
  if (typeof condition !== 'object' || condition === null) return value === condition
  if ('in' in condition) return condition.in.includes(value)
  const { gt, gte, lt, lte } = condition as { gt?: Value; gte?: Value; lt?: Value; lte?: Value }
  if (value === null) return false
  return (
    (gt === undefined || compare(value, gt) > 0) &&
    (gte === undefined || compare(value, gte) >= 0) &&
    (lt === undefined || compare(value, lt) < 0) &&
    (lte === undefined || compare(value, lte) <= 0)
  )
}

const toField = (name: string): { readonly name: string; readonly sign: 1 | -1 } =>
  name.startsWith('-') ? { name: name.slice(1), sign: -1 } : { name, sign: 1 }

const compareRows = (order: readonly string[], a: readonly Value[], b: readonly Value[]): number =>
  order.map((name, i) => compare(a[i] ?? null, b[i] ?? null) * toField(name).sign).find((difference) => difference !== 0) ?? 0

export const anchorOf = (order: readonly string[], row: Row): readonly Value[] => order.map((name) => row[toField(name).name] ?? null)

/** Answers the query in the naive way: look at everything, sort, cut. */
export const answer = (model: Model, { where, order, page }: Query): readonly string[] => {
  const rows = [...model.values()].flatMap(({ position, document }): Row[] => (document ? [{ ...document, $position: position }] : []))
  const listed = rows
    .filter((row) => Object.entries(where).every(([name, condition]) => meets(row[name] ?? null, condition)))
    .sort((a, b) => compareRows(order, anchorOf(order, a), anchorOf(order, b)))
  const { after, before, limit } = page
  const kept = listed.filter((row) => {
    const at = anchorOf(order, row)
    return (!after || compareRows(order, at, after) > 0) && (!before || compareRows(order, at, before) < 0)
  })
  return (before ? kept.slice(-limit) : kept.slice(0, limit)).map(({ id }) => String(id))
}

const withAnchors = (page: fc.Arbitrary<readonly Value[]>): fc.Arbitrary<PageBounds> =>
  fc
    .record({ limit: fc.integer({ min: 1, max: 9 }), anchor: page, way: fc.constantFrom('start', 'after', 'before') })
    .map(
      ({ limit, anchor, way }): PageBounds =>
        way === 'start' ? { limit } : way === 'after' ? { limit, after: anchor } : { limit, before: anchor },
    )

const id = fc.integer({ min: 0, max: 999 }).map((n) => `t${n}`)
const sub = fc.constantFrom('x', 'y', 'z', 'none')
const subs = fc.oneof(
  sub,
  fc.uniqueArray(sub).map((members) => ({ in: members })),
)
const rank = fc.option(fc.integer({ min: -1, max: 3 }))
const bound = fc.record({ gte: fc.integer({ min: 0, max: 4 }), lt: fc.integer({ min: 0, max: 5 }) }, { requiredKeys: [] })
const strictBound = fc.record({ gt: fc.integer({ min: -2, max: 2 }), lte: fc.integer({ min: -2, max: 2 }) }, { requiredKeys: [] })

const query = (where: fc.Arbitrary<Filter>, order: readonly string[], anchor: fc.Arbitrary<readonly Value[]>): fc.Arbitrary<Query> =>
  fc.record({ where, order: fc.constant(order), page: withAnchors(anchor) })

const hot = fc.constantFrom(-1.5, -0.5, 0, 0.25, 3, 9)
const small = fc.integer({ min: -2, max: 5 })

/** Queries that the indexes of `things` serve, in every shape the port allows. */
export const queries: fc.Arbitrary<Query> = fc.oneof(
  query(fc.record({ listed: fc.boolean() }), ['-hot', '-id'], fc.tuple(hot, id)),
  query(fc.record({ listed: fc.boolean() }), ['hot', 'id'], fc.tuple(hot, id)),
  query(fc.record({ sub: subs, listed: fc.boolean() }), ['-hot', '-id'], fc.tuple(hot, id)),
  query(fc.record({ sub: subs, at: bound }), ['at', 'id'], fc.tuple(small, id)),
  query(fc.record({ sub: subs }), ['-at', '-id'], fc.tuple(small, id)),
  query(fc.record({ kind: fc.constantFrom('k', 'l'), score: strictBound }), ['-score', 'at', 'id'], fc.tuple(small, small, id)),
  query(fc.constant({}), ['rank', 'id'], fc.tuple(rank, id)),
  query(fc.record({ rank: fc.record({ gte: fc.integer({ min: 0, max: 2 }) }) }), ['rank', 'id'], fc.tuple(rank, id)),
  query(fc.record({ sub: subs }), ['-rank', 'id'], fc.tuple(rank, id)),
  query(fc.record({ kind: fc.constantFrom('k', 'l') }), ['-title', 'id'], fc.tuple(text, id)),
)
