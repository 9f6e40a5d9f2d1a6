import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App, Recorded } from '../app.ts'
import { waitFirst } from '../auth/wait.ts'
import type { AccountId } from '../domain/ids.ts'
import { type QuotaName, quotas } from '../domain/quotas.ts'
import type { Refusal } from '../domain/refusal.ts'
import { queues } from '../runtime/queues.ts'
import type { Context } from './endpoint.ts'
import { shareIn } from './rate-limit.ts'

type Parts = Pick<App, 'vault' | 'clock'>
type Asking = Pick<Context, 'config' | 'vault' | 'clock' | 'log' | 'command' | 'viewer'>

/** Counting in turn, so that an account that does much at once is not taken for many processes. */
const inTurn = queues()

/** Under which name the vault counts, and until when (milliseconds since 1970). */
export const quotaWindow = ({ clock }: Pick<Parts, 'clock'>, what: QuotaName, account: AccountId) => {
  const { window } = quotas[what]
  const current = Math.floor(clock() / window)
  return { name: `quota.${what}.${account}.${current}`, ends: (current + 1) * window }
}

/**
 * Does what one account may do only so often while limits are on, unless it has done it so often. What changed nothing is not counted;
 * admins are not limited, and what was begun before may be finished.
 */
export const withinQuota = async <Done extends Recorded>(
  { config, vault, clock, log, command, viewer }: Asking,
  what: QuotaName,
  work: () => Promise<Either<Refusal, Done>>,
): Promise<Either<Refusal, Done>> => {
  if (!config.rateLimits || viewer.account === undefined || viewer.admin || command.retried) return work()
  const { name, ends } = quotaWindow({ clock }, what, viewer.account)
  const done = Number((await vault.get('limit', name))?.value ?? 0)
  if (done >= quotas[what].most) return E.left(waitFirst(ends - clock()))
  const recorded = await work()
  if (E.isRight(recorded) && recorded.right.events.length > 0)
    await inTurn(name, () => shareIn(vault)(name, 1, ends)).catch((err) => log.error({ err }, 'the account quota could not be counted'))
  return recorded
}
