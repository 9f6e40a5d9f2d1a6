import { type Anchor, collectionKey, type Filter, isMembership, isRange, MAX_MEMBERSHIP_VALUES, type Value } from '../../ports/documents.ts'
import { compareKeys, compareValues, serves } from '../../ports/orders.ts'
import { fromPosition, toPosition } from './log.ts'
import { type ColumnValue, columnOf, type Direction, direction, fromStored, type TableIndex, type TableLayout, toStored } from './tables.ts'

export type Equal = { readonly field: string; readonly value: Value }

type Bound = { readonly value: Value; readonly inclusive: boolean }

export type FieldRange = { readonly field: string; readonly lower?: Bound; readonly upper?: Bound }

/** The index, and the conditions on its fields, that a query needs. */
export type Plan = {
  readonly index: TableIndex
  readonly equal: readonly Equal[]
  readonly membership: { readonly field: string; readonly values: readonly Value[] } | undefined
  readonly range: FieldRange | undefined
  readonly order: readonly Direction[]
}

/** A stretch of an index: equal on some fields, within bounds on the next. A page is read from a few of these in turn. */
export type Stretch = { readonly equal: readonly Equal[]; readonly range?: FieldRange; readonly notNull?: string }

const rangeOf = (field: string, { gt, gte, lt, lte }: { gt?: Value; gte?: Value; lt?: Value; lte?: Value }): FieldRange => {
  const lower = gte !== undefined ? { value: gte, inclusive: true } : gt !== undefined ? { value: gt, inclusive: false } : undefined
  const upper = lte !== undefined ? { value: lte, inclusive: true } : lt !== undefined ? { value: lt, inclusive: false } : undefined
  if ((gt !== undefined && gte !== undefined) || (lt !== undefined && lte !== undefined))
    throw new Error(`two lower or two upper bounds on ${field}`)
  return { field, ...(lower && { lower }), ...(upper && { upper }) }
}

const unservedError = (table: TableLayout, where: Filter, order: readonly string[]): Error =>
  new Error(`${collectionKey(table.collection)} declares no index for where ${JSON.stringify(where)} order ${order.join(' ')}`)

const found = new WeakMap<TableLayout, Map<string, TableIndex | undefined>>()

const indexFor = (table: TableLayout, fixed: ReadonlySet<string>, order: readonly string[]): TableIndex | undefined => {
  const known = found.get(table) ?? new Map<string, TableIndex | undefined>()
  found.set(table, known)
  const key = `${[...fixed].join(' ')},${order.join(' ')}`
  if (!known.has(key)) {
    const at = table.collection.indexes.findIndex((index) => serves(index, [...fixed], order))
    known.set(key, table.indexes[at])
  }
  return known.get(key)
}

/** Finds the declared index that serves a query. Throws if there is none, since nothing is ever scanned. */
export const planQuery = (table: TableLayout, where: Filter, order: readonly string[]): Plan => {
  const conditions = Object.entries(where)
  const directions = order.map(direction)
  const ranges = conditions.flatMap(([field, condition]) => (isRange(condition) ? [rangeOf(field, condition)] : []))
  const memberships = conditions.flatMap(([field, condition]) =>
    isMembership(condition) ? [{ field, values: [...new Set(condition.in)] }] : [],
  )
  const equal = conditions.flatMap(([field, condition]) =>
    isRange(condition) || isMembership(condition) ? [] : [{ field, value: condition }],
  )
  const fixed = new Set([...equal, ...memberships].map(({ field }) => field))

  const [range] = ranges
  const [membership] = memberships
  if (ranges.length > 1 || (range && range.field !== directions[0]?.field))
    throw new Error(`a range must be on the first field of the order, ${order[0]}`)
  if (memberships.length > 1) throw new Error('only one field of a query may have `in`')
  if (membership && membership.values.length > MAX_MEMBERSHIP_VALUES)
    throw new Error(`${membership.values.length} values in \`in\`; ${MAX_MEMBERSHIP_VALUES} are allowed`)

  const index = indexFor(table, fixed, order)
  if (!index || directions.length === 0) throw unservedError(table, where, order)
  return { index, equal, membership, range, order: directions }
}

/** Finds a declared index whose first fields are exactly the ones that must be equal. */
export const planCount = (table: TableLayout, where: Filter): Plan => {
  const equal = Object.entries(where).map(([field, condition]) => {
    if (typeof condition === 'object' && condition !== null) throw new Error(`only equality can be counted, not ${field}`)
    return { field, value: condition }
  })
  const fixed = new Set(equal.map(({ field }) => field))
  const index = table.indexes.find(
    ({ fields }) => fields.length >= fixed.size && fields.slice(0, fixed.size).every(({ field }) => fixed.has(field)),
  )
  if (!index) throw unservedError(table, where, [])
  return { index, equal, membership: undefined, range: undefined, order: [] }
}

