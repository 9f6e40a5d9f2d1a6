import {
  type Anchor,
  allWords,
  type Condition,
  collectionKey,
  type Filter,
  MAX_SEARCH_CANDIDATES,
  type SearchQuery,
} from '../../ports/documents.ts'
import type { SearchEnds } from '../../ports/search-ends.ts'
import { type SoughtWords, soughtWords } from '../../ports/search-words.ts'
import type { DataFile } from './connection.ts'
import { blockOf } from './full-text-index.ts'
import { type FoundRows, foundRows, rowsInBlock } from './matching-rows.ts'
import { clauseOf, orderClause, planQuery, stretches, whereClause } from './query-plan.ts'
import { type ColumnValue, columnOf, type Direction, direction, type TableLayout, toStored } from './tables.ts'

/** The time after which a search looks at no further block. */
const SEARCH_TIME_MS = 250

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

/** Returns the condition for rows after an anchor in an order. */
const clauseAfter = (order: readonly Direction[], anchor: Anchor): Clause => {
  const values = anchor.map(toStored)
  const stretches = order.map(({ field, descending }, index) => {
    const equalFields = order.slice(0, index).map((earlier) => `t.${columnOf(earlier.field)} IS ?`)
    return {
      text: `(${[...equalFields, `t.${columnOf(field)} ${descending ? '<' : '>'} ?`].join(' AND ')})`,
      parameters: values.slice(0, index + 1),
    }
  })
  return { text: `(${stretches.map(({ text }) => text).join(' OR ')})`, parameters: stretches.flatMap(({ parameters }) => parameters) }
}

/**
 * Finds the row numbers of the newest matches, in steps of one block each. The number of rows and a time limit bound the cost of a frequent
 * word. `ends` are the oldest blocks of former searches.
 */
function* candidates(
  connection: DataFile,
  table: TableLayout,
  sought: SoughtWords,
  newest: number,
  ends: SearchEnds<number>,
  timeMs: number,
): Generator<undefined, FoundRows> {
  const found = foundRows(MAX_SEARCH_CANDIDATES)
  const search = `${table.words} ${JSON.stringify(sought)}`
  const end = ends.get(search)
  let spent = 0
  for (let block = blockOf(newest); block >= (end ?? 0) && found.size() < MAX_SEARCH_CANDIDATES; block -= 1) {
    const started = performance.now()
    found.add(rowsInBlock(connection, table, sought, block), block)
    spent += performance.now() - started
    yield
    if (end !== undefined || spent < timeMs) continue
    ends.set(search, block)
    break
  }
  return found
}

/** With fewer matches each is looked up by its row number, since a ranking would need more rows. */
const MAX_SINGLE_LOOK_UPS = 500
/** The most rows of a ranking that are read for each match. Each costs a tenth of looking up a match. */
const MAX_RANKING_ROWS_PER_MATCH = 5

type Ranked = { readonly order: readonly Direction[]; readonly from: Anchor | undefined; readonly limit: number }

/** Returns the rankings that together hold all matches: one for each value of the field that may have several. */
const rankingsOf = (table: TableLayout, among: Filter, declared: readonly string[]) => {
  const plan = planQuery(table, among, declared)
  const { membership, equal } = plan
  const all = membership ? membership.values.map((value) => [...equal, { field: membership.field, value }]) : [equal]
  return { plan, all }
}

/**
 * Returns row numbers that include the best of many matches, read in their order from rankings, whose rows lie side by side. A match's own
 * row would be somewhere else. Returns undefined if it would have to read too many rows of a ranking.
 */
const findLeadingRows = (
  { rows }: DataFile,
  table: TableLayout,
  matches: FoundRows,
  { plan, all }: ReturnType<typeof rankingsOf>,
  { order, from, limit }: Ranked,
): readonly number[] | undefined => {
  const best: number[] = []
  const most = MAX_RANKING_ROWS_PER_MATCH * matches.size()
  for (const equal of all) {
    const enough = best.length + limit
    for (const part of stretches(plan, equal, order, from)) {
      const { terms, parameters } = clauseOf(part)
      const ranking = `SELECT n FROM ${table.name} INDEXED BY ${plan.index.name}${whereClause(terms)}${orderClause(order)} LIMIT ? + 0`
      // the number of a row is in the index, too, so the engine leaves out rows older than the matches
      const possible = rows(`SELECT n FROM (${ranking}) WHERE n >= ?`).iterate(...parameters, most, matches.oldest())
      for (const row of possible) {
        const n = Number((row as unknown as [number])[0])
        if (matches.has(n)) best.push(n)
        if (best.length === enough) break
      }
      if (best.length === enough) break
      const [examined] = rows(`SELECT count(*) FROM (${ranking})`).get(...parameters, most) as unknown as [number]
      if (examined === most) return undefined
    }
  }
  return best
}

/** Finds the ids of the matching documents in the requested order, in steps, between which other searches can have theirs. */
export function* searchIds(
  connection: DataFile,
  table: TableLayout,
  { terms, where, order: named, page: { limit, after, before }, among }: SearchQuery,
  ends: SearchEnds<number>,
  timeMs = SEARCH_TIME_MS,
): Generator<undefined, readonly string[]> {
  const { search } = table.collection
  if (!search || table.words === undefined) throw new Error(`${collectionKey(table.collection)} declares no search`)
  const unknown = Object.keys(where).find((field) => !search.filters.includes(field))
  if (unknown !== undefined) throw new Error(`${collectionKey(table.collection)} declares no search filter ${unknown}`)
  const declared = search.orders[named]
  if (!declared) throw new Error(`${collectionKey(table.collection)} declares no search order ${named}`)
  const sought = soughtWords(typeof terms === 'string' ? allWords(terms) : terms)
  if (sought === undefined || limit < 1) return []

  const order = declared.map(direction).map(({ field, descending }) => ({ field, descending: before ? !descending : descending }))
  const anchor = before ?? after
  const clauses = [
    ...Object.entries(where).map(([field, condition]) => conditionOf(field, condition)),
    ...(anchor ? [clauseAfter(order, anchor)] : []),
  ]
  const conditions = clauses.map(({ text }) => text).join(' AND ')
  const by = order.map(({ field, descending }) => `t.${columnOf(field)}${descending ? ' DESC' : ''}`).join(', ')
  const text = `SELECT t.id FROM json_each(?) c CROSS JOIN ${table.name} t ON t.n = c.value${conditions && ` WHERE ${conditions}`} ORDER BY ${by} LIMIT ? + 0`
  const parameters = clauses.flatMap((clause) => clause.parameters)
  const inOrder = (rowNumbers: readonly number[]): readonly string[] =>
    (connection.rows(text).all(JSON.stringify(rowNumbers), ...parameters, limit) as unknown as (readonly [string])[]).map(([id]) => id)

  const [newest] = connection.once(() => connection.rows(`SELECT max(n) FROM ${table.name}`).get()) as unknown as [number | null]
  const matches = yield* candidates(connection, table, sought, newest ?? 0, ends, timeMs)
  const rankings = among !== undefined && matches.size() > MAX_SINGLE_LOOK_UPS ? rankingsOf(table, among, declared) : undefined
  const ids = connection.read(() => {
    const best = rankings && findLeadingRows(connection, table, matches, rankings, { order, from: anchor, limit })
    const found = best ? inOrder(best) : []
    return found.length === limit ? found : inOrder(matches.numbers())
  })
  return before ? ids.toReversed() : ids
}
