import { type Shape, type Stamped, shapeFor } from './log-shape.ts'
import { syntheticLog } from './synthetic-log.ts'
import { syntheticThreads } from './synthetic-thread.ts'

const DAY = 86_400_000
const LOG_SPAN_MS = 30 * DAY

/**
 * Makes the log of links of the last thirty days, with so many events for each, then of threads of these sizes. None of them is archived.
 */
export function* history(
  links: number,
  threads: readonly number[],
  shape: Partial<Shape> = {},
  eventsEach = 12,
): Generator<Stamped, void, undefined> {
  yield* syntheticLog({ ...shapeFor(links), from: Date.now() - LOG_SPAN_MS - DAY, pace: LOG_SPAN_MS / (links * eventsEach), ...shape })
  yield* syntheticThreads(threads, Date.now() - DAY / 6)
}
