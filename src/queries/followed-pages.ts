// Decision 130.

import { type Anchor, type Condition, type Filter, isMembership, isRange, type Query, type Value } from '../ports/documents.ts'
import type { ChangedDocument } from '../ports/freshness.ts'
import { compareValues, comparisonBy, type FieldValues, fieldOf } from '../ports/orders.ts'
import { type Demand, demandOf } from './change-index.ts'

/** A page of a listing that changes of documents can update. */
export type FollowedPage = {
  readonly demand: Demand
  /** Returns the page after a change of a document; undefined if only the store can tell. */
  readonly applyChange: (items: readonly FieldValues[], changed: ChangedDocument) => readonly FieldValues[] | undefined
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

/** Returns a test whether a document meets a whole filter. */
const toTest = (where: Filter): ((row: FieldValues) => boolean) => {
  const conditions = Object.entries(where)
  return (row) => conditions.every(([field, condition]) => meets(row[field] ?? null, condition))
}

/** The ids of the items of pages. Most changes concern none of them, so a set that is made once tells it fastest. */
const idsOfPages = new WeakMap<readonly FieldValues[], ReadonlySet<unknown>>()

const idsOf = (items: readonly FieldValues[]): ReadonlySet<unknown> => {
  const ids = idsOfPages.get(items) ?? new Set(items.map(({ id }) => id))
  idsOfPages.set(items, ids)
  return ids
}

/** Returns a function that selects the shown part of a document: all of it, or some fields. */
const toSelection = (fields: readonly string[] | undefined): ((row: FieldValues) => FieldValues) =>
  fields ? (row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? null])) : (row) => row

/**
 * Updates a page from changes of documents; undefined if only the store can tell. Everything before the end of a full page is known, and
 * nothing after it: if a document leaves the page, an unknown one may take its place.
 */
export const followPage = (
  { where, order, page: { limit, after, before } }: Query,
  fields: readonly string[] | undefined,
): FollowedPage | undefined => {
  const keys = order.map(fieldOf)
  // no document has its place in an order by the position of the last change
  if (keys.includes('$position') || (fields && !fields.includes('id'))) return undefined
  const isPlaceShown = fields === undefined || keys.every((key) => fields.includes(key))
  const inListing = comparisonBy(order)
  /** Compares in the order in which the page is read: away from its anchor. */
  const compare = before ? (a: FieldValues, b: FieldValues) => inListing(b, a) : inListing
  const start: Anchor | undefined = before ?? after
  const anchor: FieldValues | undefined = start && Object.fromEntries(keys.map((key, n) => [key, start[n] ?? null]))
  const meetsAll = toTest(where)
  const selectShown = toSelection(fields)
  const belongs = (row: FieldValues | undefined): row is FieldValues =>
    row !== undefined && meetsAll(row) && (!anchor || compare(row, anchor) > 0)

  const applyChange: FollowedPage['applyChange'] = (items, { id, document, known: extent }) => {
    if (extent === 'nothing') return undefined
    const row = document() as FieldValues | undefined
    const isThere = idsOf(items).has(id)
    const isWanted = belongs(row)
    if (!isThere && !isWanted) return items
    const isFull = items.length >= limit
    if (!isPlaceShown || (isFull && !isWanted)) return undefined
    // from here on in the order in which the page is read, which begins at its anchor
    const readItems = before ? items.toReversed() : items
    const others = readItems.filter((item) => item.id !== id)
    const end = readItems.at(-1)
    if (isWanted) {
      const isBehindPage = isFull && end !== undefined && compare(row, end) > 0
      if (isBehindPage) return isThere ? undefined : items
      if (extent === 'indexed' && fields === undefined) return undefined
      const place = others.findIndex((item) => compare(row, item) < 0)
      others.splice(place < 0 ? others.length : place, 0, selectShown(row))
    }
    const page = others.slice(0, limit)
    return before ? page.reverse() : page
  }
  return { demand: demandOf(where), applyChange }
}
