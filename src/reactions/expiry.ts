import { setTimeout as sleep } from 'node:timers/promises'
import { either as E } from 'fp-ts'
import { expireBan, Relation } from '../domain/relation.ts'
import { followUp } from '../runtime/command.ts'
import type { Run } from '../runtime/run.ts'

const LOOK_MS = 1_000
/** Between two tries of one that failed: doubled each time, up to this. */
const MAX_RETRY_MS = 300_000

/** A ban whose time has run out: what set it, and when it ended. */
export type DueBan = {
  readonly id: string
  readonly cause: string
  readonly due: number
  readonly subsite: string
  readonly account: string
}

export type ExpiryPorts = {
  readonly run: Run
  /** Some of the bans that have run out by now, the longest past first, after one of them; none at their end. */
  readonly dueBans: (now: number, after: DueBan | undefined) => Promise<readonly DueBan[]>
  readonly clock: () => number
  readonly report: (fault: unknown) => void
}

const expire = async (run: Run, { cause, due, subsite, account }: DueBan): Promise<void> => {
  const origin = { id: cause, at: due, meta: { correlationId: cause } }
  const by = followUp(origin, 'expire', { account: null, as: 'system' })
  const result = await run(Relation, `${subsite}.${account}`, expireBan({ subsite, account }, due), by)
  if (E.isLeft(result)) throw new Error(`the end of the ban of ${account} from ${subsite} was not recorded: ${result.left.code}`)
}

/**
 * Records the end of the bans that have run out, each time it is called. One that fails keeps no other from being recorded; it is tried
 * again, less and less often. Nothing depends on when: bans do not bind beyond their end.
 */
export const banExpiry = ({ run, dueBans, clock, report }: ExpiryPorts): ((signal?: AbortSignal) => Promise<void>) => {
  let failed: ReadonlyMap<string, { readonly tries: number; readonly again: number }> = new Map()
  return async (signal) => {
    const stillFailing = new Map<string, { readonly tries: number; readonly again: number }>()
    const now = clock()
    for (let page = await dueBans(now, undefined); page.length > 0; page = await dueBans(now, page.at(-1))) {
      for (const ban of page) {
        if (signal?.aborted) return
        const before = failed.get(ban.id)
        if (before && before.again > performance.now()) {
          stillFailing.set(ban.id, before)
          continue
        }
        try {
          await expire(run, ban)
        } catch (fault) {
          const tries = (before?.tries ?? 0) + 1
          stillFailing.set(ban.id, { tries, again: performance.now() + Math.min(LOOK_MS * 2 ** tries, MAX_RETRY_MS) })
          report(fault)
        }
      }
    }
    failed = stillFailing
  }
}

/** Looks every second, until the signal aborts. */
export const watchExpiry = async (ports: ExpiryPorts, signal: AbortSignal): Promise<void> => {
  const look = banExpiry(ports)
  while (!signal.aborted) {
    await look(signal).catch(ports.report)
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
}
