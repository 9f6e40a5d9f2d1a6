// Decision 93.

import type { Collection, Document, Index, Value } from './documents.ts'

/** Returns the field of an order, which is the same for `-hot` and `hot`. */
export const fieldOf = (ordered: string): string => ordered.replace(/^-/, '')

const rank = (value: Value): number => (value === null ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3)

// Maps a UTF-16 unit so that comparing gives the bytewise order of UTF-8. The two differ where surrogates meet the characters above them.
const inByteOrder = (unit: number): number => (unit < 0xd800 ? unit : unit >= 0xe000 ? unit - 0x800 : unit + 0x2000)

const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return inByteOrder(x) - inByteOrder(y)
  }
  return a.length - b.length
}

/** Compares values in the order of every store: null, numbers, texts bytewise, booleans. */
export const compareValues = (a: Value, b: Value): number => {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  return Number(a) - Number(b)
}

/** Returns a comparison of keys whose values have these signs: -1 for those that descend. A missing value counts as null. */
export const compareKeys =
  (signs: readonly number[]) =>
  (a: readonly (Value | undefined)[], b: readonly (Value | undefined)[]): number => {
    for (const [n, sign] of signs.entries()) {
      const difference = compareValues(a[n] ?? null, b[n] ?? null)
      if (difference !== 0) return sign * difference
    }
    return 0
  }

/** Returns a comparison of keys of an order. */
export const compareKeysBy = (order: readonly string[]): ReturnType<typeof compareKeys> =>
  compareKeys(order.map((ordered) => (ordered.startsWith('-') ? -1 : 1)))

/** The fields of an item by their names. A missing one counts as null. */
export type FieldValues = Readonly<Record<string, Value | undefined>>

/** Returns a comparison of items by an order: negative if the first comes before the second. */
export const comparisonBy = (order: readonly string[]): ((a: FieldValues, b: FieldValues) => number) => {
  const fields = order.map((ordered) => ({ field: fieldOf(ordered), sign: ordered.startsWith('-') ? -1 : 1 }))
  return (a, b) => {
    for (const { field, sign } of fields) {
      const difference = compareValues(a[field] ?? null, b[field] ?? null)
      if (difference !== 0) return sign * difference
    }
    return 0
  }
}

/** Tells whether an index serves a query: equal in these fields, and then in this order or its reverse. */
export const serves = ({ fields }: Index, within: readonly string[], order: readonly string[]): boolean => {
  const first = fields.slice(0, within.length).map(fieldOf)
  const rest = fields.slice(within.length)
  const reverse = rest.map((field) => (field.startsWith('-') ? fieldOf(field) : `-${field}`))
  const isOrder = (one: readonly string[]) => one.length === order.length && one.every((field, n) => field === order[n])
  return new Set([...first, ...within]).size === first.length && first.length === within.length && (isOrder(rest) || isOrder(reverse))
}

/** Tells whether the fields of a document can be read from an index alone. */
export const carries = ({ fields, covers = [] }: Index, selected: readonly string[]): boolean => {
  const carried = ['id', ...fields.map(fieldOf), ...covers]
  return selected.every((field) => carried.includes(field))
}

type CollectionOrders = Pick<Collection<Document>, 'name' | 'indexes' | 'unique' | 'search'>

/** Tells whether an order ends in a field that never changes and that no two of its documents share. */
const endsUnique = (fields: readonly string[], unique: CollectionOrders['unique'] = {}): boolean => {
  const last = fields.at(-1)
  return last === 'id' || (last !== undefined && unique[last]?.every((field) => fields.slice(0, -1).includes(field)) === true)
}

const problemOf = ({ fields: directed, feed }: Index, unique: CollectionOrders['unique']): string | undefined => {
  const fields = directed.map(fieldOf)
  if (feed) return fields.at(-2) === '$position' && fields.at(-1) === 'id' ? undefined : 'a feed of changes ends in $position and id'
  if (fields.includes('$position')) return 'only a feed of changes is ordered by the position of the last change'
  return endsUnique(fields, unique) ? undefined : 'it does not end in id or a field that is declared unique'
}

/**
 * Throws if an order that a collection declares rests on a value that changes or is shared. In such an order an event would move the
 * entries of others, and a walk would repeat or miss entries that share a place. It is called whenever a store prepares collections.
 */
export const refuseUnstableOrders = (collections: readonly CollectionOrders[]): void => {
  for (const { name, indexes, unique, search } of collections) {
    const orders = [...indexes, ...Object.values(search?.orders ?? {}).map((fields): Index => ({ fields }))]
    for (const order of orders) {
      const problem = problemOf(order, unique)
      if (problem !== undefined) throw new Error(`${name} declares the order ${order.fields.join(' ')}: ${problem}`)
    }
  }
}
