import type { LogBatch, Position, RecordedEvent } from '../../ports/event-store.ts'

/** Wakes readers that wait for more of the log. */
export type Bell = {
  readonly ring: () => void
  /** Resolves at the next ring, or when the signal aborts. */
  readonly wait: (signal: AbortSignal) => Promise<void>
}

export const bell = (): Bell => {
  const waiting = new Set<() => void>()
  return {
    ring: () => {
      for (const wake of waiting) wake()
    },
    wait: (signal) =>
      new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      }),
  }
}

const PAGE_EVENTS = 500

/** Reads on from a position in pages, then waits for the bell; nothing is buffered for a slow consumer, which reads when it is ready. */
export async function* subscription(
  readAll: (after: Position, limit: number) => readonly RecordedEvent[],
  { wait }: Bell,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<LogBatch, void> {
  let position = after
  while (!signal.aborted) {
    const events = readAll(position, PAGE_EVENTS)
    const last = events.at(-1)
    if (last) {
      position = last.position
      yield { events, position }
    } else {
      await wait(signal) // nothing rings between the reading and this, since both happen in one turn
    }
  }
}
