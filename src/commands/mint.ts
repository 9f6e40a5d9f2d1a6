import { EPOCH } from '../domain/ids.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Vault } from '../ports/vault.ts'

const SEQUENCES = 64
/** Workers 0 to 62 mint; 63 stands in ids that are derived from an event instead (`derivedIds`). */
const WORKERS = 63
const DERIVED = 63
/** A lease that nobody renewed for so long is free. */
const LEASE = 60_000
const RENEWED_EVERY = 15_000

const idAt = (ms: number, worker: number, sequence: number) => ((ms - EPOCH) * 64 + worker) * SEQUENCES + sequence

/**
 * A generator of 53-bit ids: 41 bits of milliseconds since 2026, 6 of worker, 6 of sequence. Ids only grow: when the clock steps back,
 * or more than 64 are asked for in a millisecond, the time in them runs on from the last one used.
 */
export const idGenerator = (worker: number, after: number, clock: () => number) => {
  let ms = after
  let sequence = SEQUENCES - 1
  return {
    next: (): number => {
      const now = clock()
      if (now > ms) {
        ms = now
        sequence = 0
      } else if (++sequence === SEQUENCES) {
        ms += 1
        sequence = 0
      }
      return idAt(ms, worker, sequence)
    },
    /** The highest millisecond used so far. */
    reached: () => ms,
  }
}

/** Candidates for the id of a thing that follows from an event: the same for the same event, never one that a generator mints. */
export function* derivedIds(at: number, eventId: string): Generator<number> {
  const start = Number.parseInt(eventId.slice(0, 2), 16) % SEQUENCES
  for (let ms = at; ; ms++) for (let i = 0; i < SEQUENCES; i++) yield idAt(ms, DERIVED, (start + i) % SEQUENCES)
}

type Lease = {
  readonly holder: string
  readonly until: number
  /** No id of this worker lies beyond this millisecond. */
  readonly upTo: number
}

export type Mint = {
  /** A fresh id; throws when the lease of the worker number was lost. */
  readonly mint: () => number
  /** Give the worker number back. */
  readonly close: () => Promise<void>
}

const leaseId = (worker: number) => `worker.${worker}`

/**
 * Leases a worker number in the vault, so that processes never share one. The lease remembers how far ids may have gone; whoever takes
 * the number next starts beyond, whatever its own clock says.
 */
export const openMint = async (vault: Vault, holder: string, clock: () => number): Promise<Mint> => {
  const take = async () => {
    for (let worker = 0; worker < WORKERS; worker++) {
      const record = await vault.get('lease', leaseId(worker))
      const last = record?.value as Lease | undefined
      if (last && last.holder !== '' && last.until > clock()) continue
      const start = Math.max(clock(), last?.upTo ?? 0)
      const value: Lease = { holder, until: clock() + LEASE, upTo: start + LEASE }
      if (await vault.putIf('lease', leaseId(worker), record?.version ?? 0, { value })) return { worker, after: last?.upTo ?? 0, value }
    }
    return undefined
  }

  const taken = await take()
  if (!taken)
    throw new StoreFault(
      'unavailable',
      `all ${WORKERS} worker numbers are in use; one is free again ${LEASE / 1000} s after its process ended`,
    )
  const { worker } = taken
  const generator = idGenerator(worker, Math.max(taken.after, EPOCH), clock)
  let lease: Lease | undefined = taken.value

  const write = async (value: Lease): Promise<boolean> => {
    const record = await vault.get('lease', leaseId(worker))
    const current = record?.value as Lease | undefined
    return record !== undefined && current?.holder === holder && (await vault.putIf('lease', leaseId(worker), record.version, { value }))
  }

  const renew = async () => {
    const value = { holder, until: clock() + LEASE, upTo: Math.max(clock(), generator.reached()) + LEASE }
    // a vault that cannot be reached now may be at the next turn; until then the lease we hold goes on
    const kept = await write(value).catch(() => undefined)
    if (kept !== undefined) lease = kept ? value : undefined
  }
  let renewing = Promise.resolve()
  const renewSoon = () => {
    renewing = renewing.then(renew)
  }
  const timer = setInterval(renewSoon, RENEWED_EVERY).unref()

  return {
    mint: () => {
      const id = generator.next()
      if (lease !== undefined && generator.reached() <= lease.upTo) return id
      renewSoon() // the machine may have slept through its turns
      throw new StoreFault('unavailable', `the lease of worker number ${worker} has run out`)
    },
    close: async () => {
      clearInterval(timer)
      await renewing
      if (lease !== undefined) await write({ holder: '', until: 0, upTo: generator.reached() })
    },
  }
}
