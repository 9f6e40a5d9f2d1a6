import {
  type Anchor,
  type Collection,
  type Condition,
  type Document,
  type Filter,
  type Index,
  isMembership,
  isRange,
  MAX_MEMBERSHIP_VALUES,
  type PageBounds,
  type Query,
  type Value,
} from '../../ports/documents.ts'
import { carries, serves } from '../../ports/orders.ts'

/** A MongoDB filter: path → operators. */
export type Match = Readonly<Record<string, unknown>>

type Direction = 1 | -1

type Term = { readonly field: string; readonly direction: Direction }

/** A part of an index, and the order in which it is read. */
export type IndexRange = { readonly match: Match; readonly sort: Readonly<Record<string, Direction>> }

/** One or more scans of one index. Their results, one after another, are the page. */
export type Plan = {
  readonly index: Index
  readonly ranges: readonly IndexRange[]
  /** True if the scans run against the listing's order (`before`). */
  readonly backwards: boolean
}

/** Returns the path at which a field of the port's vocabulary is stored. */
export const pathOf = (field: string): string => (field === 'id' ? '_id' : field === '$position' ? 'position' : `body.${field}`)

/** Returns the value at a path; null if there is none. */
export const valueAt = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>> | null | undefined)?.[name], row) ?? null

const termOf = (name: string): Term => (name.startsWith('-') ? { field: name.slice(1), direction: -1 } : { field: name, direction: 1 })

const flipDirection = (direction: Direction): Direction => (direction === 1 ? -1 : 1)

/** Makes an index's name from its definition, so that plans are readable and a changed declaration is another index. */
export const toIndexName = (index: Index): string =>
  [index.fields.join(','), ...(index.covers ? [`+${index.covers.join(',')}`] : [])].join(' ')

/**
 * Returns the key of an index. `live` leads every index, so that tombstones stay out of the bounds. Since it is in the key, it costs a
 * covered query no fetch (a partial index would: the server fetches to check a condition that its filter already implies). `_id` closes
 * every key.
 */
export const toIndexKey = (index: Index): Record<string, Direction> => {
  const key: Record<string, Direction> = { live: 1 }
  for (const { field, direction } of index.fields.map(termOf)) key[pathOf(field)] = direction
  for (const field of [...(index.covers ?? []), 'id']) key[pathOf(field)] ??= 1
  return key
}

/** Returns the fields of a document that are in some index. */
const fieldsInIndexes = ({ indexes, search }: Collection<Document>): ReadonlySet<string> =>
  new Set(
    [
      ...indexes.flatMap(({ fields, covers = [] }) => [...fields, ...covers]),
      ...(search ? [...search.filters, ...Object.values(search.orders).flat()] : []),
    ]
      .map((name) => termOf(name).field)
      .filter((field) => field !== '$position'),
  )

const known = new WeakMap<Collection<Document>, ReadonlySet<string>>()
export const indexedFields = (collection: Collection<Document>): ReadonlySet<string> => {
  const fields = known.get(collection) ?? fieldsInIndexes(collection)
  known.set(collection, fields)
  return fields
}

const sameSet = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name) => right.includes(name))

const operators = (condition: Condition): Match => {
  if (typeof condition !== 'object' || condition === null) return { $eq: condition }
  if ('in' in condition) return { $in: condition.in }
  // null must be in no range, not even in one that is open on both sides
  if (Object.keys(condition).length === 0) return { $ne: null }
  return Object.fromEntries(Object.entries(condition).map(([name, value]) => [`$${name}`, value]))
}

/** Combines all conditions. Those on one path are merged unless they use the same operator. */
const matchAll = (matches: readonly Match[]): Match => {
  const merged: Record<string, Match> = {}
  const clashing: Match[] = []
  for (const [path, condition] of matches.flatMap((match) => Object.entries(match) as [string, Match][])) {
    const known = merged[path] ?? {}
    if (Object.keys(condition).some((operator) => operator in known)) clashing.push({ [path]: condition })
    else merged[path] = { ...known, ...condition }
  }
  return clashing.length === 0 ? merged : { ...merged, $and: clashing }
}

const LIVE: Match = { live: { $eq: true } }

/** Matches the documents that exist and meet the conditions. */
export const matchOfFilter = (where: Filter): Match =>
  matchAll([LIVE, ...Object.entries(where).map(([field, condition]) => ({ [pathOf(field)]: operators(condition) }))])

