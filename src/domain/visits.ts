// Decision 74.

import * as t from 'io-ts'
import { LinkId } from './ids.ts'
import { DAY } from './time.ts'

/** The time for which a link counts as visited. */
export const VISIT_LIFETIME_MS = 7 * DAY
/** The most visited links of one account; one more forgets the oldest. */
export const MAX_VISITED_LINKS = 1_000

/** The links that an account visited, the latest first. Each has the time until which it counts as visited, in milliseconds since 1970. */
export const Visits = t.readonlyArray(t.tuple([LinkId, t.number]))
export type Visits = t.TypeOf<typeof Visits>

export const visit = (visits: Visits, links: readonly LinkId[], at: number): Visits => {
  const latest = new Map<LinkId, number>(links.map((link) => [link, at + VISIT_LIFETIME_MS]))
  return [...latest, ...visits.filter(([link, until]) => until > at && !latest.has(link))].slice(0, MAX_VISITED_LINKS)
}

export const listVisited = (visits: Visits, at: number): ReadonlySet<LinkId> =>
  new Set(visits.flatMap(([link, until]) => (until > at ? [link] : [])))
