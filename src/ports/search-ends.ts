import { LRUCache } from 'lru-cache'
import { atMostEntries } from './size.ts'

/**
 * The ends of searches that ran out of time, by the search. Their further pages look exactly as far. Otherwise a page would miss matches,
 * or show some that belong before it.
 */
export type SearchEnds<End> = { readonly get: (search: string) => End | undefined; readonly set: (search: string, end: End) => void }

const MAX_ENDS = 1_000
/** The time in which somebody who turns pages reaches the end. A search that is begun later looks as far as it has time for. */
const LIFETIME_MS = 600_000

export const openSearchEnds = <End extends number | readonly unknown[]>(): SearchEnds<End> =>
  new LRUCache<string, End>({ ...atMostEntries(MAX_ENDS), ttl: LIFETIME_MS })
