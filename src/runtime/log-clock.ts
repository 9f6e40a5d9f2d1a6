// Decision 54.

import * as t from 'io-ts'
import type { EventStore } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { MAX_AHEAD_OF_CLOCK_MS } from './mint.ts'

const Stored = t.type({ at: t.number })

/** The last millisecond that has a date. */
const LATEST_TIME_MS = 8_640_000_000_000_000

const iso = (ms: number): string => new Date(Math.min(ms, LATEST_TIME_MS)).toISOString()

/**
 * Refuses a log whose last event is further ahead of the clock than ids may be: new events would continue from its times. Either this clock
 * is behind, or the clock of a process was ahead when it wrote that event.
 */
export const refuseLogAhead = async (events: Pick<EventStore, 'last'>, clock: () => number): Promise<void> => {
  const last = await events.last()
  const meta: unknown = last && JSON.parse(last.meta)
  const now = clock()
  if (!Stored.is(meta) || meta.at <= now + MAX_AHEAD_OF_CLOCK_MS) return
  throw new StoreFault(
    'unavailable',
    `the last event of the log is dated ${iso(meta.at)}, but this machine's clock says ${iso(now)}: if the clock is right, either wait until ` +
      `${iso(meta.at - MAX_AHEAD_OF_CLOCK_MS)}, or cut the log: npx rostra export --with-vault --until ${iso(now)} --file site.ndjson, and npx rostra import site.ndjson into empty stores`,
  )
}
