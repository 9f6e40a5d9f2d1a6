import type { EventStore, Position, RecordedEvent } from '../ports/event-store.ts'
import { firstIndexAsync } from '../ports/first-index.ts'
import { pagesOf } from './pages.ts'

type Events = Pick<EventStore, 'read' | 'readBackwards'>

/**
 * Returns the first revision of a stream after a position of the log. Positions grow with revisions, so few events are read however long
 * the stream is.
 */
const revisionAfter = async (events: Events, stream: string, position: Position): Promise<number> => {
  const [last] = (await events.readBackwards(stream, undefined, 1)).events
  if (last === undefined || last.position <= position) return (last?.revision ?? -1) + 1
  return firstIndexAsync(last.revision, async (revision) => {
    const [event] = (await events.read(stream, revision, 1)).events
    return event === undefined || event.position > position
  })
}

const inOrder = (all: readonly (readonly RecordedEvent[])[]): readonly RecordedEvent[] =>
  all.flat().toSorted((one, other) => (one.position < other.position ? -1 : 1))

/** Returns the next events of some streams after a position of the log, in the order of the log. */
export const eventsAfter = async (
  events: Events,
  streams: readonly string[],
  position: Position,
  limit: number,
): Promise<readonly RecordedEvent[]> => {
  const next = async (stream: string) => {
    const found: RecordedEvent[] = []
    for await (const page of pagesOf(events, stream, await revisionAfter(events, stream, position), limit)) {
      found.push(...page)
      if (found.length >= limit) break
    }
    return found
  }
  return inOrder(await Promise.all(streams.map(next))).slice(0, limit)
}

/** Returns the last events of some streams before a position of the log, in the order of the log. */
export const eventsBefore = async (
  events: Events,
  streams: readonly string[],
  position: Position,
  limit: number,
): Promise<readonly RecordedEvent[]> => {
  const readLast = async (stream: string) => {
    const found: RecordedEvent[] = []
    for (let from = (await revisionAfter(events, stream, position)) - 1; from >= 0 && found.length < limit; ) {
      const page = (await events.readBackwards(stream, from, limit)).events
      found.push(...page.filter((event) => event.position < position))
      from = (page.at(-1)?.revision ?? 0) - 1
    }
    return found
  }
  return inOrder(await Promise.all(streams.map(readLast))).slice(-limit)
}
