import { either as E } from 'fp-ts'
import type { Position, RecordedEvent } from '../ports/event-store.ts'
import type { Runner } from './run.ts'

/** How long an answer waits for the read models to show what was written. */
const PROJECTION_WAIT_MS = 1_000

export type AwaitProjection = {
  /** Do what follows from these events elsewhere, and give the position of the last event of that. */
  readonly follow: (recorded: readonly RecordedEvent[]) => Promise<Position | undefined>
  /** `recorded` are the events to be shown, where nothing else is. */
  readonly waitUntilProjected: (position: Position, ms: number, recorded?: readonly RecordedEvent[]) => Promise<boolean>
  /** Told of faults after the fact; they never turn a success into an error. */
  readonly report: (fault: unknown) => void
}

const later = (a: Position, b: Position | undefined): Position => (b !== undefined && b > a ? b : a)

/**
 * A runner for requests: what follows from the events elsewhere is done, and the read models show all of it, when the answer is given.
 * Both are only hastened here: reactions and projections do them whatever happens to this process.
 */
export const awaitProjection = (runner: Runner, { follow, waitUntilProjected, report }: AwaitProjection): Runner => ({
  ...runner,
  run: async (aggregate, id, decide, command) => {
    const result = await runner.run(aggregate, id, decide, command)
    if (E.isLeft(result) || result.right.position === undefined) return result
    const { recorded } = result.right
    let position = result.right.position
    try {
      const followed = await follow(recorded)
      position = later(position, followed)
      await (followed === undefined
        ? waitUntilProjected(position, PROJECTION_WAIT_MS, recorded)
        : waitUntilProjected(position, PROJECTION_WAIT_MS))
    } catch (fault) {
      report(fault)
    }
    return E.right({ ...result.right, position })
  },
})
