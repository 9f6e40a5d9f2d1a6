import { LRUCache } from 'lru-cache'
import type { Position, RecordedEvent } from '../ports/event-store.ts'
import { atMostEntries } from '../ports/size.ts'
import { type Follow, hasConsequences, throwAll } from './process.ts'

/** Events whose consequences are being carried out, or were lately: far more than requests are in flight. */
const MAX_FOLLOWED_EVENTS = 1_000

/**
 * The same, but each event is followed by whoever asks first, and the others wait for that: the request that recorded it, and the process that
 * reads the log. What failed is tried again by whoever asks next.
 */
export const followingOnce = (follow: Follow): Follow => {
  const followed = new LRUCache<string, Promise<Position | undefined>>(atMostEntries(MAX_FOLLOWED_EVENTS))

  const once = (event: RecordedEvent): Promise<Position | undefined> => {
    const known = followed.get(event.id)
    if (known) return known
    const begun = follow([event])
    followed.set(event.id, begun)
    begun.catch(() => followed.delete(event.id))
    return begun
  }

  return async (recorded) => {
    let last: Position | undefined
    const faults: unknown[] = []
    for (const event of recorded.filter(hasConsequences)) {
      try {
        const position = await once(event)
        if (position !== undefined && (last === undefined || position > last)) last = position
      } catch (fault) {
        faults.push(fault)
      }
    }
    throwAll(faults)
    return last
  }
}
