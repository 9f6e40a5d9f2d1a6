import { LRUCache } from 'lru-cache'
import { atMostEntries } from './size.ts'

/**
 * Where searches that ran out of time ended, by what they looked for. Their further pages look exactly as far: otherwise a page would miss
 * matches, or show some that belong before it.
 */
export type SearchEnds<End> = { readonly get: (search: string) => End | undefined; readonly set: (search: string, end: End) => void }

const MAX_ENDS = 1_000
/** Milliseconds in which somebody who turns pages comes to the end; a search that is begun later looks as far as it has time for. */
const LIFETIME_MS = 600_000

export const openSearchEnds = <End extends number | readonly unknown[]>(): SearchEnds<End> =>
  new LRUCache<string, End>({ ...atMostEntries(MAX_ENDS), ttl: LIFETIME_MS })
