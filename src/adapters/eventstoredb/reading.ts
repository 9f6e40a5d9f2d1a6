import { setTimeout as pause } from 'node:timers/promises'
import type { AllStreamResolvedEvent, EventStoreDBClient, ResolvedEvent, StreamingRead } from '@eventstore/db-client'
import { type Position, type RecordedEvent, START } from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import { isSystemEvent, positionOf, positionText, recorded } from './event-text.ts'
import { classify, mustReplaceClient } from './failures.ts'
import type { Link, Session } from './link.ts'
import { pauseBefore, type Timings } from './timings.ts'

const PAGE = 500
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

/** All of a bounded read, or an error once nothing came for `silence` milliseconds; the client itself would wait for ever. */
const collect = <E>(session: Session, open: Read<E>, silence: number): Promise<readonly E[]> =>
  new Promise((resolve, reject) => {
    const events: E[] = []
    const stream = open(session.client)
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
      timer.refresh()
      events.push(event)
    })
    stream.on('end', () => {
      clearTimeout(timer)
      session.heard = Date.now()
      resolve(events)
    })
  })

export type Reads = ReturnType<typeof reads>

export const reads = (link: Link, timings: Timings, head: KnownHead) => {
  const page = async <E>(open: Read<E>, deadline = Date.now() + timings.call): Promise<readonly E[] | 'absent'> => {
    for (let tries = 1; ; tries++) {
      const session = await link.session()
      const began = Date.now()
      try {
        return await collect(session, open, Math.max(1, Math.min(timings.silence, deadline - began)))
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
      }
    }
  }

  const streamPage = async (stream: string, from: number, count: number, deadline?: number): Promise<readonly RecordedEvent[]> => {
    const found = await page<ResolvedEvent>(
      (client) => client.readStream(stream, { fromRevision: BigInt(from), maxCount: count, requiresLeader: true }),
      deadline,
    )
    return found === 'absent' ? [] : found.flatMap(({ event }) => (event ? [recorded(event)] : []))
  }

  const allPage = async (from: Position | 'end', direction: 'forwards' | 'backwards', count: number) => {
    const fromPosition = from === 'end' ? 'end' : from === START ? 'start' : positionOf(from)
    const found = await page<AllStreamResolvedEvent>((client) =>
      client.readAll({ fromPosition, direction, maxCount: count, requiresLeader: true }),
    )
    return found === 'absent' ? [] : found.flatMap(({ event }) => (event ? [event] : []))
  }

  /** The last event that is not the server's own. */
  const newestOwn = async () => {
    for (let from: Position | 'end' = 'end', count = 1; ; count = TAIL) {
      const found = await allPage(from, 'backwards', count)
      const [newest] = found
      if (from === 'end' && newest) head.note(positionText(newest.position))
      const own = found.find(({ type }) => !isSystemEvent(type))
      if (own) return own
      const oldest = found.at(-1)
      if (!oldest || found.length < count) return undefined
      from = positionText(oldest.position)
    }
  }

  return {
    /** At most `count` events of one stream from a revision on, read by the deadline or not at all. */
    part: streamPage,

    read: async (stream: string, from: number): Promise<readonly RecordedEvent[]> => {
      const events: RecordedEvent[] = []
      for (;;) {
        const found = await streamPage(stream, from + events.length, PAGE)
        events.push(...found)
        if (found.length < PAGE) return events
      }
    },

    readAll: async (after: Position, limit: number): Promise<readonly RecordedEvent[]> => {
      const events: RecordedEvent[] = []
      for (let last = after; events.length < limit; ) {
        // The event at the position itself comes again, and the server's own events come with the others.
        const count = Math.min(PAGE, limit - events.length + 1)
        const found = await allPage(last, 'forwards', count)
        for (const event of found) {
          const position = positionText(event.position)
          if (position > last && !isSystemEvent(event.type) && events.length < limit) events.push(recorded(event))
        }
        const furthest = found.at(-1)
        if (furthest) last = positionText(furthest.position)
        if (found.length < count) break
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
