import { type Anchor, allWords, type Condition, MAX_SEARCH_CANDIDATES, type SearchQuery } from '../../ports/documents.ts'
import type { SearchEnds } from '../../ports/search-ends.ts'
import { type SoughtWords, soughtWords } from '../../ports/search-words.ts'
import type { Connection } from './connection.ts'
import { BLOCK_SEPARATOR, blockOf, blockPrefix } from './full-text-index.ts'
import { type ColumnValue, columnOf, type Direction, direction, type Table, tableKey, toStored } from './tables.ts'

/** Milliseconds of work after which a search looks at no further block. */
const SEARCH_TIME_MS = 250

/** The engine's expression for any block: a mark stands before each word, so that nothing in it is syntax. */
const expressionOf = (sought: SoughtWords): string => {
  if ('words' in sought) {
    const phrase = `"${sought.words.map((word) => BLOCK_SEPARATOR + word).join(' ')}"`
    return sought.fields ? `{${sought.fields.map(columnOf).join(' ')}} : ${phrase}` : phrase
  }
  const joined = (parts: readonly SoughtWords[], by: 'AND' | 'OR') => `(${[...new Set(parts.map(expressionOf))].join(` ${by} `)})`
  if ('any' in sought) return joined(sought.any, 'OR')
  const all = joined(sought.all, 'AND')
  return sought.except.length === 0 ? all : `(${all} NOT ${joined(sought.except, 'OR')})`
}

type Clause = { readonly text: string; readonly parameters: readonly ColumnValue[] }

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

/** Rows of the newest matches, found in steps of one block each. What a frequent word costs is limited by rows found and by time; `ends`: the oldest blocks. */
function* candidates(
  { once, rows }: Connection,
  { name, words }: Table,
  expression: string,
  ends: SearchEnds<number>,
  timeMs: number,
): Generator<undefined, readonly number[]> {
  const [newest] = once(() => rows(`SELECT max(n) FROM ${name}`).get()) as unknown as [number | null]
  const text = `SELECT rowid FROM ${words} WHERE ${words} MATCH ? ORDER BY rowid DESC LIMIT ?`
  const found: number[] = []
  const search = `${words} ${expression}`
  const end = ends.get(search)
  let spent = 0
  for (let block = blockOf(newest ?? 0); block >= (end ?? 0) && found.length < MAX_SEARCH_CANDIDATES; block -= 1) {
    const started = performance.now()
    const inBlock = expression.replaceAll(BLOCK_SEPARATOR, blockPrefix(block))
    const matches = once(() => rows(text).all(inBlock, MAX_SEARCH_CANDIDATES - found.length)) as unknown as (readonly [number])[]
    for (const [n] of matches) found.push(n)
    spent += performance.now() - started
    yield
    if (end !== undefined || spent < timeMs) continue
    ends.set(search, block)
    break
  }
  return found
}

/** Ids of the documents that are found, in the order asked for; in steps, between which other searches can have theirs. */
export function* searchIds(
  connection: Connection,
  table: Table,
  { terms, where, order: named, page: { limit, after, before } }: SearchQuery,
  ends: SearchEnds<number>,
  timeMs = SEARCH_TIME_MS,
): Generator<undefined, readonly string[]> {
  const { search } = table.collection
  if (!search || table.words === undefined) throw new Error(`${tableKey(table.collection)} declares no search`)
  const unknown = Object.keys(where).find((field) => !search.filters.includes(field))
  if (unknown !== undefined) throw new Error(`${tableKey(table.collection)} declares no search filter ${unknown}`)
  const declared = search.orders[named]
  if (!declared) throw new Error(`${tableKey(table.collection)} declares no search order ${named}`)
  const sought = soughtWords(typeof terms === 'string' ? allWords(terms) : terms)
  if (sought === undefined || limit < 1) return []

  const order = declared.map(direction).map(({ field, descending }) => ({ field, descending: before ? !descending : descending }))
  const anchor = before ?? after
  const clauses = [
    ...Object.entries(where).map(([field, condition]) => conditionOf(field, condition)),
    ...(anchor ? [following(order, anchor)] : []),
  ]
  const conditions = clauses.map(({ text }) => text).join(' AND ')
  const by = order.map(({ field, descending }) => `t.${columnOf(field)}${descending ? ' DESC' : ''}`).join(', ')
  const text = `SELECT t.id FROM json_each(?) c CROSS JOIN ${table.name} t ON t.n = c.value${conditions && ` WHERE ${conditions}`} ORDER BY ${by} LIMIT ?`
  const parameters = clauses.flatMap((clause) => clause.parameters)
  const matches = JSON.stringify(yield* candidates(connection, table, expressionOf(sought), ends, timeMs))
  const found = connection.once(() => connection.rows(text).all(matches, ...parameters, limit)) as unknown as (readonly [string])[]
  const ids = found.map(([id]) => id)
  return before ? ids.reverse() : ids
}
