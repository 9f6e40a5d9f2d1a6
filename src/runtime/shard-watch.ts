import type { SharedDocumentStore } from '../ports/documents.ts'
import { LOG_START, type Position } from '../ports/event-store.ts'
import type { Freshness } from '../ports/freshness.ts'
import { type FetchChanged, openRecordedChanges } from './recorded-changes.ts'

/** Milliseconds between the starts of two checkpoint reads: while requests begin; while one waits for its write; otherwise. */
const BUSY_INTERVAL_MS = 5
const WAITED_FOR_INTERVAL_MS = 10
const IDLE_INTERVAL_MS = 200
/** The time for which a request waits for its checkpoint read, and for which a finished read is trusted. */
const CHECKPOINT_READ_TIMEOUT_MS = 250
const TRUSTED_MS = 50

type Waiter = { readonly reached: () => boolean; readonly end: (reached: boolean) => void }

export type ShardWatch = Freshness & {
  /** Resolves to true once these shards have reached a position, or to false after `ms`. */
  readonly waitFor: (shards: ReadonlySet<number>, position: Position, ms: number) => Promise<boolean>
  /** Returns the last seen position of each shard. */
  readonly shards: () => readonly Position[]
  /** Returns the fault that keeps it from seeing anything, if there is one. */
  readonly fault: () => Error | undefined
  readonly close: () => void
}

type WatchedStore = {
  /** The checkpoints of the shards. */
  readonly names: readonly string[]
  readonly progress: SharedDocumentStore['progress']
  readonly fetch: FetchChanged
  /** The collections that are read in the order of the log. */
  readonly inLogOrder: readonly string[]
}

/** Watches the read models that other processes keep, by reading their checkpoints: one read at a time, for all who wait. */
export const watchShards = ({ names, progress, fetch, inLogOrder }: WatchedStore): ShardWatch => {
  const changed = openRecordedChanges(fetch, inLogOrder)
  let known: ReadonlyMap<string, Position> = new Map()
  let shards: readonly Position[] = []
  let lowest = LOG_START
  let believed = Number.NEGATIVE_INFINITY
  let waiting: readonly Waiter[] = []
  let beginning: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let looking = false
  /** True while changes are taken in, of which the known positions say nothing yet. */
  let taking = false
  let began = Number.NEGATIVE_INFINITY
  let pause = IDLE_INTERVAL_MS
  let closed = false
  let fault: Error | undefined

  const look = async () => {
    looking = true
    began = performance.now()
    const served = beginning
    beginning = []
    try {
      const found = await progress(names, known)
      taking = true
      await changed.take(known, found)
      known = found.positions
      shards = names.map((name) => known.get(name) ?? LOG_START)
      lowest = shards.toSorted()[0] ?? LOG_START
      believed = performance.now() + TRUSTED_MS
      fault = undefined
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error))
      believed = Number.NEGATIVE_INFINITY
    }
    looking = false
    taking = false
    for (const begin of served) begin()
    for (const { reached, end } of waiting) if (reached()) end(true)
    plan()
  }
  const plan = () => {
    clearTimeout(timer)
    pause = beginning.length > 0 ? BUSY_INTERVAL_MS : waiting.length > 0 ? WAITED_FOR_INTERVAL_MS : IDLE_INTERVAL_MS
    if (!closed) timer = setTimeout(look, Math.max(0, began + pause - performance.now())).unref()
  }
  plan()
  /** Makes the next read of the checkpoints come sooner than scheduled. */
  const hasten = (than: number) => {
    if (!looking && pause > than) plan()
  }

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
          hasten(WAITED_FOR_INTERVAL_MS)
        })

  return {
    position: () => lowest,
    settled: () => lowest,
    waitUntil: (position, ms) => wait(() => lowest >= position, ms),
    waitFor: (some, position, ms) => wait(() => [...some].every((shard) => (shards[shard] ?? LOG_START) >= position), ms),
    shards: () => shards,
    // documents are written before their checkpoint advances: those read after a look are at least as new as the checkpoints it found,
    // and the next look finds those that advanced since
    generation: (collection) => (performance.now() < believed ? changed.generation(collection) : undefined),
    changes: changed.changes,
    isAt: (position) => !taking && shards.length > 0 && shards.every((shard) => shard === position),
    attend: changed.attend,
    refresh: () =>
      new Promise((resolve) => {
        const enough = setTimeout(resolve, CHECKPOINT_READ_TIMEOUT_MS)
        beginning.push(() => {
          clearTimeout(enough)
          resolve()
        })
        hasten(BUSY_INTERVAL_MS)
      }),
    fault: () => fault,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
