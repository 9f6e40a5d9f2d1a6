import type { AllStreamResolvedEvent, Direction } from '@eventstore/db-client'
import {
  type Glance,
  type LeftOut,
  LOG_START,
  MAX_PAGE_BYTES,
  MAX_PAGE_EVENTS,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.ts'
import { charactersOf, filterWithout, isSystemEvent, parsePosition, positionText, toRecordedEvent } from './event-text.ts'
import type { Event, KnownHead, Tail } from './known-head.ts'
import { readAllFiltered } from './own-calls/filtered-read.ts'
import type { ReadPage } from './page-reads.ts'

/** The most events of a page. A page without an event of ours is followed by a larger one. Skipped events are not kept. */
const LARGEST_PAGE_EVENTS = 4_096
const PAGE_GROWTH_FACTOR = 4

/** A part of a page: the position of its end, and whether the log ended there. */
type ReadStretch = { readonly furthest: Position | undefined; readonly ended: boolean }

const startOf = ({ lastOwn }: Tail): Position => (lastOwn ? positionText(lastOwn.position) : LOG_START)

/** Reads across all streams. The server writes its own events among ours; on an idle site, many more than ours. */
export const wholeLog = (page: ReadPage, head: KnownHead) => {
  let walking: Promise<unknown> = Promise.resolve()

  /** Reads on until `take` has enough. It is called with each event and its position, and each try needs a new one. */
  const part = async (
    from: Position | 'end',
    direction: Direction,
    count: number,
    begin: () => (event: Event, position: Position) => boolean,
  ): Promise<ReadStretch> => {
    const fromPosition = from === 'end' ? 'end' : from === LOG_START ? 'start' : parsePosition(from)
    const stretch = await page<AllStreamResolvedEvent, ReadStretch>(
      (client) => client.readAll({ fromPosition, direction, maxCount: count, requiresLeader: true }),
      () => {
        const take = begin()
        let furthest: Position | undefined
        let read = 0
        let enough = false
        return {
          take: ({ event }) => {
            read++
            if (!event) return true
            const position = positionText(event.position)
            enough = !take(event, position)
            if (!enough) furthest = position
            return !enough
          },
          result: () => ({ furthest, ended: !enough && read < count }),
        }
      },
    )
    return stretch ?? { furthest: undefined, ended: true }
  }

  /** Returns the last event of ours, if the log has no later one after `from`. Parts that were read before are skipped in one step. */
  const walkBack = async (from: Position): Promise<Event | undefined> => {
    const { lastOwn, seen } = head.tail()
    if (from <= seen) return lastOwn
    let at = from
    for (let count = PAGE_GROWTH_FACTOR; ; count = Math.min(count * PAGE_GROWTH_FACTOR, LARGEST_PAGE_EVENTS)) {
      let found: Event | undefined
      let met = false
      const { furthest, ended } = await part(at, 'backwards', count, () => {
        found = undefined
        met = false
        return (event, position) => {
          met = position <= seen
          if (!met && !isSystemEvent(event.type)) found = event
          return !met && !found
        }
      })
      if (found || met || ended || !furthest) {
        head.learn({ lastOwn: found ?? lastOwn, seen: from })
        return found ?? lastOwn
      }
      at = furthest
    }
  }

  /** Returns the last event in the log, which may be one of the server's own. */
  const newest = async (): Promise<Event | undefined> => {
    const { seen } = head.tail()
    const askedAt = Date.now()
    let last: Event | undefined
    await part('end', 'backwards', 1, () => (event) => {
      last = event
      return true
    })
    if (!last) return undefined
    const at = positionText(last.position)
    head.note(at, askedAt) // passes the time of the question, since the answer may have been on its way for long
    if (at < seen) head.forget() // the server now has another log, or was restored to an earlier state of this one
    return last
  }

  const newestOwn = async (): Promise<Event | undefined> => {
    const last = await newest()
    if (!last) return undefined
    const at = positionText(last.position)
    if (!isSystemEvent(last.type)) {
      head.learn({ lastOwn: last, seen: at })
      return last
    }
    // Other callers wait for this read instead of repeating it.
    const walk = walking.then(() => walkBack(at))
    walking = walk.catch(() => undefined)
    return walk
  }

  return {
    readAll: async (after: Position, limit: number): Promise<readonly RecordedEvent[]> => {
      const events: RecordedEvent[] = []
      let bytes = 0
      let last = after
      let lastOwn: Tail['lastOwn'] | 'unknown' = 'unknown' // the last event of ours that is not after `last`
      for (let count = Math.min(MAX_PAGE_EVENTS, limit + 1); events.length < limit && bytes < MAX_PAGE_BYTES; ) {
        const tail = head.tail()
        if (last >= startOf(tail) && last <= tail.seen) [last, lastOwn] = [tail.seen, tail.lastOwn]
        const before = { count: events.length, bytes, lastOwn }
        const { furthest, ended } = await part(last, 'forwards', count, () => {
          events.length = before.count
          ;({ bytes, lastOwn } = before)
          return (event, position) => {
            // The server sends the event at the position itself again.
            if (position <= last || isSystemEvent(event.type)) return true
            if (events.length === limit || bytes >= MAX_PAGE_BYTES) return false
            const one = toRecordedEvent(event)
            events.push(one)
            bytes += charactersOf(one)
            lastOwn = event
            return true
          }
        })
        if (ended && furthest && lastOwn !== 'unknown') head.learn({ lastOwn, seen: furthest })
        if (ended || !furthest) break
        count =
          events.length > before.count
            ? Math.min(MAX_PAGE_EVENTS, limit - events.length + 1)
            : Math.min(count * PAGE_GROWTH_FACTOR, LARGEST_PAGE_EVENTS)
        last = furthest
      }
      return events
    },

    /** Reads the newest position first, so that an empty answer is certain up to it. */
    glance: async (after: Position, leftOut?: LeftOut): Promise<Glance | undefined> => {
      const last = await newest()
      const end = last ? positionText(last.position) : LOG_START
      const positions = await page<AllStreamResolvedEvent, readonly Position[]>(
        (client) => readAllFiltered(client, { from: after, filter: filterWithout(leftOut), count: MAX_PAGE_EVENTS }),
        () => {
          const met: Position[] = []
          return {
            take: ({ event }) => {
              if (event && !isSystemEvent(event.type)) met.push(positionText(event.position))
              return true
            },
            result: () => met,
          }
        },
      )
      if (positions?.length === MAX_PAGE_EVENTS) return undefined
      const furthest = positions?.at(-1) ?? after
      return { last: furthest > after ? furthest : undefined, upTo: end > after ? end : after }
    },

    /** Notes the present end of the log. */
    end: async (): Promise<void> => {
      await newest()
    },

    head: async (): Promise<Position> => {
      const event = await newestOwn()
      return event ? positionText(event.position) : LOG_START
    },

    last: async (): Promise<RecordedEvent | undefined> => {
      const event = await newestOwn()
      return event && toRecordedEvent(event)
    },
  }
}
