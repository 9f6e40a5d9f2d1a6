import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { AudienceChange } from '../domain/audience.ts'
import { Vote } from '../domain/vote.ts'
import { isErasure } from '../log/codec.ts'
import { boundedBy } from '../ports/cache-bounds.ts'
import { type EventStore, type ExpectedRevision, type LeftOut, LOG_START, type Position } from '../ports/event-store.ts'
import { pause } from '../ports/pause.ts'

/** Milliseconds between reads of the log's head, and for which cached states are valid after one. */
const HEAD_READ_INTERVAL_MS = 250
const STATES_VALID_MS = 1_000
const RETRY_PAUSE_MS = 500
/** The time for which `isCurrentAt` waits for the subscription, which has an event some milliseconds after its append. */
const ARRIVAL_WAIT_MS = 50
/**
 * The events that are not received. Nine in ten events of a large site are votes, and a process need not know of the votes of others:
 * a vote that meets another is decided again.
 */
const UNHEARD: LeftOut = { types: Object.keys(Vote.on) }
const isUnheard = (stream: string): boolean => stream.startsWith(`${Vote.category}-`)

/** The bytes of the end of a stream. */
const END_BYTES = 32

export type LogWatch = {
  /**
   * Tells whether a stream, read at a time (`performance.now()`) to end at a revision, still ended there at some moment of the last second.
   * It is never known of streams of votes.
   */
  readonly isCurrent: (stream: string, revision: ExpectedRevision, readAt: number) => boolean
  /**
   * Tells whether a stream, read at a time to end at a revision, still ended there at a position of the log. It waits a moment for the
   * subscription to reach that position, and is false if it does not.
   */
  readonly isCurrentAt: (stream: string, revision: ExpectedRevision, readAt: number, position: Position) => Promise<boolean>
  /** Tells whether a stream is known to have events after a revision. False does not prove that it has none. */
  readonly isBehind: (stream: string, revision: ExpectedRevision) => boolean
  /** Notes a write of this process itself, before the subscription reports it. */
  readonly note: (stream: string, revision: number) => void
  /**
   * Identifies the audiences, which decide who reads what in listings of several subsites, as this process last heard of them. Undefined
   * until something changes them. No tag of a response outlives a change of it.
   */
  readonly audienceState: () => string | undefined
  readonly close: () => Promise<void>
}

/** Follows the log from its end on, to know which streams have been written since. It is trusted only while it keeps up. */
export const watchLog = (
  events: Pick<EventStore, 'head' | 'subscribe' | 'glance'>,
  report: (fault: unknown) => void,
  /** Called for each event that erases text, which cached states, or keys in memory, still make readable. */
  onErasure: () => void = () => undefined,
  arrivalWaitMs = ARRIVAL_WAIT_MS,
): LogWatch => {
  /** Streams read before this time may have been written since without a note here. */
  let horizon = Number.NEGATIVE_INFINITY
  /** The last writes of streams: room for far more than are written during one read. */
  const ends = new LRUCache<string, { readonly revision: number; readonly heardAt: number }>({
    ...boundedBy('streamEnds', () => END_BYTES),
    dispose: ({ heardAt }, _, reason) => {
      if (reason === 'evict') horizon = Math.max(horizon, heardAt)
    },
  })
  const closing = new AbortController()
  let since = Number.POSITIVE_INFINITY
  let heard: Position | undefined
  let confirmed = Number.NEGATIVE_INFINITY
  let awaited: { readonly last: Position; readonly askedAt: number } | undefined
  /** Nothing but votes lies between the received events and this position. */
  let vouched = LOG_START

  let audienceState: string | undefined

  let waiting: readonly { readonly position: Position; readonly resolve: () => void }[] = []

  const hasReached = (position: Position): boolean => heard !== undefined && heard >= position

  const resolveReached = (): void => {
    if (waiting.length === 0) return
    const reached = waiting.filter(({ position }) => hasReached(position))
    waiting = waiting.filter(({ position }) => !hasReached(position))
    for (const { resolve } of reached) resolve()
  }

  /** Waits until the subscription has received a position. */
  const arrival = (position: Position): Promise<void> =>
    new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        waiting = waiting.filter((one) => one !== waiter)
        resolve()
      }, arrivalWaitMs)
      const waiter = {
        position,
        resolve: () => {
          clearTimeout(giveUp)
          resolve()
        },
      }
      waiting = [...waiting, waiter]
    })

  const note = (stream: string, revision: number): void => {
    const known = ends.peek(stream)?.revision ?? -1
    if (revision > known && stream.startsWith(`${AudienceChange.category}-`))
      audienceState = hash('sha1', `${stream} ${revision}`, 'base64url')
    ends.set(stream, { revision: Math.max(known, revision), heardAt: performance.now() })
  }

  const confirm = (): void => {
    if (awaited === undefined || heard === undefined || heard < awaited.last) return
    confirmed = awaited.askedAt
    awaited = undefined
  }

  const isBehind: LogWatch['isBehind'] = (stream, revision) => (ends.peek(stream)?.revision ?? -1) > (revision === 'none' ? -1 : revision)

  const follow = async (): Promise<void> => {
    ends.clear()
    heard = await events.head()
    vouched = heard
    since = performance.now()
    for await (const batch of events.subscribe(heard, closing.signal, UNHEARD)) {
      for (const event of batch.events) {
        note(event.stream, event.revision)
        if (isErasure(event)) onErasure()
      }
      heard = batch.position
      confirm()
      resolveReached()
    }
  }

  const look = async (): Promise<void> => {
    if (heard === undefined) return
    const askedAt = performance.now()
    const from = heard > vouched ? heard : vouched
    const glance = await events.glance(from, UNHEARD)
    if (glance === undefined) return
    const { last, upTo } = glance
    if (last === undefined) {
      vouched = upTo
      confirmed = askedAt
      awaited = undefined
    } else awaited ??= { last, askedAt }
    confirm()
  }

  const repeat = async (work: () => Promise<void>, pauseMs: number): Promise<void> => {
    while (!closing.signal.aborted) {
      await work().catch((fault) => {
        if (!closing.signal.aborted) report(fault)
      })
      await pause(pauseMs, closing.signal)
    }
  }

  const following = repeat(async () => {
    since = Number.POSITIVE_INFINITY
    await follow()
  }, RETRY_PAUSE_MS)
  const looking = repeat(look, HEAD_READ_INTERVAL_MS)

  return {
    isCurrent: (stream, revision, readAt) =>
      !isUnheard(stream) &&
      readAt >= since &&
      readAt >= horizon &&
      performance.now() - confirmed < STATES_VALID_MS &&
      !isBehind(stream, revision),
    isCurrentAt: async (stream, revision, readAt, position) => {
      const isKnown = () => !isUnheard(stream) && readAt >= since && readAt >= horizon && !isBehind(stream, revision)
      if (!isKnown()) return false
      if (!hasReached(position) && arrivalWaitMs > 0) await arrival(position)
      return hasReached(position) && isKnown()
    },
    isBehind,
    note,
    audienceState: () => audienceState,
    close: async () => {
      closing.abort()
      await Promise.all([following, looking])
    },
  }
}
