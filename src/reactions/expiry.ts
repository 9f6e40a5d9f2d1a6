import * as E from 'fp-ts/lib/Either.js'
import { SERVICE } from '../domain/event.ts'
import { type ExpiringEffectName, expiringEffects } from '../domain/expiring-effects.ts'
import { pause } from '../ports/pause.ts'
import { followUp } from '../runtime/command.ts'
import type { Run } from '../runtime/run.ts'

const POLL_INTERVAL_MS = 1_000
/** Milliseconds between two tries of an effect that failed: doubled each time, up to this. */
const MAX_RETRY_MS = 300_000

/** An effect whose time has run out: its kind, its aggregate, the event that set it, and its end. */
export type DueTimer = {
  readonly id: string
  readonly effect: ExpiringEffectName
  readonly aggregate: string
  readonly cause: string
  readonly due: number
}

export type ExpiryPorts = {
  readonly run: Run
  /** Returns some of the effects that have run out by now, the earliest end first, after one of them; none at their end. */
  readonly dueTimers: (now: number, after: DueTimer | undefined) => Promise<readonly DueTimer[]>
  readonly clock: () => number
  readonly report: (fault: unknown) => void
}

const expire = async (run: Run, { effect, aggregate: id, cause, due }: DueTimer): Promise<void> => {
  const { aggregate, expire } = expiringEffects[effect]
  const origin = { id: cause, at: due, meta: { correlationId: cause } }
  const by = followUp(origin, 'expire', SERVICE)
  const result = await run(aggregate, id, expire(id, due), by)
  if (E.isLeft(result)) throw new Error(`the end of ${effect} of ${aggregate.category}-${id} was not recorded: ${result.left.code}`)
}

/**
 * Records the end of the effects that have run out, each time it is called. A failure does not stop the others; it is retried at growing
 * intervals. Being late does no harm: no effect applies after its end.
 */
export const recordExpiry = ({ run, dueTimers, clock, report }: ExpiryPorts): ((signal?: AbortSignal) => Promise<void>) => {
  let failed: ReadonlyMap<string, { readonly tries: number; readonly again: number }> = new Map()
  return async (signal) => {
    const stillFailing = new Map<string, { readonly tries: number; readonly again: number }>()
    const now = clock()
    for (let page = await dueTimers(now, undefined); page.length > 0; page = await dueTimers(now, page.at(-1))) {
      for (const timer of page) {
        if (signal?.aborted) return
        const before = failed.get(timer.id)
        if (before && before.again > performance.now()) {
          stillFailing.set(timer.id, before)
          continue
        }
        try {
          await expire(run, timer)
        } catch (fault) {
          const tries = (before?.tries ?? 0) + 1
          stillFailing.set(timer.id, { tries, again: performance.now() + Math.min(POLL_INTERVAL_MS * 2 ** tries, MAX_RETRY_MS) })
          report(fault)
        }
      }
    }
    failed = stillFailing
  }
}

/** Looks every second, until the signal aborts. */
export const watchExpiry = async (ports: ExpiryPorts, signal: AbortSignal): Promise<void> => {
  const look = recordExpiry(ports)
  while (!signal.aborted) {
    await look(signal).catch(ports.report)
    await pause(POLL_INTERVAL_MS, signal)
  }
}
