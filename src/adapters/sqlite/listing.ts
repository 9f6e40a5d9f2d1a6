import type { Anchor, PageBounds } from '../../ports/documents.ts'
import type { DataFile } from './connection.ts'
import { firstFrom, type HeldPlace, type HeldTable, inRow, valueIn } from './held-documents.ts'
import { readMerged } from './merge.ts'
import {
  clauseOf,
  type Equal,
  isWithin,
  orderClause,
  type PageRow,
  type Plan,
  precedes,
  stretches,
  toPortValue,
  whereClause,
} from './query-plan.ts'
import { columnOf, type Direction, fromStored, type TableLayout } from './tables.ts'

// Reads pages of listings: rows of the file, and beside them documents that are newer than their rows.

type Held = HeldTable | undefined

const BY_ID: readonly Direction[] = [{ field: 'id', descending: false }]

const flipOrder = (order: readonly Direction[]): readonly Direction[] =>
  order.map(({ field, descending }) => ({ field, descending: !descending }))

/** A read of so many rows of one index after an anchor, with these fields. */
type Reading = {
  readonly connection: DataFile
  readonly table: TableLayout
  readonly plan: Plan
  readonly order: readonly Direction[]
  readonly fields: readonly string[]
  readonly limit: number
  readonly anchor: Anchor | undefined
}

const readRows = ({ connection, table, plan, order, fields, limit, anchor }: Reading): readonly PageRow[] => {
  if (plan.membership) return readMerged(connection, table, plan, order, fields, limit, anchor)
  const columns = fields.map(columnOf).join(', ')
  const pageRows: PageRow[] = []
  for (const part of stretches(plan, plan.equal, order, anchor)) {
    if (pageRows.length === limit) break
    const { terms, parameters } = clauseOf(part)
    const text = `SELECT ${columns} FROM ${table.name} INDEXED BY ${plan.index.name}${whereClause(terms)}${orderClause(order)} LIMIT ? + 0`
    pageRows.push(...(connection.rows(text).all(...parameters, limit - pageRows.length) as unknown as PageRow[]))
  }
  return pageRows
}

/** Returns the first held documents of a page, in its order. */
const matchesOf = ({ plan, order, limit, anchor }: Reading, held: NonNullable<Held>): readonly HeldPlace[] => {
  const { equal, membership, range } = plan
  const isBefore = precedes(order)
  const start = anchor?.map((value, i) => inRow(order[i]?.field ?? '', value))
  const isInRange = ({ row }: HeldPlace) => !range || isWithin(range, toPortValue(range.field, row[0]))
  const listWith = (more: readonly Equal[]): readonly HeldPlace[] => {
    const conditions = [...equal, ...more]
    const values = conditions.map(({ field, value }) => inRow(field, value))
    const places = held.listDocuments(
      conditions.map(({ field }) => field),
      values,
      order,
    )
    const found: HeldPlace[] = []
    for (let i = start ? firstFrom(places, (row) => isBefore(start, row)) : 0; i < places.length && found.length < limit; i += 1) {
      const place = places[i]
      if (place && isInRange(place)) found.push(place)
    }
    return found
  }
  if (!membership) return listWith([])
  return membership.values
    .flatMap((value) => listWith([{ field: membership.field, value }]))
    .sort((a, b) => (isBefore(a.row, b.row) ? -1 : 1))
    .slice(0, limit)
}

/**
 * Returns a page of the rows that no held document hides, and of the held documents. It reads on from the last row until both kinds are
 * complete up to there. A hidden row still has its place.
 */
const withHeld = (reading: Reading, held: NonNullable<Held>): readonly PageRow[] => {
  const { order, fields, limit, anchor } = reading
  const keys = order.map(({ field }) => field)
  const columns = [...new Set([...keys, 'id', ...fields])]
  const id = columns.indexOf('id')
  const before = precedes(order)
  const matches = matchesOf(reading, held)

  const page: PageRow[] = []
  for (let from = anchor, passed = 0; page.length + passed < limit; ) {
    const found = readRows({ ...reading, fields: columns, anchor: from })
    for (const row of found) if (!held.has(String(row[id]))) page.push(row.map(fromStored))
    const last = found.at(-1)?.map(fromStored)
    if (found.length < limit || !last) break
    passed = firstFrom(matches, (row) => before(last, row))
    from = keys.map((field, i) => toPortValue(field, last[i]))
  }

  const all: PageRow[] = []
  for (let i = 0, k = 0; all.length < limit && (i < matches.length || k < page.length); ) {
    const [match, row] = [matches[i], page[k]]
    if (match !== undefined && (row === undefined || before(match.row, row))) {
      all.push(columns.map((field) => valueIn(match.held, field)))
      i += 1
    } else {
      all.push(row as PageRow)
      k += 1
    }
  }
  const chosen = fields.map((field) => columns.indexOf(field))
  return all.map((row) => chosen.map((i) => row[i]))
}

const readingOrder = ({ order }: Plan, page: PageBounds): readonly Direction[] => (page.before ? flipOrder(order) : order)

/** Puts held documents in the order of a page. If it returns a promise, the caller must await it before the page is read. */
export const gatherPage = (plan: Plan, page: PageBounds, held: Held): Promise<void> | undefined => {
  const { equal, membership } = plan
  return held?.gather(
    [...equal, ...(membership ? [membership] : [])].map(({ field }) => field),
    readingOrder(plan, page),
  )
}

/** Puts held documents in order before documents are counted. */
export const gatherCounted = ({ equal }: Plan, held: Held): Promise<void> | undefined =>
  held?.gather(
    equal.map(({ field }) => field),
    BY_ID,
  )

/** Returns one page of an index: the named fields of each item, in listing order. `$row` is null for a held document. */
export const readPage = (
  connection: DataFile,
  table: TableLayout,
  plan: Plan,
  page: PageBounds,
  fields: readonly string[],
  held: Held,
): readonly PageRow[] => {
  if (page.after && page.before) throw new Error('a page starts after one item or ends before one, not both')
  const order = readingOrder(plan, page)
  const anchor = page.after ?? page.before
  const reading = { connection, table, plan, order, fields, limit: page.limit, anchor }
  const found = held ? withHeld(reading, held) : readRows(reading)
  return page.before ? found.toReversed() : found
}

/** Counts the documents that match, no further than `max`. Of the held ones it looks only at those that match. */
export const countOf = (connection: DataFile, table: TableLayout, { equal, index }: Plan, max: number, held: Held): number => {
  const { terms, parameters } = clauseOf({ equal })
  const from = `FROM ${table.name} INDEXED BY ${index.name}${whereClause(terms)}`
  if (!held) {
    const [count] = connection.rows(`SELECT count(*) FROM (SELECT 1 ${from} LIMIT ? + 0)`).get(...parameters, max) as unknown as [number]
    return count
  }
  const values = equal.map(({ field, value }) => inRow(field, value))
  let count = held.listDocuments(
    equal.map(({ field }) => field),
    values,
    BY_ID,
  ).length
  if (count >= max) return max
  for (const row of connection.rows(`SELECT id ${from}`).iterate(...parameters)) {
    if (!held.has(String((row as unknown as [string])[0]))) count += 1
    if (count >= max) return max
  }
  return count
}
