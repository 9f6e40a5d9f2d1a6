import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { AccountId } from '../domain/ids.ts'
import { type QuotaName, quotas } from '../domain/quotas.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Vault } from '../ports/vault.ts'
import type { Command } from '../runtime/command.ts'
import { isBegun } from '../runtime/command.ts'
import { queues } from '../runtime/queues.ts'
import type { Recorded } from '../runtime/run.ts'
import { shareIn } from './shared-counts.ts'
import { waitFirst } from './wait-refusal.ts'

type Asking = {
  readonly config: { readonly rateLimits: boolean }
  readonly vault: Pick<Vault, 'get' | 'putIf'>
  readonly clock: () => number
  readonly log: Pick<Logger, 'error'>
  readonly command: Pick<Command, 'retried'>
  readonly viewer: { readonly account: AccountId | undefined; readonly admin: boolean }
}

/** Counts one at a time, so that the parallel requests of one account are not mistaken for several processes. */
const inTurn = queues()

/** Acts under way in this process, by the key of their count. */
const underWay = new Map<string, number>()

const whileUnderWay = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const change = (by: 1 | -1) => {
    const count = (underWay.get(name) ?? 0) + by
    if (count === 0) underWay.delete(name)
    else underWay.set(name, count)
  }
  change(1)
  try {
    return await work()
  } finally {
    change(-1)
  }
}

/** The key of the count in the vault, and when it expires (milliseconds since 1970). */
export const quotaWindow = ({ clock }: Pick<Asking, 'clock'>, what: QuotaName, account: AccountId) => {
  const { window } = quotas[what]
  const current = Math.floor(clock() / window)
  return { name: `quota.${what}.${account}.${current}`, ends: (current + 1) * window }
}

/**
 * Runs an act that each account may do only so often while limits are on, or refuses it. An act that changes nothing is counted only
 * while it is under way; admins are not limited, and a repeated command that was begun may always be completed.
 */
export const withinQuota = async <Refused, Done extends Recorded>(
  { config, vault, clock, log, command, viewer }: Asking,
  what: QuotaName,
  work: () => Promise<Either<Refused, Done>>,
): Promise<Either<Refused | Refusal, Done>> => {
  if (!config.rateLimits || viewer.account === undefined || viewer.admin || isBegun(command)) return work()
  const { name, ends } = quotaWindow({ clock }, what, viewer.account)
  const done = Number((await vault.get('limit', name))?.value ?? 0)
  if (done + (underWay.get(name) ?? 0) >= quotas[what].most) return E.left(waitFirst(ends - clock()))
  return whileUnderWay(name, async () => {
    const recorded = await work()
    if (E.isRight(recorded) && recorded.right.events.length > 0)
      await inTurn(name, () => shareIn(vault)(name, 1, ends)).catch((err) => log.error({ err }, 'the account quota could not be counted'))
    return recorded
  })
}

/** The same for reading that costs as much as many requests; each counts, also one that is broken off. */
export const readWithinQuota = async (
  { config, vault, clock, viewer }: Pick<Asking, 'config' | 'vault' | 'clock' | 'viewer'>,
  what: QuotaName,
): Promise<Either<Refusal, true>> => {
  if (!config.rateLimits || viewer.account === undefined || viewer.admin) return E.right(true)
  const { name, ends } = quotaWindow({ clock }, what, viewer.account)
  return inTurn(name, async () => {
    const done = Number((await vault.get('limit', name))?.value ?? 0)
    if (done >= quotas[what].most) return E.left(waitFirst(ends - clock()))
    await shareIn(vault)(name, 1, ends)
    return E.right(true)
  })
}
