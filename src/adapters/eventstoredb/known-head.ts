import type { AllStreamResolvedEvent } from '@eventstore/db-client'
import { LOG_START, type Position } from '../../ports/event-store.ts'

export type Event = NonNullable<AllStreamResolvedEvent['event']>

/**
 * The last event of ours as far as the log was read (undefined if there is none), and the end of that part. All later events up to there
 * are the server's own.
 */
export type Tail = { readonly lastOwn: Event | undefined; readonly seen: Position }

/** The known end of the log. */
export type KnownHead = {
  /** Notes a position that is in the log. The log ended there or before at time `at`, in milliseconds since 1970, or now. */
  readonly note: (position: Position, at?: number) => void
  /** These return the furthest noted position, and the milliseconds since the whole log ended at or before it. */
  readonly position: () => Position
  readonly age: () => number
  readonly tail: () => Tail
  readonly learn: (tail: Tail) => void
  /** Forgets everything: the log is not the one that was read before. */
  readonly forget: () => void
}

const NOTHING: Tail = { lastOwn: undefined, seen: LOG_START }

export const knownHead = (): KnownHead => {
  let furthest = LOG_START
  let noted = Number.NEGATIVE_INFINITY
  let tail = NOTHING
  return {
    note: (position, at = Date.now()) => {
      if (position < furthest) return // another response overtook this one
      furthest = position
      const isClockBack = noted > Date.now()
      noted = isClockBack ? at : Math.max(noted, at)
    },
    position: () => furthest,
    age: () => Date.now() - noted,
    tail: () => tail,
    learn: (learnt) => {
      if (learnt.seen > tail.seen) tail = learnt
    },
    forget: () => {
      tail = NOTHING
    },
  }
}
