import { setTimeout as pause } from 'node:timers/promises'
import type { EventData } from '@eventstore/db-client'
import {
  type AppendResult,
  type Expected,
  MAX_APPEND_BYTES,
  MAX_EVENT_BYTES,
  type Position,
  type ProposedEvent,
} from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import { positionText, proposed } from './event-text.ts'
import { classify, type Failure, mustReplaceClient } from './failures.ts'
import type { Link, Session } from './link.ts'
import type { KnownHead, Reads } from './reading.ts'
import { pauseBefore, type Timings } from './timings.ts'

const MOST_IN_FLIGHT = 2_048
const MOST_BYTES_IN_FLIGHT = 32 * 1024 * 1024
const DEADLINE = 60_000

type Success = { readonly kind: 'success'; readonly revision: number; readonly position: Position | undefined }
type Outcome = Success | Failure

const sizeOf = ({ data, meta }: ProposedEvent): number => Buffer.byteLength(data) + Buffer.byteLength(meta)

const measure = (events: readonly ProposedEvent[]): number => {
  const sizes = events.map(sizeOf)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const largest = Math.max(...sizes)
  if (largest > MAX_EVENT_BYTES) throw new StoreFault('too-large', `an event of ${largest} bytes is over the limit of ${MAX_EVENT_BYTES}`)
  if (total > MAX_APPEND_BYTES) throw new StoreFault('too-large', `an append of ${total} bytes is over the limit of ${MAX_APPEND_BYTES}`)
  return total
}

export type AppendParts = { readonly link: Link; readonly reads: Reads; readonly timings: Timings; readonly head: KnownHead }

