import type { SharedDocumentStore } from '../ports/documents.ts'
import { LOG_START, type Position } from '../ports/event-store.ts'
import type { Freshness } from '../ports/freshness.ts'
import { type FetchChanged, openRecordedChanges } from './recorded-changes.ts'

/**
 * Milliseconds between the starts of two reads of the checkpoints: while requests begin, while a request waits for its write, and
 * otherwise.
 */
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
  let positions: ReadonlyMap<string, Position> = new Map()
  let shards: readonly Position[] = []
  let lowest = LOG_START
  let trustedUntil = Number.NEGATIVE_INFINITY
  let waiters: readonly Waiter[] = []
  let awaitingRead: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let isReading = false
  /** True while changes are taken in that lie beyond the known positions. */
  let isTakingChanges = false
  let readBegan = Number.NEGATIVE_INFINITY
  let pause = IDLE_INTERVAL_MS
  let closed = false
  let fault: Error | undefined

  const readCheckpoints = async () => {
    isReading = true
    readBegan = performance.now()
    const served = awaitingRead
    awaitingRead = []
    try {
      const progressed = await progress(names, positions)
      isTakingChanges = true
      await changed.take(positions, progressed)
      positions = progressed.positions
      shards = names.map((name) => positions.get(name) ?? LOG_START)
      lowest = shards.toSorted()[0] ?? LOG_START
      trustedUntil = performance.now() + TRUSTED_MS
      fault = undefined
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error))
      trustedUntil = Number.NEGATIVE_INFINITY
    }
    isReading = false
    isTakingChanges = false
    for (const begin of served) begin()
    for (const { reached, end } of waiters) if (reached()) end(true)
    plan()
  }
  const plan = () => {
    clearTimeout(timer)
    pause = awaitingRead.length > 0 ? BUSY_INTERVAL_MS : waiters.length > 0 ? WAITED_FOR_INTERVAL_MS : IDLE_INTERVAL_MS
    if (!closed) timer = setTimeout(readCheckpoints, Math.max(0, readBegan + pause - performance.now())).unref()
  }
  plan()
  /** Makes the next read of the checkpoints come sooner than scheduled. */
  const hasten = (than: number) => {
    if (!isReading && pause > than) plan()
  }

  const wait = (reached: () => boolean, ms: number): Promise<boolean> =>
    reached()
      ? Promise.resolve(true)
      : new Promise((resolve) => {
          const end = (isReached: boolean) => {
            clearTimeout(expiry)
            waiters = waiters.filter((one) => one !== waiter)
            resolve(isReached)
          }
          const waiter: Waiter = { reached, end }
          const expiry = setTimeout(() => end(false), ms)
          waiters = [...waiters, waiter]
          hasten(WAITED_FOR_INTERVAL_MS)
        })

  return {
    position: () => lowest,
    settled: () => lowest,
    waitUntil: (position, ms) => wait(() => lowest >= position, ms),
    waitFor: (awaited, position, ms) => wait(() => [...awaited].every((shard) => (shards[shard] ?? LOG_START) >= position), ms),
    shards: () => shards,
    // documents are written before their checkpoint advances: those read after a read of the checkpoints are at least as new as these, and
    // the next read finds the checkpoints that advanced since
    generation: (collection) => (performance.now() < trustedUntil ? changed.generation(collection) : undefined),
    changes: changed.changes,
    isAt: (position) => !isTakingChanges && shards.length > 0 && shards.every((shard) => shard === position),
    attend: changed.attend,
    refresh: () =>
      new Promise((resolve) => {
        const enough = setTimeout(resolve, CHECKPOINT_READ_TIMEOUT_MS)
        awaitingRead.push(() => {
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
