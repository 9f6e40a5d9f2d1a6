import { pagesOf } from '../../src/log/pages.ts'
import type { EventStore, RecordedEvent } from '../../src/ports/event-store.ts'

/** Returns all events of a stream from a revision on. */
export const streamOf = async (events: Pick<EventStore, 'read'>, stream: string, from = 0): Promise<readonly RecordedEvent[]> =>
  (await Array.fromAsync(pagesOf(events, stream, from))).flat()
