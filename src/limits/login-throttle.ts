// Decision 19.

import type { Quota } from '../domain/quotas.ts'
import { firstCharacters } from '../domain/text-limits.ts'
import { MINUTE } from '../domain/time.ts'
import { type CountPorts, countFromFirst } from './window-count.ts'

/** The failures allowed from one address for one account, and from one address for all accounts. */
export const FAILED_LOGINS = {
  pair: { most: 10, window: 10 * MINUTE },
  address: { most: 100, window: 10 * MINUTE },
} as const satisfies Readonly<Record<string, Quota>>
/** Longer than any account's name. Longer texts are cut to this before they are counted. */
const MAX_NAME_CHARACTERS = 100

/** An attempt to log in. `password` identifies the password that the account has; undefined: there is no such account, or it has none. */
export type LoginAttempt = { readonly name: string; readonly password: number | undefined; readonly address: string }

/**
 * Failures are counted per account and address, so that nobody can lock out another account by failing to log in. They count against one
 * password: after it was changed, its owner need not wait for what was tried before.
 */
const countsOf = (counting: CountPorts, { name, password = 0, address }: LoginAttempt) => {
  const pair = `failed-logins:${address}:${firstCharacters(MAX_NAME_CHARACTERS, name.toLowerCase())}:${password}`
  return [countFromFirst(counting, pair, FAILED_LOGINS.pair), countFromFirst(counting, `failed-logins:${address}`, FAILED_LOGINS.address)]
}

/** Returns the milliseconds to wait before another try; 0 means none. */
export const loginWait = async (counting: CountPorts, attempt: LoginAttempt): Promise<number> => {
  const states = await Promise.all(countsOf(counting, attempt).map((count) => count.state()))
  return Math.max(...states.map(({ left, wait }) => (left > 0 ? 0 : wait)))
}

export const countFailedLogin = async (counting: CountPorts, attempt: LoginAttempt): Promise<void> => {
  for (const count of countsOf(counting, attempt)) await count.add()
}