export const appender = ({ link, reads, timings, head }: AppendParts) => {
  const places = new Map<string, number>()
  let inFlight = 0
  let bytesInFlight = 0

  const attempt = async (session: Session, stream: string, expected: Expected, events: EventData[]): Promise<Outcome> => {
    try {
      const expectedRevision = expected === 'none' ? 'no_stream' : BigInt(expected)
      const { nextExpectedRevision, position } = await session.client.appendToStream(stream, events, {
        expectedRevision,
        deadline: DEADLINE,
      })
      session.heard = Date.now()
      return { kind: 'success', revision: Number(nextExpectedRevision), position: position && positionText(position) }
    } catch (thrown) {
      const failure = classify(thrown)
      if (failure.kind !== 'unsent') session.heard = Date.now()
      return failure
    }
  }

  /** What stands where these events belong: they themselves, other events under their ids, or something else. */
  const standing = async (stream: string, expected: Expected, events: readonly ProposedEvent[]): Promise<AppendResult | 'others'> => {
    const found = await reads.part(stream, expected === 'none' ? 0 : expected + 1, events.length)
    const last = found.at(-1)
    if (!last || found.length < events.length || found.some(({ id }, at) => id !== events[at]?.id)) return 'others'
    const same = found.every(
      ({ type, data, meta }, at) => type === events[at]?.type && data === events[at]?.data && meta === events[at]?.meta,
    )
    if (!same) throw new StoreFault('changed-retry', `event ${last.id} is known in ${stream} with another payload`)
    return { outcome: 'appended', position: last.position, revision: last.revision }
  }

  /** The server compares ids alone: what it calls a success may be an earlier append of the same ids, with another payload. */
  const confirm = async (stream: string, expected: Expected, events: readonly ProposedEvent[]): Promise<AppendResult> => {
    const there = await standing(stream, expected, events)
    if (there !== 'others') return there
    throw new StoreFault('damaged', `events that ${stream} is said to hold cannot be read: the stream was truncated or deleted`)
  }

  const settle = async (stream: string, expected: Expected, events: readonly ProposedEvent[], data: EventData[]): Promise<AppendResult> => {
    const place = `${expected} ${stream}`
    const deadline = Date.now() + timings.call
    const open = new Set<Promise<{ readonly outcome: Outcome; readonly session: Session; readonly fresh: Position | undefined }>>()
    let doubt = false // whether an earlier try may have been written
    let last: Error | undefined

    const begin = async (first: boolean): Promise<Session> => {
      const session = await link.session()
      // Only a first and lone try, with the log's head just seen, can tell its own success from an earlier one by the position.
      const lone = first && places.get(place) === 1 && head.age() <= timings.freshHead
      const fresh = lone ? head.position() : undefined
      const running = attempt(session, stream, expected, data).then((outcome) => {
        open.delete(running)
        return { outcome, session, fresh }
      })
      open.add(running)
      return session
    }

    for (let tries = 1; ; tries++) {
      const began = Date.now()
      const session = await begin(tries === 1)
      for (let repeat = false; !repeat; ) {
        const left = Math.min(began + timings.silence, deadline) - Date.now()
        const timer = new AbortController()
        const elapsed = pause(Math.max(0, left), undefined, { signal: timer.signal }).catch(() => undefined)
        const settled = await Promise.race([...open, elapsed])
        timer.abort()
        if (settled === undefined) {
          doubt = true
          last ??= new Error('no answer from the server')
          if (session.heard < began) link.replace(session, 'an append went unanswered')
          repeat = true
          continue
        }
        const { outcome, fresh } = settled
        if (outcome.kind === 'success') {
          const { position } = outcome
          const written = position !== undefined && fresh !== undefined && position > fresh
          if (position) head.note(position)
          if (!written || !position) return await confirm(stream, expected, events)
          return { outcome: 'appended', position, revision: outcome.revision }
        }
        if (outcome.kind === 'conflict') {
          const there = doubt ? await standing(stream, expected, events) : 'others'
          return there === 'others' ? { outcome: 'conflict', actual: outcome.actual } : there
        }
        if (outcome.kind === 'too-large')
          throw new StoreFault('too-large', 'the append is over the limit of the server', { cause: outcome.error })
        if (outcome.kind === 'deleted')
          throw new StoreFault('damaged', `${stream} was deleted on the server, which nobody may ever do`, { cause: outcome.error })
        if (outcome.kind === 'invalid' || outcome.kind === 'absent')
          throw new TypeError(`the event store does not understand this append to ${stream}`, { cause: outcome.error })
        last = outcome.error
        if (outcome.kind === 'refused') {
          if (doubt) break
          throw new StoreFault('unavailable', `the event store refuses to be written: ${last.message || 'access denied'}`, { cause: last })
        }
        if (mustReplaceClient(last)) link.replace(settled.session, last.message)
        doubt ||= outcome.kind === 'indeterminate'
        repeat = open.size === 0
      }
      const wait = open.size > 0 ? 0 : pauseBefore(timings, tries)
      if (Date.now() + wait >= deadline) {
        const [kind, meaning] = doubt
          ? (['unknown-outcome', 'may or may not have been written'] as const)
          : (['unavailable', 'was not written'] as const)
        throw new StoreFault(kind, `the append to ${stream} ${meaning}: ${last?.message || 'the server did not take it'}`, { cause: last })
      }
      await pause(wait)
    }
  }

  return async (stream: string, expected: Expected, events: readonly ProposedEvent[]): Promise<AppendResult> => {
    if (events.length === 0) throw new TypeError('an append without events') // the server would call it a success
    if (stream === '' || stream.startsWith('$')) throw new TypeError(`"${stream}" is no name for a stream`)
    const bytes = measure(events)
    const data = events.map(proposed)
    if (inFlight >= MOST_IN_FLIGHT || bytesInFlight + bytes > MOST_BYTES_IN_FLIGHT) {
      throw new StoreFault('unavailable', 'too many appends wait for the event store; this one was not sent')
    }
    const place = `${expected} ${stream}`
    places.set(place, (places.get(place) ?? 0) + 1)
    inFlight++
    bytesInFlight += bytes
    try {
      return await settle(stream, expected, events, data)
    } finally {
      const others = (places.get(place) ?? 1) - 1
      if (others === 0) places.delete(place)
      else places.set(place, others)
      inFlight--
      bytesInFlight -= bytes
    }
  }
}
