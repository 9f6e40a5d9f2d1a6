import * as t from 'io-ts'
import { LinkId } from './ids.ts'
import { DAY } from './time.ts'

/** Milliseconds that a link counts as visited. */
export const VISIT_LIFETIME_MS = 7 * DAY
/** Links of one account; one more forgets the oldest. */
export const MAX_VISITED_LINKS = 1_000

/** The links that an account visited, the latest first, each with the time (milliseconds since 1970) until which it counts as visited. */
export const Visits = t.readonlyArray(t.tuple([LinkId, t.number]))
export type Visits = t.TypeOf<typeof Visits>

export const visit = (visits: Visits, links: readonly LinkId[], at: number): Visits => {
  const latest = new Map<LinkId, number>(links.map((link) => [link, at + VISIT_LIFETIME_MS]))
  return [...latest, ...visits.filter(([link, until]) => until > at && !latest.has(link))].slice(0, MAX_VISITED_LINKS)
}

export const visitedAt = (visits: Visits, at: number): ReadonlySet<LinkId> =>
  new Set(visits.flatMap(([link, until]) => (until > at ? [link] : [])))
