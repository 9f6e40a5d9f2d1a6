// Decision 52.

import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { AccountId } from '../domain/ids.ts'
import { type QuotaName, quotas } from '../domain/quotas.ts'
import type { Refusal } from '../domain/refusal.ts'
import { type Command, isBegun } from '../runtime/command.ts'
import type { CommandResult } from '../runtime/run.ts'
import { askToWait } from './wait-refusal.ts'
import { type CountPorts, countAligned } from './window-count.ts'

type QuotaContext = CountPorts & {
  readonly config: { readonly rateLimits: boolean }
  readonly viewer: { readonly account: AccountId | undefined; readonly admin: boolean }
}
type QuotaActContext = QuotaContext & { readonly log: Pick<Logger, 'error'>; readonly command: Pick<Command, 'retried'> }

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

/** Returns the count of an account's acts in the current window. */
export const quotaCount = (counting: CountPorts, quota: QuotaName, account: AccountId) =>
  countAligned(counting, `quota.${quota}.${account}`, quotas[quota])

/**
 * Runs an act that each account may do only so often while limits are on, or refuses it. An act that changes nothing counts only while it
 * is under way. Admins are not limited, and a repeated command that was begun may always be completed.
 */
export const withinQuota = async <Refused, Done extends CommandResult>(
  context: QuotaActContext,
  quota: QuotaName,
  work: () => Promise<E.Either<Refused, Done>>,
): Promise<E.Either<Refused | Refusal, Done>> => {
  const { config, log, command, viewer } = context
  if (!config.rateLimits || viewer.account === undefined || viewer.admin || isBegun(command)) return work()
  const { name, state, add } = quotaCount(context, quota, viewer.account)
  const { left, wait } = await state()
  if (left <= (underWay.get(name) ?? 0)) return E.left(askToWait(wait))
  return whileUnderWay(name, async () => {
    const recorded = await work()
    if (E.isRight(recorded) && recorded.right.events.length > 0)
      await add().catch((err) => log.error({ err }, 'the account quota could not be counted'))
    return recorded
  })
}

/** Counts a read that costs as much as many requests, or refuses it. Each read counts, also one that is broken off. */
export const readWithinQuota = async (context: QuotaContext, quota: QuotaName): Promise<E.Either<Refusal, true>> => {
  const { config, viewer } = context
  if (!config.rateLimits || viewer.account === undefined || viewer.admin) return E.right(true)
  const wait = await quotaCount(context, quota, viewer.account).take()
  return wait > 0 ? E.left(askToWait(wait)) : E.right(true)
}
