import { MINUTE } from '../domain/time.ts'
import { type Share, windowAt } from './window-count.ts'

export const REQUEST_WINDOW_MS = 10 * MINUTE
/** Requests of a caller in a window, and those of all tokens used from one address. */
export const MAX_REQUESTS = 1200
export const MAX_REQUESTS_OF_ADDRESS = 10 * MAX_REQUESTS

export type RequestsUsed = { readonly used: number; readonly remaining: number; readonly reset: number; readonly exceeded: boolean }

/** Counts requests in fixed, aligned windows. While limits are off, every caller has the full quota. */
export type RateLimit = {
  /** Counts a request for a key, of which so many are allowed. */
  readonly count: (key: string, allowed?: number) => RequestsUsed
  /** The whole quota, for requests that are not counted. */
  readonly whole: () => RequestsUsed
  readonly close: () => Promise<void>
}

/** Callers counted in one window; beyond it the oldest are dropped, so that many addresses cannot fill the memory. */
const MAX_CALLERS = 200_000
/** Milliseconds between two exchanges of counts with other processes. */
const EXCHANGE_INTERVAL_MS = 2_000

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
export const quotaOf = (limit: RateLimit, { via, account, client }: Caller, ip: string): RequestsUsed => {
  if (via !== 'token') return limit.count(ip)
  const own = limit.count(`${account ?? ''} ${client}`)
  const ofAddress = limit.count(`tokens ${ip}`, MAX_REQUESTS_OF_ADDRESS)
  return ofAddress.exceeded ? ofAddress : own
}

export const openRateLimit = ({ clock, enforced, share, every = EXCHANGE_INTERVAL_MS, report }: Options): RateLimit => {
  let window = windowAt(clock(), REQUEST_WINDOW_MS)
  const counts = new Map<string, Count>()
  let full: RequestsUsed = { used: 0, remaining: MAX_REQUESTS, reset: 0, exceeded: false }

  /** Until it is over, a window is the one of now. */
  const now = () => {
    const at = clock()
    if (at >= window.ends || at < window.ends - REQUEST_WINDOW_MS) {
      window = windowAt(at, REQUEST_WINDOW_MS)
      counts.clear()
    }
    return Math.ceil((window.ends - at) / 1000)
  }

  const countOf = (key: string): Count => {
    const known = counts.get(key)
    if (known) return known
    const fresh = { elsewhere: 0, here: 0 }
    counts.set(key, fresh)
    if (counts.size > MAX_CALLERS) for (const [oldest] of counts.entries().take(1)) counts.delete(oldest)
    return fresh
  }

  const exchange = async (add: Share) => {
    const { current } = window
    for (const [key, count] of [...counts]) {
      if (count.here === 0 || window.current !== current) continue
      const sent = count.here
      count.elsewhere = await add(`requests ${current} ${key}`, sent, (current + 1) * REQUEST_WINDOW_MS)
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

  const whole = (): RequestsUsed => {
    const reset = now()
    if (full.reset !== reset) full = { ...full, reset }
    return full
  }

  return {
    count: (key, allowed = MAX_REQUESTS) => {
      if (!enforced) return whole()
      const reset = now()
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
