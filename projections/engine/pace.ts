import type { RecordedEvent } from '../../src/ports/event-store.ts'

const FIRST_STEP_EVENTS = 500
const MIN_STEP_EVENTS = 20
/** If the documents of a step take more bytes than the first figure, the next step is shorter; if fewer than the second, longer. */
const MANY_BYTES = 8 * 1024 * 1024
const FEW_BYTES = 2 * 1024 * 1024

/** The number of events processed in a step: smaller if they load large documents. */
export type Pace = { readonly events: () => number; readonly note: (bytesLoaded: number) => void }

export const openPace = (most: number): Pace => {
  let events = Math.min(most, FIRST_STEP_EVENTS)
  return {
    events: () => events,
    note: (bytesLoaded) => {
      if (bytesLoaded > MANY_BYTES) events = Math.max(MIN_STEP_EVENTS, Math.floor(events / 2))
      else if (bytesLoaded < FEW_BYTES) events = Math.min(most, events * 2)
    },
  }
}

/** Returns the approximate number of bytes that these events add to the documents that they touch. */
export const sumBytes = (events: readonly RecordedEvent[]): number => events.reduce((sum, { data }) => sum + data.length, 0)
