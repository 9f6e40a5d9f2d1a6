import type { Filter as MongoFilter, Collection as Stored } from 'mongodb'
import type { Anchor } from '../../ports/documents.ts'
import type { SearchEnds } from '../../ports/search-ends.ts'
import type { ChangeRow } from './changes.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { SEARCH } from './indexes.ts'
import type { Match } from './query.ts'
import { matchAfter, matchUpTo, type Order, toOrderKey } from './search-words.ts'

/** The rows that one query looks at: few at first, then as many as take some ten milliseconds. */
const FIRST_WINDOW_ROWS = 500
const MAX_WINDOW_ROWS = 16_000
const SHORT_MS = 20
const LONG_MS = 40
/** The time after which no further rows are looked at. A server does other work meanwhile. */
const SEARCH_TIME_MS = 1_000

/**
 * A search. Every match has a word of `leading`. `match` is the part that the server can check. `order` is the order in which matches are
 * found, `most` of them.
 */
export type Search = {
  readonly leading: readonly string[]
  readonly match: Match
  readonly order: Order
  readonly paths: readonly string[]
  readonly most: number
}

/** A row with the fields of some paths only. */
export type Candidate = { readonly _id: string }

/**
 * Finds the newest rows that may match, with the fields of some paths. The number of rows and a time limit bound the cost of a frequent
 * word.
 */
export const readCandidates = async (
  rows: Stored<ChangeRow>,
  { leading, match, order, paths, most }: Search,
  ends: SearchEnds<Anchor>,
  abandoned: AbortSignal | undefined,
): Promise<readonly Candidate[]> => {
  const projection = { _id: 1, ...Object.fromEntries([...order.map(({ path }) => path), ...paths].map((path) => [path, 1])) }
  const options = { projection, hint: SEARCH, maxTimeMS: READ_TIMEOUT_MS } as const
  const sort = Object.fromEntries(order.map(({ path, sign }) => [path, sign]))
  const search = JSON.stringify([rows.collectionName, leading, match])
  const last = ends.get(search)
  const within = last === undefined ? [] : [matchUpTo(order, last)]
  const find = (parts: readonly Match[], more: { readonly skip?: number; readonly limit: number }) =>
    rows
      .find<Candidate>({ $and: [{ words: { $in: leading } }, ...within, ...parts] } as unknown as MongoFilter<ChangeRow>, {
        ...options,
        ...more,
        sort,
      })
      .toArray()

  const began = performance.now()
  const candidates: Candidate[] = []
  let after: Anchor | undefined
  for (let window = FIRST_WINDOW_ROWS; ; ) {
    abandoned?.throwIfAborted()
    const started = performance.now()
    const rest = after === undefined ? [] : [matchAfter(order, after)]
    const [lastOfWindow] = await find(rest, { skip: window - 1, limit: 1 })
    const end = lastOfWindow && toOrderKey(order, lastOfWindow)
    candidates.push(...(await find([...rest, ...(end ? [matchUpTo(order, end)] : []), match], { limit: most - candidates.length })))
    if (end === undefined || candidates.length >= most) return candidates
    if (last === undefined && performance.now() - began > SEARCH_TIME_MS) {
      ends.set(search, end)
      return candidates
    }
    after = end
    const took = performance.now() - started
    if (took < SHORT_MS) window = Math.min(2 * window, MAX_WINDOW_ROWS)
    else if (took > LONG_MS) window = Math.max(Math.floor(window / 2), FIRST_WINDOW_ROWS)
  }
}
