import { type LogBatch, MAX_PAGE_BYTES, MAX_PAGE_EVENTS, type Position, type RecordedEvent } from '../../ports/event-store.ts'
import { charactersOf } from './event-text.ts'

const MAX_AHEAD_EVENTS = 4_096
const MAX_AHEAD_BYTES = 16 * 1024 * 1024

/**
 * Events between a subscription and a slower consumer. It reads ahead, because the server drops a subscriber that is some hundred events
 * behind. Its size is limited, because the log's is not.
 */
export type ReadAhead = {
  /** Adds an event. Returns false once the buffer is full: add no more until there is room. */
  readonly push: (event: RecordedEvent) => boolean
  /** Notes that the log has no further event of ours up to this position. */
  readonly notePassed: (position: Position) => void
  readonly fail: (error: unknown) => void
  /** Returns the position up to which the log was read. A new subscription goes on there. */
  readonly reached: () => Position
  readonly full: () => boolean
  readonly untilRoom: () => Promise<void>
  /** Resolves to the next batch, as soon as there is one; to undefined after `stop`. */
  readonly take: () => Promise<LogBatch | undefined>
  readonly stop: () => void
}

export const readAhead = (after: Position): ReadAhead => {
  let events: RecordedEvent[] = []
  let bytes = 0
  let reached = after
  let takenUpTo = after
  let failure: { readonly error: unknown } | undefined
  let stopped = false
  let wake = (): void => undefined
  const waiting = new Set<() => void>()

  const full = (): boolean => events.length >= MAX_AHEAD_EVENTS || bytes >= MAX_AHEAD_BYTES

  const letIn = (): void => {
    for (const enter of waiting) enter()
    waiting.clear()
  }

  const next = (): LogBatch => {
    let count = 0
    for (let size = 0; count < Math.min(events.length, MAX_PAGE_EVENTS) && size < MAX_PAGE_BYTES; count++)
      size += charactersOf(events[count] as RecordedEvent)
    const batch = events.slice(0, count)
    events = events.slice(count)
    for (const event of batch) bytes -= charactersOf(event)
    takenUpTo = events.length > 0 ? (batch.at(-1)?.position ?? takenUpTo) : reached
    if (!full()) letIn()
    return { events: batch, position: takenUpTo }
  }

  return {
    push: (event) => {
      if (event.position > reached) {
        events.push(event)
        bytes += charactersOf(event)
        reached = event.position
        wake()
      }
      return !full()
    },
    notePassed: (position) => {
      if (position <= reached) return
      reached = position
      wake()
    },
    fail: (error) => {
      failure = { error }
      wake()
    },
    reached: () => reached,
    full,
    untilRoom: () =>
      new Promise((resolve) => {
        if (full() && !stopped) waiting.add(resolve)
        else resolve()
      }),
    take: async () => {
      while (!stopped && events.length === 0 && reached === takenUpTo) {
        if (failure) throw failure.error
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return stopped ? undefined : next()
    },
    stop: () => {
      stopped = true
      wake()
      letIn()
    },
  }
}
