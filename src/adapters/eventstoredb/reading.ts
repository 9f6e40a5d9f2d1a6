import { setTimeout as pause } from 'node:timers/promises'
import type { AllStreamResolvedEvent, Direction, EventStoreDBClient, ResolvedEvent, StreamingRead } from '@eventstore/db-client'
import { PAGE_BYTES, PAGE_EVENTS, type Position, type RecordedEvent, START, type StreamPage } from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import { isSystemEvent, positionOf, positionText, recorded } from './event-text.ts'
import { classify, mustReplaceClient } from './failures.ts'
import type { Link, Session } from './link.ts'
import { pauseBefore, type Timings } from './timings.ts'

const TAIL = 64

/** The furthest position known to be in the log, and how long ago the whole log lay at or before it. */
export type KnownHead = { readonly note: (position: Position) => void; readonly position: () => Position; readonly age: () => number }

export const knownHead = (): KnownHead => {
  let furthest = START
  let seen = Number.NEGATIVE_INFINITY
  return {
    note: (position) => {
      if (position < furthest) return // an answer overtaken by another
      furthest = position
      seen = Date.now()
    },
    position: () => furthest,
    age: () => Date.now() - seen,
  }
}

type Read<E> = (client: EventStoreDBClient) => StreamingRead<E>

const SILENT = 'no answer from the server'

/** Told of each event as it comes; false ends the read there, so that the rest is not sent. */
type Take<E> = (event: E) => boolean

/**
 * A bounded read to its end, or as far as `take` wants it; an error once nothing came for `silence` milliseconds, since the client itself
 * would wait for ever. What `take` throws is given back, because it says nothing of the connection.
 */
const collect = <E>(session: Session, open: Read<E>, take: Take<E>, silence: number): Promise<{ readonly broken?: unknown }> =>
  new Promise((resolve, reject) => {
    const stream = open(session.client)
    const leave = (end: { readonly broken?: unknown }): void => {
      clearTimeout(timer)
      session.heard = Date.now()
      stream.cancel().catch(() => undefined)
      left = true
      resolve(end)
    }
    let left = false
    const timer = setTimeout(() => {
      stream.cancel().catch(() => undefined)
      reject(new Error(SILENT))
    }, silence)
    // Listeners in the same tick, and for good: an error that nobody hears ends the process.
    stream.on('error', (error) => {
      clearTimeout(timer)
      if (classify(error).kind !== 'unsent') session.heard = Date.now()
      reject(error)
    })
    stream.on('data', (event: E) => {
      if (left) return // on its way before the server heard that it was enough
      timer.refresh()
      try {
        if (!take(event)) leave({})
      } catch (broken) {
        leave({ broken })
      }
    })
    stream.on('end', () => {
      clearTimeout(timer)
      session.heard = Date.now()
      resolve({})
    })
  })

const sizeOf = ({ data, meta }: RecordedEvent): number => data.length + meta.length

/** Of data as the client parsed it, enough to know when a page is full: its texts, without writing it out again. */
const roughSizeOf = (value: unknown): number =>
  typeof value === 'string'
    ? value.length
    : typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, part) => sum + roughSizeOf(part), 16)
      : 8

export type Reads = ReturnType<typeof reads>

