import { isOtherHistory, OTHER_HISTORY_MESSAGE } from '../../projections/engine/other-history.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import { lagsAfter } from './lag.ts'
import { PROXY_UNHEEDED, type UnheededProxy } from './unheeded-proxy.ts'

/** Milliseconds that the read models may be behind before this process should get no more requests. */
const MAX_LAG_MS = 5_000
/** Milliseconds within which the log must answer. */
const HEALTH_CHECK_TIMEOUT_MS = 2_000

/** What is said where the log names other admins than the configuration. */
export const ADMINS_DIFFER = 'ADMINS differs from that of another process, which recorded other admins in the log'

/** What is said where nothing can be signed any more; the log of the service says why. */
export const HISTORY_STOPPED = 'nothing is numbered or signed any more: what is stored is not what was signed'

/** What is said where the file of the last head cannot be written. */
export const HEAD_UNKEPT =
  'the last head cannot be kept outside of the stores: log and history that are put back together will not be noticed'

export type Health = {
  readonly ready: boolean
  readonly log: 'reachable' | 'unreachable'
  /** Milliseconds since the first event that the read models do not show yet; null while the log cannot be asked. */
  readonly lag: number | null
  /** The same for each shard, where the read models have shards. */
  readonly shards?: readonly number[]
  /** What is wrong, in words. */
  readonly problems: readonly string[]
  /** What should be mended, but keeps nothing from working. */
  readonly warnings: readonly string[]
}

type HealthParts = {
  readonly events: Pick<EventStore, 'head' | 'readAll'>
  /** How far the read models are: in one piece, or shard by shard. */
  readonly projected: () => readonly Position[]
  readonly stalled: () => Error | undefined
  /** Why this process can make no ids, and so write nothing, in words; undefined while it can. */
  readonly unableToMint: () => string | undefined
  readonly clock: () => number
  /** The accounts that only the configuration, or only the log, names as admins. */
  readonly differing: () => Promise<readonly string[]>
  readonly proxy: Pick<UnheededProxy, 'wasSeen'>
  readonly isHistoryStopped: () => boolean
  readonly isHeadUnkept: () => boolean
  /** Where nothing is written: the last event of the state that is shown. */
  readonly asOf?: { readonly n: number; readonly at: number } | undefined
}

/** What is said of a data file that is only read. */
const isAsOf = ({ n, at }: NonNullable<HealthParts['asOf']>): string =>
  `only read: the site after event ${n}, of ${new Date(at).toISOString()}`

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
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

/** Whether this process can do its work: the log answers, the read models are its own and at most five seconds behind it, and ids can be made. */
export const checkHealth = async (parts: HealthParts): Promise<Health> => {
  const stalled = parts.stalled()
  const unable = parts.unableToMint()
  const own = [
    ...(stalled ? [`the read models are not updated: ${stalled.message}`] : []),
    ...(unable ? [`writes are refused: ${unable}`] : []),
  ]
  const noticed = [
    ...(parts.isHistoryStopped() ? [HISTORY_STOPPED] : []),
    ...(parts.isHeadUnkept() ? [HEAD_UNKEPT] : []),
    ...(parts.proxy.wasSeen() ? [PROXY_UNHEEDED] : []),
    ...(parts.asOf ? [isAsOf(parts.asOf)] : []),
  ]
  try {
    const { lags, isOther, differ } = await within(HEALTH_CHECK_TIMEOUT_MS, look(parts))
    const lag = Math.max(0, ...lags)
    const late = lag > MAX_LAG_MS ? [`the read models are ${(lag / 1000).toFixed(1)} s behind`] : []
    const problems = [...own, ...(isOther ? [OTHER_HISTORY_MESSAGE] : []), ...late]
    return {
      ready: problems.length === 0,
      log: 'reachable',
      lag,
      ...(lags.length > 1 && { shards: lags }),
      problems,
      warnings: [...(differ ? [ADMINS_DIFFER] : []), ...noticed],
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { ready: false, log: 'unreachable', lag: null, problems: [...own, `the log does not answer: ${why}`], warnings: noticed }
  }
}
