import { HOUR, MINUTE } from '../../src/domain/time.ts'
import type { EventStore, Position } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { pause } from '../../src/ports/pause.ts'
import type { Vault } from '../../src/ports/vault.ts'
import { openShares, type Shares } from '../../src/runtime/leases.ts'
import { openFeed } from './feed.ts'
import { openSweeper, registerShards } from './leftovers.ts'
import { refuseOtherHistory } from './other-history.ts'
import type { Projection } from './projection.ts'
import type { Ports } from './runner.ts'
import { collectionsOf } from './sets.ts'
import { openShardedRunner, type ShardedRunner } from './sharded-runner.ts'
import { SHARD_COUNT, workersOf } from './shards.ts'

/** Milliseconds between looks while this worker has no shard, and after a fault. */
const IDLE_INTERVAL_MS = 100
const PAUSE_MS = 500
/** Milliseconds between two sweeps of tombstones by the holder of the first shard. */
const SWEEP_INTERVAL_MS = MINUTE
/**
 * Every checkpoint must have passed a tombstone so long ago before it is deleted. A write that began before the passing is never sent later
 * than that.
 */
const SETTLED_AFTER_MS = HOUR
const SWEEPER = 0

export type WorkerPorts = Omit<Ports, 'events'> & {
  readonly events: Pick<EventStore, 'readAll' | 'head' | 'subscribe' | 'glance'>
  readonly vault: Pick<Vault, 'list' | 'put' | 'putIf' | 'delete'>
  /** Called for every fault; the work continues. */
  readonly report: (fault: unknown) => void
}

export type Worker = {
  /** The position of each shard that this worker works on now. */
  readonly places: () => ReadonlyMap<number, Position>
  /** The shards that this worker holds; undefined until it has looked at the leases long enough to know. */
  readonly heldShards: () => ReadonlySet<number> | undefined
  readonly parked: () => number
  /** The number of events projected so far. */
  readonly events: () => number
  /** Resolves after the signal; rejects with an error that no further try can resolve. */
  readonly done: Promise<void>
}

/**
 * Keeps the read models up to date with the log until the signal aborts, as one of any number of workers. The workers distribute the shards
 * by leases and take over those of a worker that dies. Two workers on the same shard, after a long pause of one, do no harm: effects are
 * guarded by position, and only one of them can advance its checkpoint.
 */
export const openWorker = (
  ports: WorkerPorts,
  projections: readonly Projection[],
  signal: AbortSignal,
  sweeping = { every: SWEEP_INTERVAL_MS, settled: SETTLED_AFTER_MS },
): Worker => {
  const { events, documents, vault, report } = ports
  const feed = openFeed(events)
  const runner: ShardedRunner = openShardedRunner({ ...ports, onParked: report }, feed, projections)
  const ownShards = new Set<number>()
  let turning: Promise<unknown> = Promise.resolve()
  let shares: Shares | undefined

  const attempt = async (isCurrent: () => boolean): Promise<void> => {
    try {
      const turn = runner.turn(new Set(ownShards), isCurrent)
      turning = turn
      await turn
    } catch (fault) {
      runner.forget()
      if (!(fault instanceof StoreFault)) throw fault
      report(fault)
      await feed.close()
      await pause(PAUSE_MS, signal)
    }
  }

  const sweeper = openSweeper(documents, projections, sweeping.settled)
  let sweptAt = performance.now()
  /** Sweeps tombstones. Each worker reads how far all shards are, so that the next sweeper knows it too. */
  const sweep = async (): Promise<void> => {
    if (performance.now() - sweptAt < sweeping.every) return
    sweptAt = performance.now()
    await sweeper.look()
    if (ownShards.has(SWEEPER)) await sweeper.sweep()
  }

  const work = async (): Promise<void> => {
    await documents.prepare(collectionsOf(projections))
    await refuseOtherHistory({ events, documents }, projections)
    await registerShards(documents, projections)
    shares = openShares(
      { vault, report },
      {
        group: workersOf(projections),
        names: Array.from({ length: SHARD_COUNT }, (_, shard) => String(shard)),
        onTaken: (name) => {
          ownShards.add(Number(name))
        },
        onLeaving: async (name) => {
          ownShards.delete(Number(name))
          await turning.catch(() => undefined)
        },
      },
    )
    try {
      while (!signal.aborted) {
        if (shares.held().size > 0) {
          await attempt(shares.isFresh)
          await sweep().catch(report)
        } else await pause(IDLE_INTERVAL_MS, signal)
      }
    } finally {
      await shares.close()
      await feed.close()
    }
  }

  return {
    places: () => new Map([...runner.places()].filter(([shard]) => ownShards.has(shard))),
    heldShards: () => (shares?.isSettled() ? new Set(ownShards) : undefined),
    parked: runner.parked,
    events: runner.events,
    done: work(),
  }
}
