// Decision 133.

import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Logged } from '../domain/events.ts'
import { WikiPageRevised } from '../domain/wiki-page.ts'
import { boundedBy } from '../ports/cache-bounds.ts'
import type { EventStore, Position, RecordedEvent } from '../ports/event-store.ts'
import { bytesOf } from '../ports/size.ts'
import type { Codec } from './codec.ts'
import { pagesOf } from './pages.ts'

/** The number of events that are opened without a pause for other requests. Each takes some tenth of a millisecond. */
const OPENED_AT_ONCE = 50
/** The number of events that are read at once. A data file reads them in the thread of the requests. */
const READ_AT_ONCE = 100

/** The events that are kept when they are appended: those whose text no state has, and which the next edit of the page reads. */
const KEPT_TYPE = WikiPageRevised.type

const placeOf = (stream: string, revision: number): string => `${stream}@${revision}`

type OpenedEvents = AsyncGenerator<readonly Logged[], void, undefined>

/** Reads streams with their texts open. Revisions of wiki pages that were appended here lately, which it keeps sealed, it does not read. */
export const openStreams = (events: Pick<EventStore, 'read' | 'append'>, { open }: Pick<Codec, 'open'>) => {
  const cache = new LRUCache<string, RecordedEvent>(boundedBy('wikiRevisions', bytesOf))
  const append: EventStore['append'] = (stream, expected, proposed) => {
    const last = proposed.at(-1)
    const appended = events.append(stream, expected, proposed)
    if (last?.type !== KEPT_TYPE) return appended
    return appended.then((result) => {
      if (result.outcome !== 'appended') return result
      const { revision, position } = result
      cache.set(placeOf(stream, revision), { ...last, stream, revision, position })
      return result
    })
  }
  return {
    /** Appends to the log. */
    append,
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
      const known = cache.get(placeOf(stream, revision))
      const [event] = await open(known ? [known] : (await events.read(stream, revision, 1)).events)
      return event?.revision === revision ? event : undefined
    },
  }
}