export const reads = (link: Link, timings: Timings, head: KnownHead) => {
  /** What `take` made of the events of a read, over as many tries as the time allows. */
  const page = async <E, Taken>(
    open: Read<E>,
    take: (event: E, taken: Taken[]) => boolean,
    deadline = Date.now() + timings.call,
  ): Promise<readonly Taken[] | 'absent'> => {
    for (let tries = 1; ; tries++) {
      const session = await link.session()
      const began = Date.now()
      const taken: Taken[] = []
      let end: Awaited<ReturnType<typeof collect>>
      try {
        const silence = Math.max(1, Math.min(timings.silence, deadline - began))
        end = await collect(session, open, (event: E) => take(event, taken), silence)
      } catch (thrown) {
        const failure = classify(thrown)
        if (failure.kind === 'absent') return 'absent'
        if (failure.kind === 'conflict') throw thrown
        const { kind, error } = failure
        if (kind === 'deleted')
          throw new StoreFault('damaged', 'a stream was deleted on the server, which nobody may ever do', { cause: error })
        if (kind === 'refused')
          throw new StoreFault('unavailable', `the event store refuses to be read: ${error.message}`, { cause: error })
        if (kind === 'invalid' || kind === 'too-large')
          throw new RangeError(`the event store cannot read that: ${error.message}`, { cause: error })
        if (mustReplaceClient(error) || (error.message === SILENT && session.heard < began)) link.replace(session, error.message)
        const wait = pauseBefore(timings, tries)
        if (Date.now() + wait >= deadline)
          throw new StoreFault('unavailable', `the event store cannot be read: ${error.message}`, { cause: error })
        await pause(wait)
        continue
      }
      if ('broken' in end) throw end.broken
      return taken
    }
  }

  /** At most `limit` events and what fills a page; one more is asked for, which tells whether there are more. */
  const streamPage = async (
    stream: string,
    fromRevision: bigint | 'end',
    direction: Direction,
    limit: number,
    deadline?: number,
  ): Promise<StreamPage> => {
    let bytes = 0
    let more = false
    const found = await page<ResolvedEvent, RecordedEvent>(
      (client) => client.readStream(stream, { fromRevision, direction, maxCount: limit + 1, requiresLeader: true }),
      ({ event }, taken) => {
        if (!event) return true
        if (taken.length === 0) bytes = 0 // a further try
        more = taken.length === limit || bytes >= PAGE_BYTES
        if (more) return false
        const one = recorded(event)
        taken.push(one)
        bytes += sizeOf(one)
        return true
      },
      deadline,
    )
    return found === 'absent' ? { events: [], more: false } : { events: found, more }
  }

  const allPage = async (from: Position | 'end', direction: Direction, count: number) => {
    const fromPosition = from === 'end' ? 'end' : from === START ? 'start' : positionOf(from)
    let bytes = 0
    let cut = false
    const found = await page<AllStreamResolvedEvent, NonNullable<AllStreamResolvedEvent['event']>>(
      (client) => client.readAll({ fromPosition, direction, maxCount: count, requiresLeader: true }),
      ({ event }, taken) => {
        if (!event) return true
        if (taken.length === 0) bytes = 0
        taken.push(event)
        if (!isSystemEvent(event.type)) bytes += roughSizeOf(event.data)
        cut = bytes >= PAGE_BYTES
        return !cut
      },
    )
    return found === 'absent' ? { found: [], ended: true } : { found, ended: !cut && found.length < count }
  }

  /** The last event that is not the server's own. */
  const newestOwn = async () => {
    for (let from: Position | 'end' = 'end', count = 1; ; count = TAIL) {
      const { found, ended } = await allPage(from, 'backwards', count)
      const [newest] = found
      if (from === 'end' && newest) head.note(positionText(newest.position))
      const own = found.find(({ type }) => !isSystemEvent(type))
      if (own) return own
      const oldest = found.at(-1)
      if (!oldest || ended) return undefined
      from = positionText(oldest.position)
    }
  }

  return {
    /** At most `count` events of one stream from a revision on, read by the deadline or not at all. */
    part: async (stream: string, from: number, count: number, deadline?: number): Promise<readonly RecordedEvent[]> =>
      (await streamPage(stream, BigInt(from), 'forwards', count, deadline)).events,

    read: (stream: string, from: number, limit = PAGE_EVENTS): Promise<StreamPage> => streamPage(stream, BigInt(from), 'forwards', limit),

    readBackwards: (stream: string, from?: number, limit = PAGE_EVENTS): Promise<StreamPage> =>
      streamPage(stream, from === undefined ? 'end' : BigInt(from), 'backwards', limit),

    readAll: async (after: Position, limit: number): Promise<readonly RecordedEvent[]> => {
      const events: RecordedEvent[] = []
      let bytes = 0
      for (let last = after; events.length < limit && bytes < PAGE_BYTES; ) {
        // The event at the position itself comes again, and the server's own events come with the others.
        const { found, ended } = await allPage(last, 'forwards', Math.min(PAGE_EVENTS, limit - events.length + 1))
        for (const event of found) {
          const position = positionText(event.position)
          if (position <= last || isSystemEvent(event.type) || events.length === limit || bytes >= PAGE_BYTES) continue
          const one = recorded(event)
          events.push(one)
          bytes += sizeOf(one)
        }
        const furthest = found.at(-1)
        if (!furthest || ended) break
        last = positionText(furthest.position)
      }
      return events
    },

    head: async (): Promise<Position> => {
      const own = await newestOwn()
      return own ? positionText(own.position) : START
    },

    last: async (): Promise<RecordedEvent | undefined> => {
      const own = await newestOwn()
      return own && recorded(own)
    },
  }
}
