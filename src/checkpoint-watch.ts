import type { Freshness } from './app.ts'
import { type Position, START } from './ports/event-store.ts'

/** Milliseconds between looks at the checkpoint: while a request waits for it, and otherwise. */
const SOON = 15
const LATER = 200

type Waiter = { readonly position: Position; readonly done: (reached: boolean) => void }

/** How far read models are that another process keeps, by looking at their checkpoint. */
export const watchCheckpoint = (
  checkpoint: () => Promise<Position | undefined>,
  report: (fault: unknown) => void,
): Freshness & { readonly close: () => void } => {
  let position = START
  let waiting: readonly Waiter[] = []
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let closed = false

  const look = async () => {
    looking = true
    try {
      const found = (await checkpoint()) ?? START
      if (found > position) position = found
    } catch (fault) {
      report(fault)
    }
    looking = false
    for (const { position: wanted, done } of waiting) if (wanted <= position) done(true)
    plan()
  }
  const plan = () => {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(look, waiting.length > 0 ? SOON : LATER).unref()
  }
  plan()

  const wait = (wanted: Position, ms: number) =>
    new Promise<boolean>((resolve) => {
      const end = (reached: boolean) => {
        clearTimeout(expiry)
        waiting = waiting.filter((one) => one !== waiter)
        resolve(reached)
      }
      const waiter: Waiter = { position: wanted, done: end }
      const expiry = setTimeout(() => end(false), ms)
      waiting = [...waiting, waiter]
      if (!looking) plan()
    })

  return {
    position: () => position,
    waitUntil: async (wanted, ms) => wanted <= position || wait(wanted, ms),
    // What another process writes may change at any time.
    generation: () => undefined,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
