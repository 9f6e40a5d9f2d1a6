import { LRUCache } from 'lru-cache'
import type { Position, RecordedEvent } from '../ports/event-store.ts'
import { atMostEntries } from '../ports/size.ts'
import { type Follow, hasConsequences, throwAll } from './process.ts'

/** Events whose consequences are being carried out, or were lately: far more than requests are in flight. */
const MAX_FOLLOWED_EVENTS = 1_000

/**
 * Carries out the consequences of each event once, although two ask for it: the request that recorded the event, and the part of the process that
 * reads the log. The first to ask starts it and the other waits for the same result. After a failure the next to ask starts it again.
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
