import { type Anchor, allWords, type Condition, MOST_CANDIDATES, type SearchQuery, type Sought } from '../../ports/documents.ts'
import type { Connection } from './connection.ts'
import { columnOf, type Direction, direction, type Stored, type Table, tableKey, toStored } from './tables.ts'

/** Rows of which one statement looks for matches, the newest first. */
const WINDOW_ROWS = 200_000
/** Milliseconds after which no further window is opened. */
const SEARCH_TIME_MS = 250

/** The engine's expression, each text quoted so that nothing in it is syntax; undefined if no word is left. */
const expressionOf = (sought: Sought): string | undefined => {
  if ('words' in sought) {
    const words = sought.words.replaceAll('\0', ' ')
    if (!/[\p{L}\p{N}]/u.test(words)) return undefined
    const phrase = `"${words.replaceAll('"', '""')}"`
    return sought.fields ? `{${sought.fields.map(columnOf).join(' ')}} : ${phrase}` : phrase
  }
  const joined = (parts: readonly Sought[], by: 'AND' | 'OR') => {
    const texts = parts.flatMap((part) => expressionOf(part) ?? [])
    return texts.length === 0 ? undefined : `(${texts.join(` ${by} `)})`
  }
  if ('any' in sought) return joined(sought.any, 'OR')
  const all = joined(sought.all, 'AND')
  const except = joined(sought.except ?? [], 'OR')
  return all === undefined || except === undefined ? all : `(${all} NOT ${except})`
}

type Clause = { readonly text: string; readonly parameters: readonly Stored[] }

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

const conditionOf = (field: string, condition: Condition): Clause => {
  const column = `t.${columnOf(field)}`
  if (condition === null || typeof condition !== 'object') return { text: `${column} IS ?`, parameters: [toStored(condition)] }
  if ('in' in condition) throw new Error(`a search takes no membership condition on ${field}`)
  const bounds = Object.entries(condition).map(
    ([name, value]) => [`${column} ${operators[name as keyof typeof operators]} ?`, toStored(value)] as const,
  )
  return { text: bounds.map(([bound]) => bound).join(' AND '), parameters: bounds.map(([, value]) => value) }
}

/** What follows an anchor in an order. */
const following = (order: readonly Direction[], anchor: Anchor): Clause => {
  const values = anchor.map(toStored)
  const stretches = order.map(({ field, descending }, index) => {
    const same = order.slice(0, index).map((earlier) => `t.${columnOf(earlier.field)} IS ?`)
    return {
      text: `(${[...same, `t.${columnOf(field)} ${descending ? '<' : '>'} ?`].join(' AND ')})`,
      parameters: values.slice(0, index + 1),
    }
  })
  return { text: `(${stretches.map(({ text }) => text).join(' OR ')})`, parameters: stretches.flatMap(({ parameters }) => parameters) }
}

/** Rows of the newest matches. The cost of a word that most documents contain is limited by rows found, by rows looked at, and by time. */
const candidates = ({ rows }: Connection, { name, words }: Table, expression: string): readonly number[] => {
  const started = performance.now()
  const [newest] = rows(`SELECT max(n) FROM ${name}`).get() as unknown as [number | null]
  const text = `SELECT rowid FROM ${words} WHERE ${words} MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?`
  const found: number[] = []
  for (let upTo = newest ?? 0; upTo > 0 && found.length < MOST_CANDIDATES; upTo -= WINDOW_ROWS) {
    const window = rows(text).all(expression, upTo - WINDOW_ROWS, upTo, MOST_CANDIDATES - found.length) as unknown as (readonly [number])[]
    for (const [n] of window) found.push(n)
    if (performance.now() - started > SEARCH_TIME_MS) break
  }
  return found
}

/** Ids and rows of the documents that are found, in the order asked for. */
export const searchRows = (
  connection: Connection,
  table: Table,
  { terms, where, order: named, page: { limit, after, before } }: SearchQuery,
): readonly (readonly unknown[])[] => {
  const { search } = table.collection
  if (!search || table.words === undefined) throw new Error(`${tableKey(table.collection)} declares no search`)
  const unknown = Object.keys(where).find((field) => !search.filters.includes(field))
  if (unknown !== undefined) throw new Error(`${tableKey(table.collection)} declares no search filter ${unknown}`)
  const declared = search.orders[named]
  if (!declared) throw new Error(`${tableKey(table.collection)} declares no search order ${named}`)
  const expression = expressionOf(typeof terms === 'string' ? allWords(terms) : terms)
  if (expression === undefined || limit < 1) return []

  const order = declared.map(direction).map(({ field, descending }) => ({ field, descending: before ? !descending : descending }))
  const anchor = before ?? after
  const clauses = [
    ...Object.entries(where).map(([field, condition]) => conditionOf(field, condition)),
    ...(anchor ? [following(order, anchor)] : []),
  ]
  const conditions = clauses.map(({ text }) => text).join(' AND ')
  const by = order.map(({ field, descending }) => `t.${columnOf(field)}${descending ? ' DESC' : ''}`).join(', ')
  const text = `SELECT t.id, t.n FROM json_each(?) c CROSS JOIN ${table.name} t ON t.n = c.value${conditions && ` WHERE ${conditions}`} ORDER BY ${by} LIMIT ?`
  const parameters = clauses.flatMap((clause) => clause.parameters)
  const matches = JSON.stringify(candidates(connection, table, expression))
  const found = connection.rows(text).all(matches, ...parameters, limit) as unknown as (readonly unknown[])[]
  return before ? found.reverse() : found
}
