import type { Logger } from 'pino'
import { MINUTE, SECOND } from '../domain/time.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { EventStore } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Vault } from '../ports/vault.ts'

/** The places where a write can be refused. */
const places = ['log', 'vault', 'blobs'] as const
type WritePlace = (typeof places)[number]

export type RefusedWrites = {
  /** Returns stores that count the writes refused for want of room, and report them until one succeeds. */
  readonly watchStores: <Stores extends WatchedStores>(stores: Stores) => Stores
  /** Returns the reason why writes are refused; undefined while they are not. */
  readonly reason: () => string | undefined
  /** Returns the numbers of refused writes since the start. */
  readonly counts: () => Readonly<Record<WritePlace, number>>
  readonly close: () => void
}

type WatchedStores = { readonly events: EventStore; readonly vault: Vault; readonly blobs: Blobs }

/** The time between two tries to write while writes are refused, so that a process that gets no requests becomes ready again. */
const PROBE_INTERVAL_MS = 2 * SECOND
const LINE_INTERVAL_MS = MINUTE

/** Returns a function that logs at most one line a minute, with the number of lines it left out since the one before. */
export const oneLineAMinute = (log: (message: string, left: number) => void, readNow: () => number = performance.now.bind(performance)) => {
  let last = Number.NEGATIVE_INFINITY
  let unlogged = 0
  return (message: string): void => {
    if (readNow() - last < LINE_INTERVAL_MS) {
      unlogged += 1
      return
    }
    log(message, unlogged)
    last = readNow()
    unlogged = 0
  }
}

/**
 * Watches the writes of a process. A full disk refuses those of all stores on it alike, so a write that succeeds ends what another began.
 */
export const watchWrites = (log: Pick<Logger, 'error' | 'info'>): RefusedWrites => {
  const counts = { log: 0, vault: 0, blobs: 0 }
  const lines = Object.fromEntries(
    places.map((place) => [
      place,
      oneLineAMinute((why, left) => log.error({ store: place, ...(left > 0 && { unsaid: left }) }, `a write was refused: ${why}`)),
    ]),
  ) as Readonly<Record<WritePlace, (why: string) => void>>
  let reason: string | undefined
  let probing: NodeJS.Timeout | undefined

  const noteSuccess = () => {
    if (reason === undefined) return
    reason = undefined
    clearInterval(probing)
    log.info('writes are accepted again')
  }
  const watchWrite =
    <Arguments extends readonly unknown[], Result>(
      place: WritePlace,
      write: (...args: Arguments) => Promise<Result>,
      probe: () => Promise<void>,
    ) =>
    async (...args: Arguments): Promise<Result> => {
      try {
        const result = await write(...args)
        noteSuccess()
        return result
      } catch (error) {
        if (!(error instanceof StoreFault) || error.kind !== 'full') throw error
        counts[place] += 1
        lines[place](error.message)
        if (reason === undefined) probing = setInterval(() => void probe().then(noteSuccess, () => {}), PROBE_INTERVAL_MS).unref()
        reason = error.message
        throw error
      }
    }

  return {
    watchStores: (stores) => {
      const { events, vault, blobs } = stores
      const probe = () => vault.put('limit', 'write-probe', { value: 0, expires: Date.now() + MINUTE })
      const write = <Arguments extends readonly unknown[], Result>(place: WritePlace, one: (...args: Arguments) => Promise<Result>) =>
        watchWrite(place, one, probe)
      return {
        ...stores,
        events: { ...events, append: write('log', events.append) },
        vault: {
          ...vault,
          put: write('vault', vault.put),
          putIf: write('vault', vault.putIf),
          take: write('vault', vault.take),
          delete: write('vault', vault.delete),
          deleteAll: write('vault', vault.deleteAll),
          sweep: write('vault', vault.sweep),
        },
        blobs: { ...blobs, put: write('blobs', blobs.put) },
      }
    },
    reason: () => reason,
    counts: () => counts,
    close: () => clearInterval(probing),
  }
}
