/** Milliseconds of a window and requests allowed in it. */
export const WINDOW = 600_000
export const QUOTA = 1200

export type Quota = { readonly used: number; readonly remaining: number; readonly reset: number; readonly exceeded: boolean }

/** Counts requests in fixed, aligned windows. While limits are off, everybody has the full quota. */
export type RateLimit = { readonly count: (key: string) => Quota }

/** Callers remembered in one window; beyond it the oldest are forgotten, so that a flood of addresses cannot fill the memory. */
const MOST = 200_000

export const openRateLimit = (clock: () => number, enforced: boolean): RateLimit => {
  let window = -1
  const counts = new Map<string, number>()
  let full: Quota = { used: 0, remaining: QUOTA, reset: 0, exceeded: false }

  return {
    count: (key) => {
      const now = clock()
      const current = Math.floor(now / WINDOW)
      const reset = Math.ceil(((current + 1) * WINDOW - now) / 1000)
      if (!enforced) {
        if (full.reset !== reset) full = { ...full, reset }
        return full
      }
      if (current !== window) {
        window = current
        counts.clear()
      }
      const used = (counts.get(key) ?? 0) + 1
      counts.set(key, used)
      if (counts.size > MOST) for (const [oldest] of counts.entries().take(1)) counts.delete(oldest)
      return { used, remaining: Math.max(0, QUOTA - used), reset, exceeded: used > QUOTA }
    },
  }
}
