import type { Page } from '../../ports/documents.ts'
import { clauseOf, orderClause, whereClause } from './clause.ts'
import type { Connection } from './connection.ts'
import { merged } from './merge.ts'
import { type Plan, type Stretch, stretches } from './plan.ts'
import { columnOf, type Direction, type Table } from './tables.ts'

type Row = readonly unknown[]

const flipped = (order: readonly Direction[]): readonly Direction[] =>
  order.map(({ field, descending }) => ({ field, descending: !descending }))

const read = (
  { rows }: Connection,
  table: Table,
  plan: Plan,
  columns: string,
  order: readonly Direction[],
  parts: readonly Stretch[],
  limit: number,
): Row[] => {
  const found: Row[] = []
  for (const part of parts) {
    if (found.length === limit) break
    const { terms, parameters } = clauseOf(part)
    const text = `SELECT ${columns} FROM ${table.name} INDEXED BY ${plan.index.name}${whereClause(terms)}${orderClause(order)} LIMIT ?`
    const page = rows(text).all(...parameters, limit - found.length) as unknown as Row[]
    found.push(...page)
  }
  return found
}

/** Read one page of an index: the named fields of each row, in listing order. */
export const scan = (connection: Connection, table: Table, plan: Plan, page: Page, fields: readonly string[]): Row[] => {
  if (page.after && page.before) throw new Error('a page starts after one item or ends before one, not both')
  const order = page.before ? flipped(plan.order) : plan.order
  const from = page.after ?? page.before
  const found = plan.membership
    ? merged(connection, table, plan, order, fields, page.limit, from)
    : read(connection, table, plan, fields.map(columnOf).join(', '), order, stretches(plan, plan.equal, order, from), page.limit)
  return page.before ? found.reverse() : found
}

export const countRows = (connection: Connection, table: Table, plan: Plan, max: number): number => {
  const { terms, parameters } = clauseOf({ equal: plan.equal })
  const text = `SELECT count(*) FROM (SELECT 1 FROM ${table.name} INDEXED BY ${plan.index.name}${whereClause(terms)} LIMIT ?)`
  const [count] = connection.rows(text).get(...parameters, max) as unknown as [number]
  return count
}
