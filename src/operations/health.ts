import { isOtherHistory, OTHER_HISTORY_MESSAGE } from '../../projections/engine/other-history.ts'
import { SECOND } from '../domain/time.ts'
import type { Proved } from '../history/history.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import { messageOf } from '../ports/faults.ts'
import { lagsAfter } from './lag.ts'
import type { RefusedWrites } from './refused-writes.ts'
import { PROXY_UNHEEDED, type UnheededProxy } from './unheeded-proxy.ts'

/** The lag of the read models from which this process should get no more requests. */
const MAX_LAG_MS = 5_000
/** The time in which the log must answer. */
const HEALTH_CHECK_TIMEOUT_MS = 2_000

/** The warning that the log names other admins than the configuration. */
export const ADMINS_DIFFER = 'ADMINS differs from that of another process, which recorded other admins in the log'

/** The warning that nothing can be signed any more; the log of the service says why. */
export const HISTORY_STOPPED = 'numbering and signing have stopped: the stored history differs from what was signed; run npx rostra verify'

/** The warning that the file of the last head cannot be written. */
export const HEAD_UNWRITTEN =
  'the file of the last signed head cannot be written: log and history restored together from an old backup would not be noticed'

/** The warning that nothing is done beside requests. */
export const NO_DUTIES = 'no process has the duties (reactions, the history, expiry): start npx rostra duties'

/** The warning that the last head of the log was not cosigned by all witnesses. */
const unseenWarning = (names: readonly string[]): string =>
  `the last signed head was not cosigned by ${names.join(', ')}: the log of the service says why; it is tried again`

export type Health = {
  readonly ready: boolean
  readonly log: 'reachable' | 'unreachable'
  /** Milliseconds since the first event that the read models do not show yet; null while the log cannot be asked. */
  readonly lag: number | null
  /** The lag of each shard, if the read models have shards. */
  readonly shards?: readonly number[]
  /**
   * The last proof that the whole log is the one that was signed: when it ended, in seconds since 1970, and what it covers. Null where this
   * process has not finished one: one process at a time proves the log.
   */
  readonly proved: Proved | null
  /** The problems, in words. */
  readonly problems: readonly string[]
  /** Problems that should be mended, but keep nothing from working. */
  readonly warnings: readonly string[]
}

type HealthParts = {
  readonly events: Pick<EventStore, 'head' | 'readAll'>
  /** Returns the positions of the read models: one, or one for each shard. */
  readonly projected: () => readonly Position[]
  readonly stalled: () => Error | undefined
  /** Returns the reason why this process can make no ids, and so write nothing; undefined while it can. */
  readonly unableToMint: () => string | undefined
  readonly clock: () => number
  /** Returns the accounts that only the configuration, or only the log, names as admins. */
  readonly differing: () => Promise<readonly string[]>
  readonly proxy: Pick<UnheededProxy, 'wasSeen'>
  readonly writes: Pick<RefusedWrites, 'reason'>
  readonly isHistoryStopped: () => boolean
  readonly isHeadUnwritten: () => boolean
  /** Tells whether this process may not have the duties and no other has them. */
  readonly areDutiesLeft: () => boolean
  /** Returns the names of the witnesses that did not cosign the last head. */
  readonly unseenBy: () => readonly string[]
  readonly proved: () => Proved | undefined
  /** The last event of the state that is shown, if nothing is written. */
  readonly asOf?: { readonly n: number; readonly at: number } | undefined
}

/** Returns the statement about a data file that is only read. */
const isAsOf = ({ n, at }: NonNullable<HealthParts['asOf']>): string =>
  `read-only: the site as of event ${n}, of ${new Date(at).toISOString()}`

const awaitWithin = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

const look = async ({ events, clock, projected, differing }: HealthParts) => {
  const positions = projected()
  const head = await events.head()
  const lags = await lagsAfter(events, clock, positions, head)
  return { lags, isOther: isOtherHistory(positions, head), differ: (await differing()).length > 0 }
}

/**
 * Tells whether this process can do its work: the log answers, the read models are its own and at most five seconds behind it, and ids can
 * be made.
 */
export const checkHealth = async (parts: HealthParts): Promise<Health> => {
  const stalled = parts.stalled()
  const last = parts.proved()
  const proved = last ? { ...last, at: Math.floor(last.at / SECOND) } : null
  const unable = parts.unableToMint() ?? parts.writes.reason()
  const ownProblems = [
    ...(stalled ? [`the read models are not updated: ${stalled.message}`] : []),
    ...(unable ? [`writes are refused: ${unable}`] : []),
  ]
  const unseen = parts.unseenBy()
  const noticed = [
    ...(parts.isHistoryStopped() ? [HISTORY_STOPPED] : []),
    ...(parts.isHeadUnwritten() ? [HEAD_UNWRITTEN] : []),
    ...(parts.areDutiesLeft() ? [NO_DUTIES] : []),
    ...(unseen.length > 0 ? [unseenWarning(unseen)] : []),
    ...(parts.proxy.wasSeen() ? [PROXY_UNHEEDED] : []),
    ...(parts.asOf ? [isAsOf(parts.asOf)] : []),
  ]
  try {
    const { lags, isOther, differ } = await awaitWithin(HEALTH_CHECK_TIMEOUT_MS, look(parts))
    const lag = Math.max(0, ...lags)
    const late = lag > MAX_LAG_MS ? [`the read models are ${(lag / 1000).toFixed(1)} s behind`] : []
    const problems = [...ownProblems, ...(isOther ? [OTHER_HISTORY_MESSAGE] : []), ...late]
    return {
      ready: problems.length === 0,
      log: 'reachable',
      lag,
      ...(lags.length > 1 && { shards: lags }),
      proved,
      problems,
      warnings: [...(differ ? [ADMINS_DIFFER] : []), ...noticed],
    }
  } catch (error) {
    const why = messageOf(error)
    return {
      ready: false,
      log: 'unreachable',
      lag: null,
      proved,
      problems: [...ownProblems, `the log does not answer: ${why}`],
      warnings: noticed,
    }
  }
}
