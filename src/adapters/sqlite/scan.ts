import type { Anchor, Page, Value } from '../../ports/documents.ts'
import type { Connection } from './connection.ts'
import { type Equal, type Plan, type Stretch, stretches } from './plan.ts'
import { fromPosition, toPosition } from './position.ts'
import { columnOf, type Direction, type Table } from './tables.ts'
import { compareValues, fromStored, type Stored, toStored } from './values.ts'

type Row = readonly unknown[]

const parameter = (field: string, value: Value): Stored => (field === '$position' ? BigInt(fromPosition(String(value))) : toStored(value))

/** A value of a row, as the port shows it. */
export const shown = (field: string, stored: unknown): Value => (field === '$position' ? toPosition(Number(stored)) : fromStored(stored))

type Clause = { readonly sql: string; readonly parameters: readonly Stored[] }

const clauseOf = ({ equal, range, notNull }: Stretch): Clause => {
  const parameters: Stored[] = []
  const terms: string[] = []
  for (const { field, value } of equal) {
    terms.push(`${columnOf(field)} ${value === null ? 'IS NULL' : '= ?'}`)
    if (value !== null) parameters.push(parameter(field, value))
  }
  for (const [bound, sign] of [
    [range?.lower, '>'],
    [range?.upper, '<'],
  ] as const) {
    if (!range || !bound) continue
    terms.push(`${columnOf(range.field)} ${sign}${bound.inclusive ? '=' : ''} ?`)
    parameters.push(parameter(range.field, bound.value))
  }
  if (notNull !== undefined) terms.push(`${columnOf(notNull)} IS NOT NULL`)
  return { sql: terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`, parameters }
}

const orderClause = (order: readonly Direction[]): string =>
  ` ORDER BY ${order.map(({ field, descending }) => `${columnOf(field)}${descending ? ' DESC' : ''}`).join(', ')}`

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
    const { sql, parameters } = clauseOf(part)
    const text = `SELECT ${columns} FROM ${table.name} INDEXED BY ${plan.index.name}${sql}${orderClause(order)} LIMIT ?`
    const page = rows(text).all(...parameters, limit - found.length) as unknown as Row[]
    found.push(...page)
  }
  return found
}

/** One of many listings being merged: its rows are read a few at a time, since most of them will not be needed. */
type Run = { rows: Row[]; next: number; anchor: Anchor | undefined; ended: boolean; readonly equal: readonly Equal[] }

const merged = (
  connection: Connection,
  table: Table,
  plan: Plan,
  fields: readonly string[],
  order: readonly Direction[],
  page: Page,
  from: Anchor | undefined,
): Row[] => {
  const { membership } = plan
  if (!membership) return []
  const keys = order.length
  const columns = [...order.map(({ field }) => columnOf(field)), ...fields.map(columnOf)].join(', ')
  const chunk = Math.min(page.limit, Math.max(4, Math.ceil((2 * page.limit) / membership.values.length)))
  const head = (run: Run): Row | undefined => {
    if (run.next === run.rows.length && !run.ended) {
      run.rows = read(connection, table, plan, columns, order, stretches(plan, run.equal, order, run.anchor), chunk)
      run.next = 0
      run.ended = run.rows.length < chunk
      run.anchor =
        run.rows
          .at(-1)
          ?.slice(0, keys)
          .map((stored, i) => shown(order[i]?.field ?? '', stored)) ?? run.anchor
    }
    return run.rows[run.next]
  }
  const precedes = (a: Row, b: Row): boolean => {
    for (const [i, { descending }] of order.entries()) {
      const difference = compareValues(fromStored(a[i]), fromStored(b[i]))
      if (difference !== 0) return difference < 0 !== descending
    }
    return false
  }
  const runs = membership.values.map(
    (value): Run => ({ rows: [], next: 0, anchor: from, ended: false, equal: [...plan.equal, { field: membership.field, value }] }),
  )
  const found: Row[] = []
  while (found.length < page.limit) {
    let first: Run | undefined
    let least: Row | undefined
    for (const run of runs) {
      const row = head(run)
      if (row && (!least || precedes(row, least))) [first, least] = [run, row]
    }
    if (!first || !least) break
    first.next++
    found.push(least.slice(keys))
  }
  return found
}

/** Read one page of an index: the named fields of each row, in listing order. */
export const scan = (connection: Connection, table: Table, plan: Plan, page: Page, fields: readonly string[]): Row[] => {
  if (page.after && page.before) throw new Error('a page starts after one item or ends before one, not both')
  const order = page.before ? flipped(plan.order) : plan.order
  const from = page.after ?? page.before
  const found = plan.membership
    ? merged(connection, table, plan, fields, order, page, from)
    : read(connection, table, plan, fields.map(columnOf).join(', '), order, stretches(plan, plan.equal, order, from), page.limit)
  return page.before ? found.reverse() : found
}

export const countRows = (connection: Connection, table: Table, plan: Plan, max: number): number => {
  const { sql, parameters } = clauseOf({ equal: plan.equal })
  const text = `SELECT count(*) FROM (SELECT 1 FROM ${table.name} INDEXED BY ${plan.index.name}${sql} LIMIT ?)`
  const [count] = connection.rows(text).get(...parameters, max) as unknown as [number]
  return count
}
