import { timeOf } from '../history/milestones.ts'
import type { NumberedEvents } from '../history/numbered-events.ts'
import { type EventStore, LOG_START, type Position } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Numbered } from './levels.ts'

/** A place in the log: the number of an event, a time, or a position. */
export type Bound = { readonly n: number } | { readonly at: number } | { readonly position: Position }

/** What a text says: digits are a number, 20 of them a position; else it is a time. Undefined for anything else. */
export const boundOf = (text: string): Bound | undefined => {
  if (/^\d{20}$/.test(text)) return { position: text }
  if (/^\d{1,15}$/.test(text)) return { n: Number(text) }
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : { at }
}

/** Where to read on: after a position, the next event having a number. */
export type Place = { readonly after: Position; readonly n: number }

export const LOG_BEGIN: Place = { after: LOG_START, n: 0 }

const PAGE_EVENTS = 1_000

type Log = Pick<EventStore, 'readAll'>

/** Whether an event is at a bound, or past it. */
const reaches =
  (bound: Bound) =>
  ({ n, recorded }: Numbered): boolean => {
    if ('n' in bound) return n >= bound.n
    return 'position' in bound ? recorded.position >= bound.position : timeOf(recorded) >= bound.at
  }

/** Whether an event is past a bound: it belongs to what is read no more. */
const exceeds =
  (bound: Bound) =>
  ({ n, recorded }: Numbered): boolean => {
    if ('n' in bound) return n > bound.n
    return 'position' in bound ? recorded.position > bound.position : timeOf(recorded) > bound.at
  }

/** The log from a place to its present end, in pages. */
async function* pagesFrom(events: Log, place: Place, end: Position): AsyncGenerator<readonly Numbered[], void> {
  for (let { after, n } = place; after < end; ) {
    const page = (await events.readAll(after, PAGE_EVENTS)).filter(({ position }) => position <= end)
    const first = n
    if (page.length > 0) yield page.map((recorded, index) => ({ n: first + index, recorded }))
    n += page.length
    after = page.at(-1)?.position ?? end
  }
}

/** Counted from the start of the log: the numbers are those of the history, whether one is kept or not. */
const countedPlace = async (events: Log, bound: Bound, end: Position): Promise<Place> => {
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

/** By the numbers of a history; undefined where it does not have them, or not yet. */
const numberedPlace = async (numbered: NumberedEvents, bound: Bound): Promise<Place | undefined> => {
  if ('position' in bound) return undefined
  const n = 'n' in bound ? bound.n : await numbered.firstAt(bound.at)
  if (n === 0 || n >= (await numbered.size())) return undefined
  const [before] = await numbered.page(n - 1)
  return before && { after: before.position, n }
}

/** The place of the first event that is at a bound or past it, or else of the end. */
export const placeOf = async (events: Log, numbered: NumberedEvents | undefined, bound: Bound, end: Position): Promise<Place> => {
  const unavailable = (fault: unknown) => {
    if (fault instanceof StoreFault) return undefined
    throw fault
  }
  const place = numbered && (await numberedPlace(numbered, bound).catch(unavailable))
  return place ?? countedPlace(events, bound, end)
}

/**
 * From a place up to the present end, or the last event before one that is past a bound: what is left out in between would be missed by those
 * after it. Returns whether it came to such a one.
 */
export async function* pagesUntil(
  events: Log,
  place: Place,
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
