import { setImmediate } from 'node:timers/promises'
import { type EventStore, LOG_START, type Position, type RecordedEvent, type StreamPage } from '../ports/event-store.ts'

/** Yields a stream from a revision on, page by page, so that a fold holds one page at a time. Other requests run between pages. */
export async function* pagesOf(
  events: Pick<EventStore, 'read'>,
  stream: string,
  from = 0,
  limit?: number,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  for (let next = from; ; ) {
    const page = await events.read(stream, next, limit)
    const last = page.events.at(-1)
    if (last === undefined) return
    yield page.events
    if (!page.more) return
    await setImmediate()
    next = last.revision + 1
  }
}

/** The number of events in the first page. A match is mostly among the newest events, or does not exist. */
const FIRST_PAGE_EVENTS = 16

/** Yields the events of a stream after a log position, newest first, or all events without a position. */
export async function* pagesAfter(
  events: Pick<EventStore, 'readBackwards'>,
  stream: string,
  position: Position = LOG_START,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  for (let from: number | undefined, limit: number | undefined = FIRST_PAGE_EVENTS; ; limit = undefined) {
    const page: StreamPage = await events.readBackwards(stream, from, limit)
    const oldest = page.events.at(-1)
    if (oldest === undefined) return
    yield page.events.filter((event) => event.position > position)
    if (!page.more || oldest.position <= position) return
    from = oldest.revision - 1
    await setImmediate()
  }
}
