import * as t from 'io-ts'
import type { Freshness } from './app.ts'
import type { EventStore } from './ports/event-store.ts'

/** Milliseconds that the read models may be behind before this process should get no more requests. */
const MAX_LAG = 5_000
/** Milliseconds that the log has to answer. */
const PATIENCE = 2_000

export type Health = {
  readonly ready: boolean
  readonly log: 'reachable' | 'unreachable'
  /** Milliseconds since the first event that the read models do not show yet; null while the log cannot be asked. */
  readonly lag: number | null
  /** What is wrong, in words. */
  readonly problems: readonly string[]
}

type Parts = {
  readonly events: Pick<EventStore, 'head' | 'readAll'>
  readonly freshness: Pick<Freshness, 'position'>
  readonly stalled: () => Error | undefined
  readonly clock: () => number
}

const Stored = t.type({ at: t.number })

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** How long the oldest event that the read models lack has been waiting. */
const lagOf = async ({ events, freshness, clock }: Parts): Promise<number> => {
  const position = freshness.position()
  if (position >= (await events.head())) return 0
  const [next] = await events.readAll(position, 1)
  if (!next) return 0
  const meta: unknown = JSON.parse(next.meta)
  return Stored.is(meta) ? Math.max(0, clock() - meta.at) : 0
}

/** Whether this process can do its work: the log answers, and the read models are not more than five seconds behind it. */
export const checkHealth = async (parts: Parts): Promise<Health> => {
  const stalled = parts.stalled()
  const stall = stalled ? [`the read models stand still: ${stalled.message}`] : []
  try {
    const lag = await within(PATIENCE, lagOf(parts))
    const late = lag > MAX_LAG ? [`the read models are ${(lag / 1000).toFixed(1)} s behind`] : []
    const problems = [...stall, ...late]
    return { ready: problems.length === 0, log: 'reachable', lag, problems }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { ready: false, log: 'unreachable', lag: null, problems: [...stall, `the log does not answer: ${why}`] }
  }
}
