import type { SearchQuery } from '../../ports/documents.ts'
import type { Connection } from './connection.ts'
import { columnOf, direction, type Table, tableKey } from './tables.ts'
import { toStored } from './values.ts'

/** Each word as a quoted text, so that nothing in it is syntax; words without a letter or digit say nothing. */
const quotedTerms = (terms: string): string =>
  terms
    .replaceAll('\0', ' ')
    .split(/\s+/u)
    .filter((term) => /[\p{L}\p{N}]/u.test(term))
    .map((term) => `"${term.replaceAll('"', '""')}"`)
    .join(' ')

/** Ids and rows of the documents that hold every term, in the order asked for. */
export const searchRows = (
  { rows }: Connection,
  table: Table,
  { terms, where, order, limit, offset }: SearchQuery,
): readonly (readonly unknown[])[] => {
  const { search } = table.collection
  if (!search || table.words === undefined) throw new Error(`${tableKey(table.collection)} declares no search`)
  const unknown = Object.keys(where).find((field) => !search.filters.includes(field))
  if (unknown !== undefined) throw new Error(`${tableKey(table.collection)} declares no search filter ${unknown}`)
  const declared = order === 'relevance' ? [] : search.orders[order]
  if (!declared) throw new Error(`${tableKey(table.collection)} declares no search order ${order}`)
  const match = quotedTerms(terms)
  if (match === '') return []

  const filters = Object.entries(where).map(([field, value]) => [`t.${columnOf(field)} IS ?`, toStored(value)] as const)
  const ordered = declared.map(direction).map(({ field, descending }) => `t.${columnOf(field)}${descending ? ' DESC' : ''}`)
  const by = order === 'relevance' ? [`${table.words}.rank`, 't.n DESC'] : ordered
  const conditions = [`${table.words} MATCH ?`, ...filters.map(([condition]) => condition)].join(' AND ')
  const sql = `SELECT t.id, t.n FROM ${table.words} CROSS JOIN ${table.name} t ON t.n = ${table.words}.rowid WHERE ${conditions} ORDER BY ${by.join(', ')} LIMIT ? OFFSET ?`
  return rows(sql).all(match, ...filters.map(([, value]) => value), limit, offset) as unknown as (readonly unknown[])[]
}
