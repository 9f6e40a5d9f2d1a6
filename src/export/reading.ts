import { timeOf } from '../history/milestones.ts'
import type { NumberedEvents } from '../history/numbered-events.ts'
import { type EventStore, LOG_START, type Position } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Numbered } from './levels.ts'

/** A place in the log: the number of an event, a time, or a position. */
export type Bound = { readonly n: number } | { readonly at: number } | { readonly position: Position }

/** Parses a place: digits are a number, 20 of them a position, anything else a time. Returns undefined if it is none of these. */
export const boundOf = (text: string): Bound | undefined => {
  if (/^\d{20}$/.test(text)) return { position: text }
  if (/^\d{1,15}$/.test(text)) return { n: Number(text) }
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : { at }
}

/** The place where reading goes on: after a position, where the next event has a number. */
export type ReadingPlace = { readonly after: Position; readonly n: number }

export const LOG_BEGIN: ReadingPlace = { after: LOG_START, n: 0 }

const PAGE_EVENTS = 1_000

type Log = Pick<EventStore, 'readAll'>

/** Tells whether an event is at a bound, or past it. */
const reaches =
  (bound: Bound) =>
  ({ n, recorded }: Numbered): boolean => {
    if ('n' in bound) return n >= bound.n
    return 'position' in bound ? recorded.position >= bound.position : timeOf(recorded) >= bound.at
  }

/** Tells whether an event is past a bound, so that reading ends before it. */
const exceeds =
  (bound: Bound) =>
  ({ n, recorded }: Numbered): boolean => {
    if ('n' in bound) return n > bound.n
    return 'position' in bound ? recorded.position > bound.position : timeOf(recorded) > bound.at
  }

/** Yields the log from a place to its present end, in pages. */
async function* pagesFrom(events: Log, place: ReadingPlace, end: Position): AsyncGenerator<readonly Numbered[], void> {
  for (let { after, n } = place; after < end; ) {
    const page = (await events.readAll(after, PAGE_EVENTS)).filter(({ position }) => position <= end)
    const first = n
    if (page.length > 0) yield page.map((recorded, index) => ({ n: first + index, recorded }))
    n += page.length
    after = page.at(-1)?.position ?? end
  }
}

/** Finds a place by counting from the start of the log. The numbers are those of the history, whether one is kept or not. */
const countToPlace = async (events: Log, bound: Bound, end: Position): Promise<ReadingPlace> => {
  const isThere = reaches(bound)
  let place = LOG_BEGIN
  for await (const page of pagesFrom(events, place, end)) {
    const index = page.findIndex(isThere)
    const before = index < 0 ? page.at(-1) : page[index - 1]
    if (before) place = { after: before.recorded.position, n: before.n + 1 }
    if (index >= 0) return place
  }
  return place
}

/** Finds a place by the numbers of a history; undefined if it does not have them, or not yet. */
const findNumberedPlace = async (numbered: NumberedEvents, bound: Bound): Promise<ReadingPlace | undefined> => {
  if ('position' in bound) return undefined
  const n = 'n' in bound ? bound.n : await numbered.firstAt(bound.at)
  if (n === 0 || n >= (await numbered.size())) return undefined
  const [before] = await numbered.page(n - 1)
  return before && { after: before.position, n }
}

/** Returns the place of the first event that is at a bound or past it, or else of the end. */
export const findReadingPlace = async (
  events: Log,
  numbered: NumberedEvents | undefined,
  bound: Bound,
  end: Position,
): Promise<ReadingPlace> => {
  const toUnavailable = (fault: unknown) => {
    if (fault instanceof StoreFault) return undefined
    throw fault
  }
  const place = numbered && (await findNumberedPlace(numbered, bound).catch(toUnavailable))
  return place ?? countToPlace(events, bound, end)
}

/**
 * Yields events from a place up to the present end, or up to the last event before one that is past a bound: a gap would miss events for
 * those who read on. Returns whether it came to such an event.
 */
export async function* pagesUntil(
  events: Log,
  place: ReadingPlace,
  end: Position,
  until: Bound | undefined,
): AsyncGenerator<readonly Numbered[], boolean> {
  const isPast = until && exceeds(until)
  for await (const page of pagesFrom(events, place, end)) {
    const index = isPast ? page.findIndex(isPast) : -1
    if (index < 0) yield page
    else {
      if (index > 0) yield page.slice(0, index)
      return true
    }
  }
  return false
}
