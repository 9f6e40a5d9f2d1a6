import type { EventStore, LeftOut, LogBatch, Position } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'

const PAGE_EVENTS = 500

/** A log that cannot be read now is reported by its subscription. */
const ignoreStoreFault = (fault: unknown): undefined => {
  if (!(fault instanceof StoreFault)) throw fault
}

export type Feed = {
  /**
   * Returns the events right after a position. Waits at most `ms` for them, then returns none and the requested position, or a later one up
   * to which there are none. While all callers are at the same position, the log is read once, through one subscription.
   */
  readonly next: (after: Position, ms: number) => Promise<LogBatch>
  /** Subscribes anew, from where it is next asked for events. Events that are left out may still be returned. */
  readonly leaveOut: (leftOut: LeftOut | undefined) => Promise<void>
  /** Returns the position of the last event of the log. */
  readonly head: () => Promise<Position>
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
export const openFeed = ({ readAll, subscribe, glance, head }: Pick<EventStore, 'readAll' | 'subscribe' | 'glance' | 'head'>): Feed => {
  let live: Live | undefined
  let omission: LeftOut | undefined

  const end = async (): Promise<void> => {
    const ending = live
    live = undefined
    ending?.stop.abort()
    await ending?.batches.return?.()
  }

  const begin = (after: Position): Live => {
    const stop = new AbortController()
    const batches = subscribe(after, stop.signal, omission)[Symbol.asyncIterator]()
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

  /** Looks whether anything but what is left out follows a position: the subscription tells that for parts of the log only. */
  const passOmitted = async (after: Position): Promise<LogBatch> => {
    const rest = omission && (await glance(after, omission).catch(ignoreStoreFault))
    return { events: [], position: rest?.last === undefined ? (rest?.upTo ?? after) : after }
  }

  const liveNext = async (from: Live, after: Position, ms: number): Promise<LogBatch> => {
    while (after >= from.batch.position) if (!(await pull(from, ms))) return ms > 0 ? passOmitted(after) : { events: [], position: after }
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
    leaveOut: async (leftOut) => {
      await end()
      omission = leftOut
    },
    head,
    close: end,
  }
}
