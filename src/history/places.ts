import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { timeOf } from './milestones.ts'
import type { NumberedEvents } from './numbered-events.ts'

/** A place right after an event of the log. `at` is the time of that event. */
export type Place = { readonly position: Position; readonly at: number }

/** Finds places in the log. */
export type Places = {
  /** Returns the place after the event of a number; undefined if no event has it yet. */
  readonly ofNumber: (n: number) => Promise<Place | undefined>
  /**
   * Returns the place before the first event that is later than a time (milliseconds since 1970); undefined if nothing happened until then.
   */
  readonly ofTime: (time: number) => Promise<Place | undefined>
  /** Returns the number of numbered events. */
  readonly size: () => Promise<number>
}

type Ports = { readonly events: Pick<EventStore, 'readAll'>; readonly numbered: NumberedEvents }

const EVENTS_PER_READ = 256
/** The most events that are not numbered yet: mostly those of some seconds. */
const MAX_UNNUMBERED_EVENTS = 10_000

const placeAfter = (event: RecordedEvent | undefined): Place | undefined => event && { position: event.position, at: timeOf(event) }

export const openPlaces = ({ events, numbered }: Ports): Places => {
  const ofNumber = async (n: number) => placeAfter((await numbered.page(n))[0])

  /** Returns the last event up to a time among those after a place, which are not numbered yet. */
  const findUnnumbered = async (from: Place | undefined, time: number): Promise<Place | undefined> => {
    let place = from
    for (let read = 0; read < MAX_UNNUMBERED_EVENTS; read += EVENTS_PER_READ) {
      const page = await events.readAll(place?.position ?? LOG_START, EVENTS_PER_READ)
      const later = page.findIndex((event) => timeOf(event) > time)
      place = placeAfter(later < 0 ? page.at(-1) : page[later - 1]) ?? place
      if (later >= 0 || page.length === 0) return place
    }
    throw new StoreFault('unavailable', 'the events until then are still being numbered: try again later')
  }

  return {
    size: numbered.size,
    ofNumber,
    ofTime: async (time) => {
      const next = await numbered.firstAt(time + 1)
      const place = next === 0 ? undefined : await ofNumber(next - 1)
      return next < (await numbered.size()) ? place : findUnnumbered(place, time)
    },
  }
}
