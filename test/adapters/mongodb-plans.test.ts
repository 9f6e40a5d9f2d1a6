import test from 'ava'
import { projections } from '../../projections/all.ts'
import { type IndexRange, type Match, plan, toIndexKey } from '../../src/adapters/mongodb/query.ts'
import type { Collection, Document, Filter, Index, PageBounds, Query } from '../../src/ports/documents.ts'

// MongoDB's planner reads an index in order where the order begins right after the fields that the question fixes; where one of them is
// fixed to several values it opens a scan for each, 200 at most, and merges them. Else it sorts in memory. This is the rule of the planner
// of 7.0, so that it is tested without a server; the contract suite tries the real one.

const MAX_SCANS = 200
const MAX_FIELDS = 32

const pointsOf = (condition: unknown): number | undefined => {
  if (typeof condition !== 'object' || condition === null) return undefined
  if ('$eq' in condition) return condition.$eq === null ? 2 : 1
  if ('$in' in condition) return (condition.$in as readonly unknown[]).length
  return undefined
}

/** Returns the number of scans of an index that answer this in order; undefined if the server would have to sort. */
const scansInOrder = (index: Index, { match, sort }: IndexRange): number | undefined => {
  const key = Object.entries(toIndexKey(index))
  const fixed = key.findIndex(([path]) => pointsOf(match[path]) === undefined)
  const scans = key.slice(0, fixed).reduce((product, [path]) => product * (pointsOf(match[path]) ?? 1), 1)
  const rest = key.slice(fixed)
  const wanted = Object.entries(sort)
  const follows = (sign: number): boolean =>
    wanted.every(([path, direction], at) => rest[at]?.[0] === path && rest[at][1] === direction * sign)
  return scans <= MAX_SCANS && (follows(1) || follows(-1)) ? scans : undefined
}

/**
 * Tells whether some condition bounds each field between the fixed ones and the last that is bounded: no part of the index is read without
 * need.
 */
const isTight = (index: Index, match: Match): boolean => {
  const bounded = Object.keys(toIndexKey(index)).map((path) => path in match)
  return bounded.lastIndexOf(true) === bounded.filter(Boolean).length - 1
}

const MEMBERS = Array.from({ length: MAX_SCANS }, (_, index) => `m${index}`)

const questionsOf = ({ fields }: Index): readonly Query[] =>
  fields.flatMap((_, equal) => {
    const order = fields.slice(equal)
    const fixed = fields.slice(0, equal).map((name) => name.replace(/^-/, ''))
    const where: Filter = Object.fromEntries(fixed.map((name) => [name, 1]))
    const anchor = order.map(() => 1)
    const pages: readonly PageBounds[] = [{ limit: 25 }, { limit: 25, after: anchor }, { limit: 25, before: anchor }]
    const filters = [where, ...fixed.map((name): Filter => ({ ...where, [name]: { in: MEMBERS } }))]
    return filters.flatMap((filter) => pages.map((page): Query => ({ where: filter, order, page })))
  })

const declared: readonly (readonly [Collection<Document>, Index])[] = projections.flatMap(({ collection }) =>
  collection.indexes.map((index) => [collection, index] as const),
)

test('every query that a declared index serves is read in the index’s order, also merged from 200 values', (t) => {
  let asked = 0
  for (const [collection, index] of declared)
    for (const query of questionsOf(index))
      for (const range of plan(collection, query).ranges) {
        const text = `${collection.name} ${JSON.stringify(query.order)} ${JSON.stringify(range).slice(0, 300)}`
        const { index: chosen } = plan(collection, query)
        t.not(scansInOrder(chosen, range), undefined, text)
        t.true(isTight(chosen, range.match), text)
        asked += 1
      }
  t.true(asked > 1_000)
})

test('an order of mixed directions is read by tight ranges, nearest first', (t) => {
  const collection: Collection<Document> = { name: 'c', version: 1, indexes: [{ fields: ['kind', '-score', 'at', 'id'] }] }
  const where = { kind: { in: ['a', 'b'] } }
  const { ranges } = plan(collection, { where, order: ['-score', 'at', 'id'], page: { limit: 5, after: [3, 7, 'x'] } })
  const base = { live: { $eq: true }, 'body.kind': { $in: ['a', 'b'] } }
  t.deepEqual(ranges, [
    { match: { ...base, 'body.score': { $eq: 3 }, 'body.at': { $eq: 7 }, _id: { $gt: 'x' } }, sort: { _id: 1 } },
    { match: { ...base, 'body.score': { $eq: 3 }, 'body.at': { $gt: 7 } }, sort: { 'body.at': 1, _id: 1 } },
    { match: { ...base, 'body.score': { $not: { $gte: 3 } } }, sort: { 'body.score': -1, 'body.at': 1, _id: 1 } },
  ])
})

test('no index has more fields than MongoDB allows', (t) => {
  for (const [collection, index] of declared)
    t.true(Object.keys(toIndexKey(index)).length <= MAX_FIELDS, `${collection.name} ${index.fields.join()}`)
})
