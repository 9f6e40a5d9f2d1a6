import type { EventStore, LogBatch, Position } from '../../src/ports/event-store.ts'

const PAGE_EVENTS = 500

export type Feed = {
  /**
   * Returns the events right after a position. Waits at most `ms` for them, then returns none and the requested position. While all callers
   * are at the same position, the log is read once, through one subscription.
   */
  readonly next: (after: Position, ms: number) => Promise<LogBatch>
  readonly close: () => Promise<void>
}

type Live = {
  readonly stop: AbortController
  readonly batches: AsyncIterator<LogBatch>
  coming: Promise<IteratorResult<LogBatch, unknown>> | undefined
  /** The last batch, and the position before it. */
  after: Position
  batch: LogBatch
}

/** Serves the log from any position: from one subscription, and in pages to callers that are behind it. */
export const openFeed = ({ readAll, subscribe }: Pick<EventStore, 'readAll' | 'subscribe'>): Feed => {
  let live: Live | undefined

  const end = async (): Promise<void> => {
    const ending = live
    live = undefined
    ending?.stop.abort()
    await ending?.batches.return?.()
  }

  const begin = (after: Position): Live => {
    const stop = new AbortController()
    const batches = subscribe(after, stop.signal)[Symbol.asyncIterator]()
    return { stop, batches, coming: undefined, after, batch: { events: [], position: after } }
  }

  const pull = async (from: Live, ms: number): Promise<boolean> => {
    from.coming ??= from.batches.next()
    from.coming.catch(() => undefined) // the fault is reported to the next caller
    const enough = Promise.withResolvers<undefined>()
    const timer = setTimeout(enough.resolve, ms, undefined)
    const came = await Promise.race([from.coming, enough.promise]).finally(() => clearTimeout(timer))
    if (came === undefined) return false
    from.coming = undefined
    if (came.done) throw new Error('the subscription to the log ended')
    from.after = from.batch.position
    from.batch = came.value
    return true
  }

  const liveNext = async (from: Live, after: Position, ms: number): Promise<LogBatch> => {
    while (after >= from.batch.position) if (!(await pull(from, ms))) return { events: [], position: after }
    const events = after > from.after ? from.batch.events.filter(({ position }) => position > after) : from.batch.events
    return { events, position: from.batch.position }
  }

  return {
    next: async (after, ms) => {
      live ??= begin(after) // the first caller is furthest behind; the subscription reads on while others work
      if (after >= live.after) return liveNext(live, after, ms)
      const events = await readAll(after, PAGE_EVENTS)
      return { events, position: events.at(-1)?.position ?? live.after }
    },
    close: end,
  }
}