/** Returns the condition for values after a value in a direction. Null sorts first, and comparisons alone would leave it out. */
const matchBeyond = (value: Value, direction: Direction): Match | undefined => {
  if (direction === 1) return value === null ? { $ne: null } : { $gt: value }
  return value === null ? undefined : { $not: { $gte: value } }
}

const sortBy = (order: readonly Term[]): IndexRange['sort'] =>
  Object.fromEntries(order.map(({ field, direction }) => [pathOf(field), direction]))

/**
 * Returns `(a, b) > (x, y)` as plain ranges, nearest first: `a = x, b > y`, then `a > x`. Each has tight index bounds. Fields with a fixed
 * value are left out of the order: if a listing merges many values, the server reads them in order only if the order begins after all fixed
 * fields, and otherwise sorts every tie.
 */
const rangesAfter = (order: readonly Term[], anchor: Anchor): readonly IndexRange[] =>
  order
    .map(({ field, direction }, depth): IndexRange | undefined => {
      const further = matchBeyond(anchor[depth] ?? null, direction)
      if (further === undefined) return undefined
      const tied = order.slice(0, depth).map((term, at): Match => ({ [pathOf(term.field)]: { $eq: anchor[at] ?? null } }))
      return { match: matchAll([...tied, { [pathOf(field)]: further }]), sort: sortBy(order.slice(depth)) }
    })
    .filter((range) => range !== undefined)
    .reverse()

const rangesOfPage = (order: readonly Term[], { after, before }: PageBounds): Pick<Plan, 'ranges' | 'backwards'> => {
  const anchor = before ?? after
  if (anchor === undefined) return { ranges: [{ match: {}, sort: sortBy(order) }], backwards: false }
  if (anchor.length !== order.length) throw new Error(`an anchor of ${anchor.length} values for an order of ${order.length} fields`)
  const backwards = before !== undefined
  const towards = backwards ? order.map(({ field, direction }) => ({ field, direction: flipDirection(direction) })) : order
  return { ranges: rangesAfter(towards, anchor), backwards }
}

const unservedError = (collection: Collection<Document>, { where, order }: Query, fields: readonly string[]): Error =>
  new Error(
    `no index of ${collection.name} serves ${Object.keys(where).join(', ') || 'everything'} ordered by ${order.join(', ')}` +
      (fields.length > 0 ? `, selecting ${fields.join(', ')}` : ''),
  )

/** Refuses queries that the server would accept but answer slowly, or otherwise than the port specifies. */
const checkQuery = ({ where, order, page }: Query): void => {
  const members = Object.values(where).flatMap((condition) => (isMembership(condition) ? [condition.in] : []))
  if (members.length > 1) throw new Error('only one field of a query may have `in`')
  if (members.some((values) => new Set(values).size > MAX_MEMBERSHIP_VALUES))
    throw new Error(`more than ${MAX_MEMBERSHIP_VALUES} values in \`in\``)
  const ranged = Object.keys(where).filter((field) => isRange(where[field] ?? null))
  if (ranged.some((field) => field !== termOf(order[0] ?? '').field)) throw new Error('a range must be on the first field of the order')
  if (page.after !== undefined && page.before !== undefined) throw new Error('a page starts after one item or ends before one, not both')
}

/** Plans a query on one declared index, which must also carry `fields`. Throws if none can serve it. */
export const plan = (collection: Collection<Document>, query: Query, fields: readonly string[] = []): Plan => {
  checkQuery(query)
  const order = query.order.map(termOf)
  const fixed = Object.keys(query.where).filter((field) => !isRange(query.where[field] ?? null))
  const index = collection.indexes.find((candidate) => serves(candidate, fixed, query.order) && carries(candidate, fields))
  if (index === undefined || order.length === 0) throw unservedError(collection, query, fields)
  const { ranges, backwards } = rangesOfPage(order, query.page)
  return {
    index,
    ranges: ranges.map(({ match, sort }) => ({ match: matchAll([matchOfFilter(query.where), match]), sort })),
    backwards,
  }
}

/** Returns the index that begins with exactly these fields. */
export const findCountIndex = (collection: Collection<Document>, where: Filter): Index => {
  const fields = Object.keys(where)
  const index = collection.indexes.find((candidate) =>
    sameSet(
      candidate.fields.slice(0, fields.length).map((name) => termOf(name).field),
      fields,
    ),
  )
  if (index === undefined || Object.values(where).some((condition) => isRange(condition) || isMembership(condition)))
    throw new Error(`no index of ${collection.name} counts by ${fields.join(', ') || 'everything'}`)
  return index
}
