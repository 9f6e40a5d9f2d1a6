import type { Freshness } from './app.ts'
import { type Position, START } from './ports/event-store.ts'

/** Milliseconds between looks at the checkpoints: while a request waits for them, and otherwise. */
const SOON = 10
const LATER = 200

type Waiter = { readonly reached: () => boolean; readonly end: (reached: boolean) => void }

export type ShardWatch = Freshness & {
  /** True once these shards have reached a position, false after `ms` without that. */
  readonly waitFor: (shards: ReadonlySet<number>, position: Position, ms: number) => Promise<boolean>
  /** How far each shard is, as last seen. */
  readonly shards: () => readonly Position[]
  /** Why nothing can be seen; undefined while it can. */
  readonly fault: () => Error | undefined
  readonly close: () => void
}

/** How far the read models are that other processes keep, by looking at their checkpoints: one look at a time, for all who wait. */
export const watchShards = (checkpoints: () => Promise<readonly (Position | undefined)[]>): ShardWatch => {
  let shards: readonly Position[] = []
  let lowest = START
  let waiting: readonly Waiter[] = []
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let soon = false
  let closed = false
  let fault: Error | undefined

  const look = async () => {
    looking = true
    try {
      const found = await checkpoints()
      shards = found.map((position) => position ?? START)
      lowest = shards.toSorted()[0] ?? START
      fault = undefined
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error))
    }
    looking = false
    for (const { reached, end } of waiting) if (reached()) end(true)
    plan()
  }
  const plan = () => {
    clearTimeout(timer)
    soon = waiting.length > 0
    if (!closed) timer = setTimeout(look, soon ? SOON : LATER).unref()
  }
  plan()

  const wait = (reached: () => boolean, ms: number): Promise<boolean> =>
    reached()
      ? Promise.resolve(true)
      : new Promise((resolve) => {
          const end = (is: boolean) => {
            clearTimeout(expiry)
            waiting = waiting.filter((one) => one !== waiter)
            resolve(is)
          }
          const waiter: Waiter = { reached, end }
          const expiry = setTimeout(() => end(false), ms)
          waiting = [...waiting, waiter]
          if (!looking && !soon) plan()
        })

  return {
    position: () => lowest,
    waitUntil: (position, ms) => wait(() => lowest >= position, ms),
    waitFor: (some, position, ms) => wait(() => [...some].every((shard) => (shards[shard] ?? START) >= position), ms),
    shards: () => shards,
    // What another process writes may change at any time.
    generation: () => undefined,
    fault: () => fault,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
