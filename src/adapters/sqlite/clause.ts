import type { Value } from '../../ports/documents.ts'
import type { Stretch } from './plan.ts'
import { fromPosition, toPosition } from './position.ts'
import { columnOf, type Direction } from './tables.ts'
import { fromStored, type Stored, toStored } from './values.ts'

/** The condition of a stretch of an index, and what stands for its question marks. */
export type Clause = { readonly terms: readonly string[]; readonly parameters: readonly Stored[] }

const parameter = (field: string, value: Value): Stored => (field === '$position' ? BigInt(fromPosition(String(value))) : toStored(value))

/** A value of a row, as the port shows it. */
export const shown = (field: string, stored: unknown): Value => (field === '$position' ? toPosition(Number(stored)) : fromStored(stored))

export const clauseOf = ({ equal, range, notNull }: Stretch): Clause => {
  const parameters: Stored[] = []
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

export const whereClause = (terms: readonly string[]): string => (terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`)

export const orderClause = (order: readonly Direction[]): string =>
  ` ORDER BY ${order.map(({ field, descending }) => `${columnOf(field)}${descending ? ' DESC' : ''}`).join(', ')}`
