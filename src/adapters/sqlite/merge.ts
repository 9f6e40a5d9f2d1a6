import type { Anchor, Value } from '../../ports/documents.ts'
import type { DataFile } from './connection.ts'
import { clauseOf, orderClause, type Plan, precedes, stretches, toPortValue, whereClause } from './query-plan.ts'
import { columnOf, type Direction, type TableLayout } from './tables.ts'

type MergedRow = readonly Value[]

/** The listing of one value of a membership. Its rows are read a few at a time, since most of them will not be needed. */
type Run = { readonly member: Value; rows: MergedRow[]; next: number; ended: boolean }

const MIN_CHUNK_ROWS = 4 // rows read of a listing at a time

// JSON has no blobs, which is how booleans stand in columns.
const inJson = (column: string): string => `CASE ${column} WHEN x'01' THEN json('true') WHEN x'00' THEN json('false') ELSE ${column} END`
const fromJson = "CASE v.type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE v.value END"

/**
 * Merges a page of several listings. If all values were in one condition, the engine would read and sort every row of all of them. So this
 * reads the first few of each, all in one statement, and more of one only when they are used up.
 */
export const readMerged = (
  { rows }: DataFile,
  table: TableLayout,
  plan: Plan,
  order: readonly Direction[],
  fields: readonly string[],
  limit: number,
  from: Anchor | undefined,
): MergedRow[] => {
  const { membership } = plan
  if (!membership) return []
  const keys = order.map(({ field }) => field)
  const columns = [...new Set([...keys, ...fields])]
  const chunk = Math.min(limit, Math.max(MIN_CHUNK_ROWS, Math.ceil((2 * limit) / membership.values.length)))
  const row = `json_array(${columns.map((field) => inJson(columnOf(field))).join(', ')})`
  const listed = `SELECT ${columns.map(columnOf).join(', ')} FROM ${table.name} INDEXED BY ${plan.index.name}`

  const fill = (runs: readonly Run[], anchor: Anchor | undefined): void => {
    for (const part of stretches(plan, plan.equal, order, anchor)) {
      const short = runs.filter((run) => run.rows.length < chunk)
      if (short.length === 0) break
      const { terms, parameters } = clauseOf(part)
      const where = whereClause([`${columnOf(membership.field)} IS ${fromJson}`, ...terms])
      const sql = `SELECT (SELECT json_group_array(${row}) FROM (${listed}${where}${orderClause(order)} LIMIT ? + 0)) FROM json_each(?) v`
      const found = rows(sql).all(...parameters, chunk, JSON.stringify(short.map(({ member }) => member))) as unknown as [string][]
      for (const [i, run] of short.entries()) run.rows.push(...JSON.parse(found[i]?.[0] ?? '[]'))
    }
    for (const run of runs) run.ended = run.rows.length < chunk
  }

  const head = (run: Run): MergedRow | undefined => {
    if (run.next === run.rows.length && !run.ended) {
      const last = run.rows.at(-1) ?? []
      run.rows = []
      run.next = 0
      fill(
        [run],
        keys.map((field, i) => toPortValue(field, last[i])),
      )
    }
    return run.rows[run.next]
  }

  const isBefore = precedes(order)
  const runs = membership.values.map((member): Run => ({ member, rows: [], next: 0, ended: false }))
  fill(runs, from)
  const merged: MergedRow[] = []
  const columnNumbers = fields.map((field) => columns.indexOf(field))
  while (merged.length < limit) {
    let first: Run | undefined
    let least: MergedRow | undefined
    for (const run of runs) {
      const candidate = head(run)
      if (candidate && (!least || isBefore(candidate, least))) {
        first = run
        least = candidate
      }
    }
    if (!first || !least) break
    first.next++
    const taken = least
    merged.push(columnNumbers.map((i) => taken[i] ?? null))
  }
  return merged
}
