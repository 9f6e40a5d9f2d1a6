import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { isErasure } from '../log/codec.ts'
import type { EventStore, ExpectedRevision, Position } from '../ports/event-store.ts'
import { atMostEntries } from '../ports/size.ts'

/** Milliseconds between reads of the log's head, and for which cached states are valid after one. */
const HEAD_READ_INTERVAL_MS = 250
const STATES_VALID_MS = 1_000
const RETRY_PAUSE_MS = 500
/** Streams whose last write is cached: far more than are written during one read. */
const MAX_CACHED_STREAMS = 100_000

export type LogWatch = {
  /**
   * Whether a stream, read at a time (`performance.now()`) to end at a revision, still ended there at some moment of the last second.
   */
  readonly isCurrent: (stream: string, revision: ExpectedRevision, readAt: number) => boolean
  /** Whether a stream is known to have events after a revision; false does not prove that it has none. */
  readonly isBehind: (stream: string, revision: ExpectedRevision) => boolean
  /** Notes a write of this process itself, before the subscription reports it. */
  readonly note: (stream: string, revision: number) => void
  readonly close: () => Promise<void>
}

/** Follows the log from its end on, to know which streams have been written since; it is trusted only while it keeps up. */
export const watchLog = (
  events: Pick<EventStore, 'head' | 'subscribe'>,
  report: (fault: unknown) => void,
  /** Called for each event that erases text, which cached states, or keys in memory, still make readable. */
  onErasure: () => void = () => undefined,
): LogWatch => {
  /** Streams read before this time may have been written since without being noted here. */
  let horizon = Number.NEGATIVE_INFINITY
  const ends = new LRUCache<string, { readonly revision: number; readonly heardAt: number }>({
    ...atMostEntries(MAX_CACHED_STREAMS),
    dispose: ({ heardAt }, _, reason) => {
      if (reason === 'evict') horizon = Math.max(horizon, heardAt)
    },
  })
  const closing = new AbortController()
  let since = Number.POSITIVE_INFINITY
  let heard: Position | undefined
  let confirmed = Number.NEGATIVE_INFINITY
  let awaited: { readonly head: Position; readonly askedAt: number } | undefined

  const note = (stream: string, revision: number): void => {
    const known = ends.peek(stream)?.revision ?? -1
    ends.set(stream, { revision: Math.max(known, revision), heardAt: performance.now() })
  }

  const confirm = (): void => {
    if (awaited === undefined || heard === undefined || heard < awaited.head) return
    confirmed = awaited.askedAt
    awaited = undefined
  }

  const isBehind: LogWatch['isBehind'] = (stream, revision) => (ends.peek(stream)?.revision ?? -1) > (revision === 'none' ? -1 : revision)

  const follow = async (): Promise<void> => {
    ends.clear()
    heard = await events.head()
    since = performance.now()
    for await (const batch of events.subscribe(heard, closing.signal)) {
      for (const event of batch.events) {
        note(event.stream, event.revision)
        if (isErasure(event)) onErasure()
      }
      heard = batch.position
      confirm()
    }
  }

  const look = async (): Promise<void> => {
    const askedAt = performance.now()
    const head = await events.head()
    awaited ??= { head, askedAt }
    confirm()
  }

  const again = async (work: () => Promise<void>, pause: number): Promise<void> => {
    while (!closing.signal.aborted) {
      await work().catch((fault) => {
        if (!closing.signal.aborted) report(fault)
      })
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  const following = again(async () => {
    since = Number.POSITIVE_INFINITY
    await follow()
  }, RETRY_PAUSE_MS)
  const looking = again(look, HEAD_READ_INTERVAL_MS)

  return {
    isCurrent: (stream, revision, readAt) =>
      readAt >= since && readAt >= horizon && performance.now() - confirmed < STATES_VALID_MS && !isBehind(stream, revision),
    isBehind,
    note,
    close: async () => {
      closing.abort()
      await Promise.all([following, looking])
    },
  }
}
