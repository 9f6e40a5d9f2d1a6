import { firstCharacters } from '../domain/text.ts'
import type { Vault } from '../ports/vault.ts'
import { shareIn } from './shared-counts.ts'

/** Failures allowed in a window: from one address for one account, and from one address for all accounts. */
const CEILING = { pair: 10, address: 100 } as const
const WINDOW_MS = 600_000
/** Longer than any account's name: longer texts are cut to this before they are counted. */
const LONGEST_NAME = 100

/** Counts failed logins per account and address, so that nobody can lock out another account by failing to log in. */
export type Throttle = {
  /** Milliseconds to wait before another try, 0 for none. */
  readonly wait: (name: string, address: string) => Promise<number>
  readonly failed: (name: string, address: string) => Promise<void>
}

export const loginThrottle = (vault: Vault, clock: () => number): Throttle => {
  const names = (name: string, address: string) =>
    [
      [`failed-logins:${address}:${firstCharacters(LONGEST_NAME, name.toLowerCase())}`, CEILING.pair],
      [`failed-logins:${address}`, CEILING.address],
    ] as const

  return {
    wait: async (name, address) => {
      const waits = await Promise.all(
        names(name, address).map(async ([id, ceiling]) => {
          const record = await vault.get('limit', id)
          return Number(record?.value ?? 0) >= ceiling ? Math.max(0, (record?.expires ?? 0) - clock()) : 0
        }),
      )
      return Math.max(...waits)
    },
    failed: async (name, address) => {
      for (const [id] of names(name, address)) await shareIn(vault)(id, 1, clock() + WINDOW_MS)
    },
  }
}
