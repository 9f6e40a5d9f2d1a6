// Decision 25.

import { MINUTE } from '../domain/time.ts'
import type { Vault } from '../ports/vault.ts'
import { windowAt } from './window-count.ts'

export const REQUEST_WINDOW_MS = 10 * MINUTE
/** The requests of a caller in a window, and those of all tokens used from one address. */
export const MAX_REQUESTS = 1200
export const MAX_REQUESTS_OF_ADDRESS = 10 * MAX_REQUESTS

export type RequestsUsed = { readonly used: number; readonly remaining: number; readonly reset: number; readonly exceeded: boolean }

/** Counts requests in fixed, aligned windows. While limits are off, every caller has the full quota. */
export type RateLimit = {
  /** Counts a request under a key, whose quota is `allowed`. */
  readonly count: (key: string, allowed?: number) => RequestsUsed
  /** Returns the whole quota, for requests that are not counted. */
  readonly wholeQuota: () => RequestsUsed
  readonly close: () => Promise<void>
}

/** The callers counted in one window. Beyond it the oldest are dropped, so that many addresses cannot fill the memory. */
const MAX_CALLERS = 200_000
/** Milliseconds between two exchanges of counts with other processes. */
const EXCHANGE_INTERVAL_MS = 2_000
/** The part of a quota that a caller must use up in a process before the process exchanges the caller's count. */
const EXCHANGED_PART = 1 / 20

/** The count of one key: that of all processes at the last exchange, and the requests to this process since. */
type Count = { readonly allowed: number; shared: number; unshared: number }

type Options = {
  readonly clock: () => number
  readonly enforced: boolean
  /** The vault in which several processes share their counts, if they do. */
  readonly vault?: Pick<Vault, 'add'>
  /** Milliseconds between two exchanges. */
  readonly every?: number
  readonly report: (fault: unknown) => void
}

/** The caller that is counted. */
type Caller = { readonly via: string; readonly account: string | undefined; readonly client: string | undefined }

/**
 * Counts a request. A token counts for its account and app, and for its address with all other tokens; other callers count for their
 * address.
 */
export const countRequest = (limit: RateLimit, { via, account, client }: Caller, ip: string): RequestsUsed => {
  if (via !== 'token') return limit.count(ip)
  const ofToken = limit.count(`${account ?? ''} ${client}`)
  const ofAddress = limit.count(`tokens ${ip}`, MAX_REQUESTS_OF_ADDRESS)
  return ofAddress.exceeded ? ofAddress : ofToken
}

export const openRateLimit = ({ clock, enforced, vault, every = EXCHANGE_INTERVAL_MS, report }: Options): RateLimit => {
  let window = windowAt(clock(), REQUEST_WINDOW_MS)
  const counts = new Map<string, Count>()
  let full: RequestsUsed = { used: 0, remaining: MAX_REQUESTS, reset: 0, exceeded: false }

  /** Begins a new window if the present one is over. Returns the seconds until the present window ends. */
  const beginWindow = () => {
    const at = clock()
    if (at >= window.ends || at < window.ends - REQUEST_WINDOW_MS) {
      window = windowAt(at, REQUEST_WINDOW_MS)
      counts.clear()
    }
    return Math.ceil((window.ends - at) / 1000)
  }

  const countOf = (key: string, allowed: number): Count => {
    const known = counts.get(key)
    if (known) return known
    const fresh = { allowed, shared: 0, unshared: 0 }
    counts.set(key, fresh)
    if (counts.size > MAX_CALLERS) for (const oldest of counts.keys().take(1)) counts.delete(oldest)
    return fresh
  }

  /**
   * Adds this process's new counts to those in the vault, all at once. It leaves out callers with few requests: each process lets them
   * exceed the quota by `EXCHANGED_PART` of it at most.
   */
  const exchange = async ({ add }: Pick<Vault, 'add'>) => {
    const { current, ends } = window
    const exchanged = [...counts]
      .filter(([, { unshared, allowed }]) => unshared > allowed * EXCHANGED_PART)
      .map(([key, count]) => ({ id: `requests ${current} ${key}`, count: count.unshared, expires: ends, entry: count }))
    if (exchanged.length === 0) return
    const sums = await add(exchanged)
    for (const { id, count, entry } of exchanged) {
      entry.shared = sums.get(id) ?? entry.shared + count
      entry.unshared -= count // more may have come while the vault was asked
    }
  }

  let exchanging = Promise.resolve()
  const timer =
    vault && enforced
      ? setInterval(() => {
          exchanging = exchanging.then(() => exchange(vault)).catch(report)
        }, every).unref()
      : undefined

  const wholeQuota = (): RequestsUsed => {
    const reset = beginWindow()
    if (full.reset !== reset) full = { ...full, reset }
    return full
  }

  return {
    count: (key, allowed = MAX_REQUESTS) => {
      if (!enforced) return wholeQuota()
      const reset = beginWindow()
      const count = countOf(key, allowed)
      count.unshared += 1
      const used = count.shared + count.unshared
      return { used, remaining: Math.max(0, allowed - used), reset, exceeded: used > allowed }
    },
    wholeQuota,
    close: async () => {
      clearInterval(timer)
      await exchanging
    },
  }
}
