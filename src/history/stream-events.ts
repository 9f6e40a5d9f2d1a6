import { eventsAfter, eventsBefore } from '../log/merged-streams.ts'
import type { EventStore, Position, RecordedEvent } from '../ports/event-store.ts'
import type { HistoryReads } from './history-reads.ts'
import { EVENTS_PER_MILESTONE } from './milestones.ts'
import type { NumberedEvents } from './numbered-events.ts'

/** A stored event and its number in the log of all events. */
export type NumberedEvent = RecordedEvent & { readonly n: number }

/** The place of an event in its stream. */
type StreamPlace = Pick<RecordedEvent, 'stream' | 'revision'>

/** Reads events of some streams in the order of the log. */
export type StreamEvents = {
  /** Returns the next events after a position of the log. */
  readonly after: (streams: readonly string[], position: Position, limit: number) => Promise<readonly RecordedEvent[]>
  /** Returns the last events before a position. */
  readonly before: StreamEvents['after']
  /** Returns the events that have numbers, with these. It looks up each in the log, so a caller should ask for few. */
  readonly findNumbered: (events: readonly RecordedEvent[]) => Promise<readonly NumberedEvent[]>
  /** Returns the acts of moderators of these ids. */
  readonly acts: (ids: readonly string[]) => Promise<readonly NumberedEvent[]>
  /** Returns the events at some places. */
  readonly at: (places: readonly StreamPlace[]) => Promise<readonly RecordedEvent[]>
  /** Returns the cause of an event, by the id of the cause: an act of a moderator, or an event shortly before. */
  readonly cause: (id: string, consequence: NumberedEvent) => Promise<NumberedEvent | undefined>
}

/** The most events between a cause and its consequence if nothing else leads to it; there are nearly always few. */
const MAX_EVENTS_BETWEEN = EVENTS_PER_MILESTONE

type Ports = {
  readonly events: Pick<EventStore, 'read' | 'readBackwards'>
  readonly numbered: NumberedEvents
  readonly history: Pick<HistoryReads, 'act'>
}

export const openStreamEvents = ({ events, numbered, history }: Ports): StreamEvents => {
  /** Returns the event of an id among those from a number on and before another. */
  const findBetween = async (id: string, from: number, end: number): Promise<NumberedEvent | undefined> => {
    for (let n = from; n < end; ) {
      const page = await numbered.page(n)
      const at = page.findIndex((event) => event.id === id)
      const event = page[at]
      if (event) return { ...event, n: n + at }
      if (page.length === 0) break
      n += page.length
    }
    return undefined
  }

  const numberOf = async ({ id, position }: RecordedEvent, size: number): Promise<number | undefined> => {
    const first = await numbered.milestoneAt(position)
    return (await findBetween(id, first, Math.min(size, first + EVENTS_PER_MILESTONE)))?.n
  }

  const withNumbers: StreamEvents['findNumbered'] = async (recorded) => {
    const size = await numbered.size()
    const found: NumberedEvent[] = []
    for (const event of recorded) {
      const n = await numberOf(event, size)
      if (n !== undefined) found.push({ ...event, n })
    }
    return found
  }

  const acts: StreamEvents['acts'] = async (ids) => {
    const acts = await Promise.all(ids.map((id) => history.act(id)))
    return acts.flatMap((act) => (act ? [{ ...act.event, n: act.n }] : []))
  }

  return {
    acts,
    at: async (places) =>
      (await Promise.all(places.map(({ stream, revision }) => events.read(stream, revision, 1)))).flatMap((page) => page.events),
    findNumbered: withNumbers,
    after: (streams, position, limit) => eventsAfter(events, streams, position, limit),
    before: (streams, position, limit) => eventsBefore(events, streams, position, limit),
    cause: async (id, { n }) => (await findBetween(id, Math.max(0, n - MAX_EVENTS_BETWEEN), n)) ?? (await acts([id]))[0],
  }
}
