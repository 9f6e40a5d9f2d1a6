import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventStore } from '../src/ports/event-store.ts'
import type { Vault } from '../src/ports/vault.ts'
import type { Projection } from './projection.ts'
import { Fenced, type Ports, type Runner } from './runner.ts'
import { openReadModels, type Report } from './sets.ts'

const LEASE = 'projections'
/** Milliseconds that a lease holds, and between renewals: who dies is followed within the former. */
const HELD = 4_000
const RENEWED = 1_000
const BATCH = 2_000
const PAUSE = 500

export type WorkerPorts = Omit<Ports, 'events'> & {
  readonly events: Pick<EventStore, 'readAll' | 'head' | 'subscribe'>
  readonly vault: Pick<Vault, 'get' | 'putIf'>
  readonly clock: () => number
  /** Told of every fault, and that the work goes on. */
  readonly report: (fault: unknown) => void
  readonly progress?: Report
}

type Lease = { readonly lost: AbortSignal; readonly release: () => Promise<void> }

/** Waits for the lease; undefined when the signal aborted first. */
const takeLease = async ({ vault, clock, report }: WorkerPorts, holder: string, signal: AbortSignal): Promise<Lease | undefined> => {
  const write = async (until: number): Promise<boolean> => {
    const record = await vault.get('lease', LEASE)
    const held = record?.value as { readonly holder: string; readonly until: number } | undefined
    if (held && held.holder !== holder && held.until > clock()) return false
    return vault.putIf('lease', LEASE, record?.version ?? 0, { value: { holder, until } })
  }
  while (!signal.aborted) {
    if (await write(clock() + HELD)) {
      const lost = new AbortController()
      const renew = async () => {
        if (!(await write(clock() + HELD))) lost.abort()
      }
      // A vault that cannot be reached now may be at the next turn; the checkpoint is fenced whatever happens to the lease.
      const renewing = setInterval(() => renew().catch(report), RENEWED).unref()
      const release = async () => {
        clearInterval(renewing)
        if (!lost.signal.aborted) await write(0)
      }
      return { lost: lost.signal, release }
    }
    await sleep(PAUSE, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}

const follow = async (runner: Runner, { events }: WorkerPorts, signal: AbortSignal): Promise<void> => {
  for await (const { position } of events.subscribe(runner.position(), signal))
    while (!signal.aborted && runner.position() < position && (await runner.next(BATCH, position)).events > 0);
}

/**
 * Keeps the read models up with the log until the signal aborts. Any number of processes may do this: one holds the lease and works,
 * the others stand by and take over when it is gone. Two at once, after a long pause of one, do no harm: the checkpoint lets one on.
 */
export const keepReadModels = async (ports: WorkerPorts, projections: readonly Projection[], signal: AbortSignal): Promise<void> => {
  const holder = randomUUID()
  while (!signal.aborted) {
    try {
      const lease = await takeLease(ports, holder, signal)
      if (!lease) return
      try {
        const runner = await openReadModels(ports, projections, ports.progress)
        await follow(runner, ports, AbortSignal.any([signal, lease.lost]))
      } finally {
        await lease.release()
      }
    } catch (fault) {
      if (!(fault instanceof Fenced)) ports.report(fault)
      await sleep(PAUSE, undefined, { signal }).catch(() => undefined)
    }
  }
}
