import type { Anchor, Page, Value } from '../../ports/documents.ts'
import type { Connection } from './connection.ts'
import { documentOf, type HeldDocument } from './held-documents.ts'
import { fromPosition } from './log.ts'
import { merged } from './merge.ts'
import { clauseOf, isWithin, orderClause, type Plan, precedes, type Row, shown, stretches, whereClause } from './plan.ts'
import { columnOf, type Direction, fromStored, type Table } from './tables.ts'

// Pages of listings: rows of the file, and beside them documents that are newer than their rows.

type Held = ReadonlyMap<string, HeldDocument> | undefined

const flipped = (order: readonly Direction[]): readonly Direction[] =>
  order.map(({ field, descending }) => ({ field, descending: !descending }))

/** What is read: so many rows of one index after an anchor, with these fields. */
type Reading = {
  readonly connection: Connection
  readonly table: Table
  readonly plan: Plan
  readonly order: readonly Direction[]
  readonly fields: readonly string[]
  readonly limit: number
  readonly anchor: Anchor | undefined
}

const readRows = ({ connection, table, plan, order, fields, limit, anchor }: Reading): readonly Row[] => {
  if (plan.membership) return merged(connection, table, plan, order, fields, limit, anchor)
  const columns = fields.map(columnOf).join(', ')
  const found: Row[] = []
  for (const part of stretches(plan, plan.equal, order, anchor)) {
    if (found.length === limit) break
    const { terms, parameters } = clauseOf(part)
    const text = `SELECT ${columns} FROM ${table.name} INDEXED BY ${plan.index.name}${whereClause(terms)}${orderClause(order)} LIMIT ?`
    found.push(...(connection.rows(text).all(...parameters, limit - found.length) as unknown as Row[]))
  }
  return found
}

/** A value as a row has it: positions are numbers there. */
const inRow = (field: string, value: Value): Value => (field === '$position' && value !== null ? fromPosition(String(value)) : value)

/** The fields of a document as its row would have them, but for the number of the row. */
const valueIn = (held: HeldDocument, field: string): Value => {
  if (field === '$position') return held.position
  return (documentOf(held) as unknown as Readonly<Record<string, Value | undefined>>)[field] ?? null
}

const meets = (held: HeldDocument, { equal, membership, range }: Plan): boolean =>
  documentOf(held) !== undefined &&
  equal.every(({ field, value }) => valueIn(held, field) === inRow(field, value)) &&
  (!membership || membership.values.some((value) => valueIn(held, membership.field) === inRow(membership.field, value))) &&
  (!range || isWithin(range, range.field === '$position' ? shown('$position', held.position) : valueIn(held, range.field)))

/**
 * The page of the rows that no held document hides, and of the held documents. Rows are read on until the page is full, from the last one that
 * was read: it is hidden, perhaps, but has its place.
 */
const withHeld = (reading: Reading, held: NonNullable<Held>): readonly Row[] => {
  const { plan, order, fields, limit, anchor } = reading
  const keys = order.map(({ field }) => field)
  const columns = [...new Set([...keys, 'id', ...fields])]
  const id = columns.indexOf('id')
  const before = precedes(order)

  const matches: Row[] = []
  const start = anchor?.map((value, i) => inRow(keys[i] ?? '', value))
  for (const one of held.values()) {
    if (!meets(one, plan)) continue
    const row = columns.map((field) => valueIn(one, field))
    if (!start || before(start, row)) matches.push(row)
  }
  matches.sort((a, b) => (before(a, b) ? -1 : 1))

  const kept: Row[] = []
  for (let from = anchor; kept.length < limit; ) {
    const wanted = limit - kept.length
    const found = readRows({ ...reading, fields: columns, limit: wanted, anchor: from })
    for (const row of found) if (!held.has(String(row[id]))) kept.push(row.map(fromStored))
    const last = found.at(-1)
    if (found.length < wanted || !last) break
    from = keys.map((field, i) => shown(field, last[i]))
  }

  const all: Row[] = []
  for (let i = 0, k = 0; all.length < limit && (i < matches.length || k < kept.length); ) {
    const [match, row] = [matches[i], kept[k]]
    const isMatchNext = match !== undefined && (row === undefined || before(match, row))
    all.push((isMatchNext ? match : row) as Row)
    if (isMatchNext) i += 1
    else k += 1
  }
  const chosen = fields.map((field) => columns.indexOf(field))
  return all.map((row) => chosen.map((i) => row[i]))
}

/** One page of an index: the named fields of each item, in listing order. `$row` is null for a held document. */
export const pageOf = (
  connection: Connection,
  table: Table,
  plan: Plan,
  page: Page,
  fields: readonly string[],
  held: Held,
): readonly Row[] => {
  if (page.after && page.before) throw new Error('a page starts after one item or ends before one, not both')
  const order = page.before ? flipped(plan.order) : plan.order
  const anchor = page.after ?? page.before
  const reading = { connection, table, plan, order, fields, limit: page.limit, anchor }
  const found = held ? withHeld(reading, held) : readRows(reading)
  return page.before ? found.toReversed() : found
}

/** How many documents match, counting no further than `max`. */
export const countOf = (connection: Connection, table: Table, plan: Plan, max: number, held: Held): number => {
  const { terms, parameters } = clauseOf({ equal: plan.equal })
  const visible = held ? [...terms, 'id NOT IN (SELECT value FROM json_each(?))'] : terms
  const text = `SELECT count(*) FROM (SELECT 1 FROM ${table.name} INDEXED BY ${plan.index.name}${whereClause(visible)} LIMIT ?)`
  const hidden = held ? [JSON.stringify([...held.keys()])] : []
  const [count] = connection.rows(text).get(...parameters, ...hidden, max) as unknown as [number]
  let all = count
  for (const one of held?.values() ?? []) {
    if (all >= max) break
    if (meets(one, plan)) all += 1
  }
  return all
}
