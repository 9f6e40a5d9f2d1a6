import { setTimeout as pause } from 'node:timers/promises'
import {
  type Append,
  type AppendResult,
  type ExpectedRevision,
  MAX_APPEND_BYTES,
  MAX_EVENT_BYTES,
  type Position,
  type ProposedEvent,
} from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import { openTries } from './append-tries.ts'
import type { ClientHandle } from './client-handle.ts'
import { toStoredEvent } from './event-text.ts'
import type { KnownHead } from './known-head.ts'
import type { LogReads } from './log-reads.ts'
import type { Timings } from './timings.ts'

// The most appends in flight. The client's queue has no limit, so appends beyond this are refused at once.
const MAX_APPENDS_IN_FLIGHT = 2_048
const MAX_BYTES_IN_FLIGHT = 32 * 1024 * 1024
/** The least time that is left for reading back the outcome of an append. */
const MIN_READ_BACK_MS = 250
/** The time after an append of unknown outcome in which the position alone does not prove that an append is new. */
const SUSPICION_MS = 10_000

const bytesOfEvent = ({ data, meta }: ProposedEvent): number => Buffer.byteLength(data) + Buffer.byteLength(meta)

const measure = (events: readonly ProposedEvent[]): number => {
  const sizes = events.map(bytesOfEvent)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const largest = Math.max(...sizes)
  if (largest > MAX_EVENT_BYTES) throw new StoreFault('too-large', `an event of ${largest} bytes is over the limit of ${MAX_EVENT_BYTES}`)
  if (total > MAX_APPEND_BYTES) throw new StoreFault('too-large', `an append of ${total} bytes is over the limit of ${MAX_APPEND_BYTES}`)
  return total
}

/**
 * Returns the size of an append in bytes. Throws on appends that the server would answer with a false success, or with an error without a
 * reason.
 */
export const checkSize = ({ stream, expected, events }: Append): number => {
  if (events.length === 0) throw new TypeError('an append without events')
  if (stream === '' || stream.startsWith('$')) throw new TypeError(`"${stream}" is not a valid stream name`)
  if (expected !== 'none' && !(Number.isSafeInteger(expected) && expected >= 0)) throw new RangeError(`${expected} is not a revision`)
  return measure(events)
}

export type AppendParts = { readonly link: ClientHandle; readonly reads: LogReads; readonly timings: Timings; readonly head: KnownHead }

export const appender = ({ link, reads, timings, head }: AppendParts) => {
  const places = new Map<string, number>()
  let inFlight = 0
  let bytesInFlight = 0
  let suspiciousUntil = 0
  let looking: Promise<unknown> | undefined

  /** Returns the result of exactly these events, if the stream has them at the expected place. */
  const findStored = async ({ stream, expected, events }: Append, deadline: number): Promise<AppendResult | undefined> => {
    const enough = Math.max(deadline, Date.now() + MIN_READ_BACK_MS)
    const page = await reads.part(stream, expected === 'none' ? 0 : expected + 1, events.length, enough).catch((error) => {
      if (!(error instanceof StoreFault) || error.kind !== 'unavailable') throw error
      throw new StoreFault('unknown-outcome', `the outcome of the append to ${stream} could not be read`, { cause: error })
    })
    const last = page.at(-1)
    if (!last || page.length < events.length || page.some(({ id }, at) => id !== events[at]?.id)) return undefined
    const isSamePayload = page.every(
      ({ type, data, meta }, at) => type === events[at]?.type && data === events[at]?.data && meta === events[at]?.meta,
    )
    if (!isSamePayload) throw new StoreFault('changed-retry', `event ${last.id} already exists in ${stream} with another payload`)
    return { outcome: 'appended', position: last.position, revision: last.revision }
  }

  /**
   * Accepts a success only if it is this append's own. The server compares ids alone, so its success may be an earlier append of the same
   * ids with another payload. If the position is beyond the head of the log just before the only try, the append is new. Otherwise the
   * events at that place are read.
   */
  const accept = async (
    append: Append,
    position: Position | undefined,
    revision: number,
    before: Position | undefined,
    deadline: number,
  ) => {
    if (position !== undefined) head.note(position)
    if (position !== undefined && before !== undefined && position > before) return { outcome: 'appended', position, revision } as const
    const stored = await findStored(append, deadline)
    if (stored) return stored
    throw new StoreFault(
      'damaged',
      `events that the server reports in ${append.stream} cannot be read: the stream was truncated or deleted`,
    )
  }

  /**
   * Looks at the head of the log, unless it was seen just now. One look serves all appends that begin meanwhile, each of which would be
   * read back otherwise.
   */
  const seeHead = (): Promise<unknown> | undefined => {
    if (head.age() <= timings.freshHead || Date.now() <= suspiciousUntil) return undefined
    if (looking === undefined) {
      const seen = reads
        .end()
        .catch(() => undefined)
        .finally(() => {
          looking = undefined
        })
      looking = Promise.race([seen, pause(timings.freshHead)]) // a later result of the look is too old
    }
    return looking
  }

  const headBefore = (place: string) => (): Position | undefined =>
    places.get(place) === 1 && head.age() <= timings.freshHead && Date.now() > suspiciousUntil ? head.position() : undefined

  const settle = openTries({ link, timings, accept, findStanding: findStored })

  /** Appends all events or none, right after `expected`. The same ids at the same place succeed again, see the port. */
  return async (stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<AppendResult> => {
    const append = { stream, expected, events }
    const bytes = checkSize(append)
    const data = events.map(toStoredEvent)
    if (inFlight >= MAX_APPENDS_IN_FLIGHT || bytesInFlight + bytes > MAX_BYTES_IN_FLIGHT) {
      throw new StoreFault('unavailable', 'too many appends are waiting for the event store; this one was not sent')
    }
    const place = `${expected} ${stream}`
    places.set(place, (places.get(place) ?? 0) + 1)
    inFlight++
    bytesInFlight += bytes
    try {
      await seeHead()
      return await settle(append, data, headBefore(place))
    } catch (error) {
      if (error instanceof StoreFault && error.kind === 'unknown-outcome') suspiciousUntil = Date.now() + SUSPICION_MS
      throw error
    } finally {
      const others = (places.get(place) ?? 1) - 1
      if (others === 0) places.delete(place)
      else places.set(place, others)
      inFlight--
      bytesInFlight -= bytes
    }
  }
}
