import { setImmediate } from 'node:timers/promises'
import type { Logged } from '../domain/events.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import type { Codec } from './codec.ts'
import { pagesOf } from './pages.ts'

/** Events that are opened without a pause for other requests; each takes some tenth of a millisecond. */
const OPENED_AT_ONCE = 50
/** Events that are read at once, which a data file does in the thread of the requests. */
const READ_AT_ONCE = 100

type OpenedEvents = AsyncGenerator<readonly Logged[], void, undefined>

/** Streams with their texts open. */
export const openedStreams = (events: Pick<EventStore, 'read'>, { open }: Pick<Codec, 'open'>) => ({
  /** A whole one, page by page. */
  readStream: async function* (stream: string): OpenedEvents {
    for await (const page of pagesOf(events, stream)) yield open(page)
  },
  /** Up to a position of the log, in small parts. */
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
  /** The event at a revision; undefined where there is none. */
  readEvent: async (stream: string, revision: number): Promise<Logged | undefined> => {
    const [event] = await open((await events.read(stream, revision, 1)).events)
    return event?.revision === revision ? event : undefined
  },
})
