// Decision 54.

import { ID_EPOCH_MS } from '../domain/ids.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Vault } from '../ports/vault.ts'

const SEQUENCES = 64
/** The most processes that generate ids. They have the numbers 0 to 62; 63 marks ids that are derived from an event (`derivedIds`). */
export const MAX_API_PROCESSES = 63
const DERIVED_SEQUENCE = 63
/** A lease that was not renewed for so long is free. */
const LEASE_MS = 60_000
const RENEWAL_INTERVAL_MS = 15_000

const idAt = (ms: number, worker: number, sequence: number) => ((ms - ID_EPOCH_MS) * 64 + worker) * SEQUENCES + sequence

/** The time by which ids, and the times in events, may be ahead of the clock. */
export const MAX_AHEAD_OF_CLOCK_MS = 5 * 60_000

const timeOf = (ms: number): string => new Date(ms).toISOString()

/**
 * Makes 53-bit ids: 41 bits of milliseconds since 2026, 6 of worker, 6 of sequence. Ids only grow. If the clock steps back, or more than 64
 * are asked for in a millisecond, the time in them runs on from the last one used, until it would be more than `MAX_AHEAD_OF_CLOCK_MS`
 * ahead of the clock.
 */
export const idGenerator = (worker: number, after: number, clock: () => number) => {
  let ms = after
  let sequence = SEQUENCES - 1
  return {
    /** Returns the next id, whose time is not beyond `upTo`. A refusal (a thrown `StoreFault`) uses no id. */
    next: (upTo: number = Number.POSITIVE_INFINITY): number => {
      const now = clock()
      const [time, place] = now > ms ? [now, 0] : sequence + 1 < SEQUENCES ? [ms, sequence + 1] : [ms + 1, 0]
      if (time - now > MAX_AHEAD_OF_CLOCK_MS)
        throw new StoreFault(
          'unavailable',
          `ids have reached ${timeOf(time)}, but the clock says ${timeOf(now)}: writes are refused until the clock reaches that time`,
        )
      if (time > upTo)
        throw new StoreFault('unavailable', `this process could not renew its lease for making ids in time (worker number ${worker})`)
      ms = time
      sequence = place
      return idAt(ms, worker, sequence)
    },
    /** Returns the highest millisecond used so far. */
    reached: () => ms,
  }
}

/** Yields candidates for the id of a thing that an event causes: the same for the same event, never one that a generator returns. */
export function* derivedIds(at: number, eventId: string): Generator<number> {
  const start = Number.parseInt(eventId.slice(0, 2), 16) % SEQUENCES
  for (let ms = at; ; ms++) for (let i = 0; i < SEQUENCES; i++) yield idAt(ms, DERIVED_SEQUENCE, (start + i) % SEQUENCES)
}

/** The mint of a process that writes nothing. All commands have one id, since none of them records anything. */
export const noMint = {
  mint: (): number => 0,
  unableToMint: (): string | undefined => undefined,
  close: async (): Promise<void> => undefined,
}

type Lease = {
  readonly holder: string
  readonly until: number
  /** No id of this worker lies beyond this millisecond. */
  readonly upTo: number
}

export type Mint = {
  /** Returns a fresh id. Throws a `StoreFault` while none can be made. */
  readonly mint: () => number
  /** Returns the reason why no id can be made now; undefined while ids can be made. */
  readonly unableToMint: () => string | undefined
  /** Gives the worker number back. */
  readonly close: () => Promise<void>
}

const leaseId = (worker: number) => `worker.${worker}`

type WorkerLease = { readonly worker: number; readonly generator: ReturnType<typeof idGenerator>; readonly lease: Lease }

const allInUse = `all ${MAX_API_PROCESSES} worker numbers are in use; a number becomes free ${LEASE_MS / 1000} s after its process ends`

/**
 * Leases a worker number in the vault, so that processes never share one. The lease stores an upper limit of the ids made. The next process
 * with that number starts after it, whatever its own clock says. A number whose ids are too far ahead is not used until the clock has
 * caught up. A process that lost its number, because it slept for longer than its lease, takes another by itself.
 */
export const openMint = async (vault: Vault, holder: string, clock: () => number): Promise<Mint> => {
  let ownLease: WorkerLease | undefined
  let reached = ID_EPOCH_MS

  /** Takes a free number, if there is one. Ids continue after those that this process has used under any earlier number. */
  const takeNumber = async (): Promise<void> => {
    for (let worker = 0; worker < MAX_API_PROCESSES; worker++) {
      const record = await vault.get('lease', leaseId(worker))
      const last = record?.value as Lease | undefined
      const now = clock()
      if (last && last.holder !== '' && last.until > now) continue
      const after = Math.max(last?.upTo ?? 0, reached)
      if ((last?.upTo ?? 0) > now + MAX_AHEAD_OF_CLOCK_MS) continue
      const lease: Lease = { holder, until: now + LEASE_MS, upTo: Math.max(now, after) + LEASE_MS }
      if (!(await vault.putIf('lease', leaseId(worker), record?.version ?? 0, { value: lease }))) continue
      ownLease = { worker, generator: idGenerator(worker, after, clock), lease }
      return
    }
  }

  /** Writes the lease of a number, unless another process has it by now. */
  const writeLease = async (worker: number, value: Lease): Promise<boolean> => {
    const record = await vault.get('lease', leaseId(worker))
    const current = record?.value as Lease | undefined
    return record !== undefined && current?.holder === holder && (await vault.putIf('lease', leaseId(worker), record.version, { value }))
  }

  /** Extends the lease. A process that lost its number takes another one. */
  const renew = async (): Promise<void> => {
    if (ownLease === undefined) return takeNumber()
    const { worker, generator } = ownLease
    const lease = { holder, until: clock() + LEASE_MS, upTo: Math.max(clock(), generator.reached()) + LEASE_MS }
    if (await writeLease(worker, lease)) {
      ownLease = { worker, generator, lease }
      return undefined
    }
    reached = generator.reached()
    ownLease = undefined
    return takeNumber()
  }
  let renewing: Promise<void> | undefined
  const renewSoon = () => {
    // the vault may be reachable again at the next renewal; until then the present lease continues
    renewing ??= renew()
      .catch(() => undefined)
      .finally(() => {
        renewing = undefined
      })
  }

  await takeNumber()
  if (ownLease === undefined) throw new StoreFault('unavailable', allInUse)
  const timer = setInterval(renewSoon, RENEWAL_INTERVAL_MS).unref()

  const unableToMint = (): string | undefined => {
    if (ownLease === undefined) return `this process lost its worker number and has no other yet: ${allInUse}`
    const { worker, generator, lease } = ownLease
    const now = clock()
    if (generator.reached() > now + MAX_AHEAD_OF_CLOCK_MS)
      return `the clock says ${timeOf(now)}, but ids have reached ${timeOf(generator.reached())}`
    return now > lease.upTo ? `this process could not renew its lease for making ids in time (worker number ${worker})` : undefined
  }

  return {
    mint: () => {
      try {
        if (ownLease === undefined) throw new StoreFault('unavailable', unableToMint() ?? allInUse)
        return ownLease.generator.next(ownLease.lease.upTo)
      } catch (fault) {
        renewSoon() // renews soon, since the machine may have slept through renewals
        throw fault
      }
    },
    unableToMint,
    close: async () => {
      clearInterval(timer)
      await renewing
      if (ownLease !== undefined) await writeLease(ownLease.worker, { holder: '', until: 0, upTo: ownLease.generator.reached() })
    },
  }
}
