import { setTimeout as sleep } from 'node:timers/promises'
import { followUp } from '../commands/command.ts'
import type { Run } from '../commands/run.ts'
import { expireBan, Relation } from '../domain/relation.ts'

const INTERVAL = 1_000

/** A ban whose time has run out: what set it, and when it ended. */
export type DueBan = { readonly cause: string; readonly due: number; readonly subsite: string; readonly account: string }

type Ports = {
  readonly run: Run
  /** Some of the bans that have run out by now, the longest past first. */
  readonly dueBans: (now: number) => Promise<readonly DueBan[]>
  readonly clock: () => number
  readonly report: (fault: unknown) => void
}

const expire = (run: Run, { cause, due, subsite, account }: DueBan) => {
  const origin = { id: cause, at: due, meta: { correlationId: cause } }
  const by = followUp(origin, 'expire', { account: null, as: 'system' })
  return run(Relation, `${subsite}.${account}`, expireBan({ subsite, account }, due), by)
}

/** Record the end of the bans that have run out. Nothing depends on when: bans do not bind beyond their end. */
export const expireDueBans = async ({ run, dueBans, clock }: Omit<Ports, 'report'>): Promise<void> => {
  for (const ban of await dueBans(clock())) await expire(run, ban)
}

/** Looks every second, until the signal aborts. */
export const watchExpiry = async (ports: Ports, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await expireDueBans(ports).catch(ports.report)
    await sleep(INTERVAL, undefined, { signal }).catch(() => undefined)
  }
}
