// Decision 48.

import { LRUCache } from 'lru-cache'
import { boundedBy } from '../ports/cache-bounds.ts'
import type { Position, StoredEvent } from '../ports/event-store.ts'
import { bytesOf } from '../ports/size.ts'
import { type Follow, type Followed, hasConsequences, throwAll } from './process.ts'

/**
 * `wasRead` means that the event came from the log, not from its append. `bytes` is the size of the events that its consequences recorded.
 */
type Try = { readonly outcome: Promise<Followed>; readonly wasRead: boolean; readonly bytes: number }

const isRead = (event: StoredEvent): boolean => 'position' in event

/**
 * Carries out the consequences of each event once, although two ask for it: the request that recorded the event, and the part of the
 * process that reads the log. The first to ask starts it, and the other waits for the same result. After a failure the next to ask starts
 * it again. If the request recorded nothing for one of the consequences, the reader of the log looks again.
 */
export const openFollowOnce = (follow: Follow): Follow => {
  const tries = new LRUCache<string, Try>(boundedBy('followedEvents', ({ bytes }) => bytes))

  const followOnce = async (event: StoredEvent): Promise<Followed> => {
    const known = tries.get(event.id)
    if (known) {
      const followed = await known.outcome
      if (followed.isWhole || known.wasRead || !isRead(event)) return followed
    }
    const begun = follow([event])
    const one = { outcome: begun, wasRead: isRead(event), bytes: 0 }
    tries.set(event.id, one)
    const isLatest = () => tries.peek(event.id) === one
    begun.then(
      ({ recorded }) => isLatest() && tries.set(event.id, { ...one, bytes: bytesOf(recorded) }),
      () => isLatest() && tries.delete(event.id),
    )
    return begun
  }

  return async (events) => {
    let last: Position | undefined
    let isWhole = true
    const recorded: StoredEvent[] = []
    const faults: unknown[] = []
    for (const event of events.filter(hasConsequences)) {
      try {
        const followed = await followOnce(event)
        const { position } = followed
        if (position !== undefined && (last === undefined || position > last)) last = position
        recorded.push(...followed.recorded)
        isWhole &&= followed.isWhole
      } catch (fault) {
        faults.push(fault)
      }
    }
    throwAll(faults)
    return { position: last, recorded, isWhole }
  }
}
