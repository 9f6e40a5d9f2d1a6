import { setImmediate } from 'node:timers/promises'
import type { Logged } from '../domain/events.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import type { Codec } from './codec.ts'
import { pagesOf } from './pages.ts'

/** The number of events that are opened without a pause for other requests. Each takes some tenth of a millisecond. */
const OPENED_AT_ONCE = 50
/** The number of events that are read at once. A data file reads them in the thread of the requests. */
const READ_AT_ONCE = 100

type OpenedEvents = AsyncGenerator<readonly Logged[], void, undefined>

/** Reads streams with their texts open. */
export const openedStreams = (events: Pick<EventStore, 'read'>, { open }: Pick<Codec, 'open'>) => ({
  /** Yields a whole stream, page by page. */
  readStream: async function* (stream: string): OpenedEvents {
    for await (const page of pagesOf(events, stream)) yield open(page)
  },
  /** Yields a stream up to a position of the log, in small parts. */
  readUntil: async function* (stream: string, upTo: Position): OpenedEvents {
    for await (const page of pagesOf(events, stream, 0, READ_AT_ONCE)) {
      const within = page.filter(({ position }) => position <= upTo)
      for (let at = 0; at < within.length; at += OPENED_AT_ONCE) {
        if (at > 0) await setImmediate()
        yield await open(within.slice(at, at + OPENED_AT_ONCE))
      }
      if (within.length < page.length) return
    }
  },
  /** Returns the event at a revision; undefined if there is none. */
  readEvent: async (stream: string, revision: number): Promise<Logged | undefined> => {
    const [event] = await open((await events.read(stream, revision, 1)).events)
    return event?.revision === revision ? event : undefined
  },
})
