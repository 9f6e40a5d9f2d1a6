import type { Share } from './shared-counts.ts'

/** Milliseconds of a window, requests allowed per caller, and those of all tokens used from one address. */
export const WINDOW = 600_000
export const QUOTA = 1200
export const ADDRESS_QUOTA = 10 * QUOTA

export type Quota = { readonly used: number; readonly remaining: number; readonly reset: number; readonly exceeded: boolean }

/** Counts requests in fixed, aligned windows. While limits are off, every caller has the full quota. */
export type RateLimit = {
  /** Counts a request for a key, of which so many are allowed. */
  readonly count: (key: string, allowed?: number) => Quota
  /** The whole quota, for requests that are not counted. */
  readonly whole: () => Quota
  readonly close: () => Promise<void>
}

/** Callers counted in one window; beyond it the oldest are dropped, so that many addresses cannot fill the memory. */
const MOST = 200_000
/** Milliseconds between two exchanges of counts with other processes. */
const EXCHANGE = 2_000

/** `elsewhere`: the count of all processes at the last exchange; `here`: requests to this process since. */
type Count = { elsewhere: number; here: number }

type Options = {
  readonly clock: () => number
  readonly enforced: boolean
  /** Where several processes serve: how they share their counts. */
  readonly share?: Share
  /** Milliseconds between two exchanges. */
  readonly every?: number
  readonly report: (fault: unknown) => void
}

/** Who is counted. */
type Caller = { readonly via: string; readonly account: string | undefined; readonly client: string | undefined }

/** A token counts for its account and app, and for its address with all other tokens; other callers count for their address. */
export const quotaOf = (limit: RateLimit, { via, account, client }: Caller, ip: string): Quota => {
  if (via !== 'token') return limit.count(ip)
  const own = limit.count(`${account ?? ''} ${client}`)
  const ofAddress = limit.count(`tokens ${ip}`, ADDRESS_QUOTA)
  return ofAddress.exceeded ? ofAddress : own
}

export const openRateLimit = ({ clock, enforced, share, every = EXCHANGE, report }: Options): RateLimit => {
  let window = -1
  const counts = new Map<string, Count>()
  let full: Quota = { used: 0, remaining: QUOTA, reset: 0, exceeded: false }

  const turnTo = (current: number) => {
    if (current === window) return
    window = current
    counts.clear()
  }

  const countOf = (key: string): Count => {
    const known = counts.get(key)
    if (known) return known
    const fresh = { elsewhere: 0, here: 0 }
    counts.set(key, fresh)
    if (counts.size > MOST) for (const [oldest] of counts.entries().take(1)) counts.delete(oldest)
    return fresh
  }

  const exchange = async (add: Share) => {
    const turned = window
    for (const [key, count] of [...counts]) {
      if (count.here === 0 || window !== turned) continue
      const sent = count.here
      count.elsewhere = await add(`requests ${turned} ${key}`, sent, (turned + 1) * WINDOW)
      count.here -= sent
    }
  }

  let exchanging = Promise.resolve()
  const timer =
    share && enforced
      ? setInterval(() => {
          exchanging = exchanging.then(() => exchange(share)).catch(report)
        }, every).unref()
      : undefined

  const windowAt = (now: number) => {
    const current = Math.floor(now / WINDOW)
    return { current, reset: Math.ceil(((current + 1) * WINDOW - now) / 1000) }
  }

  const whole = (): Quota => {
    const { reset } = windowAt(clock())
    if (full.reset !== reset) full = { ...full, reset }
    return full
  }

  return {
    count: (key, allowed = QUOTA) => {
      if (!enforced) return whole()
      const { current, reset } = windowAt(clock())
      turnTo(current)
      const count = countOf(key)
      count.here += 1
      const used = count.elsewhere + count.here
      return { used, remaining: Math.max(0, allowed - used), reset, exceeded: used > allowed }
    },
    whole,
    close: async () => {
      clearInterval(timer)
      await exchanging
    },
  }
}
