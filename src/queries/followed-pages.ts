// Decision 130.

import { type Anchor, type Condition, type Filter, isMembership, isRange, type Query, type Value } from '../ports/documents.ts'
import type { ChangedDocument } from '../ports/freshness.ts'
import { compareValues, comparisonBy, type FieldValues, fieldOf } from '../ports/orders.ts'
import { type Demand, demandOf } from './change-index.ts'

/** A page of a listing that changes of documents can update. */
export type FollowedPage = {
  readonly demand: Demand
  /** Returns the page after a change of a document; undefined if only the store can tell. */
  readonly changed: (items: readonly FieldValues[], changed: ChangedDocument) => readonly FieldValues[] | undefined
}

const meets = (value: Value, condition: Condition): boolean => {
  if (isMembership(condition)) return condition.in.includes(value)
  if (!isRange(condition)) return value === condition
  const { gt, gte, lt, lte } = condition
  return (
    value !== null &&
    (gt === undefined || compareValues(value, gt) > 0) &&
    (gte === undefined || compareValues(value, gte) >= 0) &&
    (lt === undefined || compareValues(value, lt) < 0) &&
    (lte === undefined || compareValues(value, lte) <= 0)
  )
}

const conditionsOf = (where: Filter): ((row: FieldValues) => boolean) => {
  const conditions = Object.entries(where)
  return (row) => conditions.every(([field, condition]) => meets(row[field] ?? null, condition))
}

// most changes concern none of a page's items
const ids = new WeakMap<readonly FieldValues[], ReadonlySet<unknown>>()

const idsOf = (items: readonly FieldValues[]): ReadonlySet<unknown> => {
  const known = ids.get(items) ?? new Set(items.map(({ id }) => id))
  ids.set(items, known)
  return known
}

/** Returns the shown part of a document: all of it, or some fields. */
const shownIn = (fields: readonly string[] | undefined): ((row: FieldValues) => FieldValues) =>
  fields ? (row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? null])) : (row) => row

/**
 * Updates a page from changes of documents; undefined if only the store can tell. Everything before the end of a full page is known, and
 * nothing after it: if a document leaves the page, an unknown one may take its place.
 */
export const followedPage = (
  { where, order, page: { limit, after, before } }: Query,
  fields: readonly string[] | undefined,
): FollowedPage | undefined => {
  const keys = order.map(fieldOf)
  // no document has its place in an order by the position of the last change
  if (keys.includes('$position') || (fields && !fields.includes('id'))) return undefined
  const isPlaceShown = fields === undefined || keys.every((key) => fields.includes(key))
  const inListing = comparisonBy(order)
  // compares from the anchor on
  const compare = before ? (a: FieldValues, b: FieldValues) => inListing(b, a) : inListing
  const start: Anchor | undefined = before ?? after
  const anchor: FieldValues | undefined = start && Object.fromEntries(keys.map((key, n) => [key, start[n] ?? null]))
  const [meetsAll, shown] = [conditionsOf(where), shownIn(fields)]
  const belongs = (row: FieldValues | undefined): row is FieldValues =>
    row !== undefined && meetsAll(row) && (!anchor || compare(row, anchor) > 0)

  const changed: FollowedPage['changed'] = (items, { id, document }) => {
    const row = document() as FieldValues | undefined
    const isThere = idsOf(items).has(id)
    const isWanted = belongs(row)
    if (!isThere && !isWanted) return items
    const isFull = items.length >= limit
    if (!isPlaceShown || (isFull && !isWanted)) return undefined
    const known = before ? items.toReversed() : items
    const rest = known.filter((item) => item.id !== id)
    const end = known.at(-1)
    if (isWanted) {
      if (isFull && end && compare(row, end) > 0) return isThere ? undefined : items
      const place = rest.findIndex((item) => compare(row, item) < 0)
      rest.splice(place < 0 ? rest.length : place, 0, shown(row))
    }
    const page = rest.slice(0, limit)
    return before ? page.reverse() : page
  }
  return { demand: demandOf(where), changed }
}