const tighter = (a: Bound | undefined, b: Bound | undefined, sign: 1 | -1): Bound | undefined => {
  if (!a || !b) return a ?? b
  const difference = compareValues(a.value, b.value) * sign
  return difference > 0 || (difference === 0 && !a.inclusive) ? a : b
}

export const isWithin = ({ lower, upper }: FieldRange, value: Value): boolean => {
  if (value === null) return false
  const above = lower ? compareValues(value, lower.value) : 1
  const below = upper ? compareValues(value, upper.value) : -1
  return (above > 0 || (above === 0 && lower?.inclusive === true)) && (below < 0 || (below === 0 && upper?.inclusive === true))
}

/** Returns the stretches of values strictly after a value of one field. Null sorts first. */
const stretchesBeyond = (
  equal: readonly Equal[],
  { field, descending }: Direction,
  value: Value,
  range: FieldRange | undefined,
): readonly Stretch[] => {
  if (value === null) return descending ? [] : [range ? { equal, range } : { equal, notNull: field }]
  const bound = { value, inclusive: false }
  const lower = descending ? range?.lower : tighter(range?.lower, bound, 1)
  const upper = descending ? tighter(range?.upper, bound, -1) : range?.upper
  const rest: Stretch = { equal, range: { field, ...(lower && { lower }), ...(upper && { upper }) } }
  return descending && !range ? [rest, { equal: [...equal, { field, value: null }] }] : [rest]
}

/**
 * Returns the stretches of the index that hold, one after the other, everything after an anchor: first the ties with it on all fields but
 * the last, then on all but the last two, and so on. Each is one dive into the index, however many ties there are.
 */
export const stretches = (
  { range }: Plan,
  equal: readonly Equal[],
  order: readonly Direction[],
  anchor: Anchor | undefined,
): readonly Stretch[] => {
  if (!anchor) return [range ? { equal, range } : { equal }]
  if (anchor.length !== order.length) throw new Error(`an anchor of ${anchor.length} values for an order of ${order.length} fields`)
  return order
    .flatMap((at, i) => {
      const value = anchor[i]
      if (value === undefined) throw new Error(`the anchor has no ${at.field}`)
      const ties = order.slice(0, i).map(({ field }, k): Equal => ({ field, value: anchor[k] ?? null }))
      if (i > 0 && range && !isWithin(range, anchor[0] ?? null)) return []
      return [stretchesBeyond([...equal, ...ties], at, value, i === 0 ? range : undefined)]
    })
    .reverse()
    .flat()
}

/** The condition of a stretch of an index, and the values of its question marks. */
export type Clause = { readonly terms: readonly string[]; readonly parameters: readonly ColumnValue[] }

const parameter = (field: string, value: Value): ColumnValue =>
  field === '$position' ? BigInt(fromPosition(String(value))) : toStored(value)

/** Returns a value of a row, as the port shows it. */
export const toPortValue = (field: string, stored: unknown): Value =>
  field === '$position' ? toPosition(Number(stored)) : fromStored(stored)

export const clauseOf = ({ equal, range, notNull }: Stretch): Clause => {
  const parameters: ColumnValue[] = []
  const terms: string[] = []
  for (const { field, value } of equal) {
    terms.push(`${columnOf(field)} ${value === null ? 'IS NULL' : '= ?'}`)
    if (value !== null) parameters.push(parameter(field, value))
  }
  if (range?.lower) {
    terms.push(`${columnOf(range.field)} ${range.lower.inclusive ? '>=' : '>'} ?`)
    parameters.push(parameter(range.field, range.lower.value))
  }
  if (range?.upper) {
    terms.push(`${columnOf(range.field)} ${range.upper.inclusive ? '<=' : '<'} ?`)
    parameters.push(parameter(range.field, range.upper.value))
  }
  if (notNull !== undefined) terms.push(`${columnOf(notNull)} IS NOT NULL`)
  return { terms, parameters }
}

/** A row of a page: the values of some columns. */
export type PageRow = readonly unknown[]

/** Returns a test whether a row comes before another. Rows begin with the fields of the order. */
export const precedes = (order: readonly Direction[]): ((a: PageRow, b: PageRow) => boolean) => {
  const compare = compareKeys(order.map(({ descending }) => (descending ? -1 : 1)))
  return (a, b) => compare(a as readonly Value[], b as readonly Value[]) < 0
}

export const whereClause = (terms: readonly string[]): string => (terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`)

export const orderClause = (order: readonly Direction[]): string =>
  ` ORDER BY ${order.map(({ field, descending }) => `${columnOf(field)}${descending ? ' DESC' : ''}`).join(', ')}`
