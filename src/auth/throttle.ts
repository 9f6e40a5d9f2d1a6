import * as t from 'io-ts'
import type { Vault } from '../ports/vault.ts'

/** Failures allowed in a window: from one address for one account, and from one address for whatever account. */
const CEILING = { pair: 10, address: 100 } as const
const WINDOW = 600_000
/** No account's name is as long; what is longer is told apart no further. */
const LONGEST_NAME = 100

const Count = t.type({ failures: t.number })

/** Counts failed logins per account and address, so that failed logins in another's name lock nobody out. */
export type Throttle = {
  /** Milliseconds to wait before another try, 0 for none. */
  readonly wait: (name: string, address: string) => Promise<number>
  readonly failed: (name: string, address: string) => Promise<void>
}

export const loginThrottle = (vault: Vault, clock: () => number): Throttle => {
  const names = (name: string, address: string) =>
    [
      [`login:${address}:${name.toLowerCase().slice(0, LONGEST_NAME)}`, CEILING.pair],
      [`login:${address}`, CEILING.address],
    ] as const

  const count = async (id: string): Promise<void> => {
    for (;;) {
      const record = await vault.get('limit', id)
      const failures = record && Count.is(record.value) ? record.value.failures : 0
      const expires = record?.expires ?? clock() + WINDOW
      if (await vault.putIf('limit', id, record?.version ?? 0, { value: { failures: failures + 1 }, expires })) return
    }
  }

  return {
    wait: async (name, address) => {
      const waits = await Promise.all(
        names(name, address).map(async ([id, ceiling]) => {
          const record = await vault.get('limit', id)
          const over = record !== undefined && Count.is(record.value) && record.value.failures >= ceiling
          return over ? Math.max(0, (record.expires ?? 0) - clock()) : 0
        }),
      )
      return Math.max(...waits)
    },
    failed: async (name, address) => {
      for (const [id] of names(name, address)) await count(id)
    },
  }
}
