// Decision 70.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { passwordHashOf } from '../commands/credentials.ts'
import type { AccountId } from '../domain/ids.ts'
import type { Vault } from '../ports/vault.ts'

/**
 * The token that authenticates an account's private feeds. It is not stored, but derived from the account and its password hash with the
 * secret of the site. A new password makes a new token; without a password there is none.
 */
export type FeedTokens = {
  /** Returns the token; undefined for an account without a password. */
  readonly tokenOf: (account: AccountId) => Promise<string | undefined>
  /** Compares in constant time. */
  readonly isTokenOf: (account: AccountId, token: string) => Promise<boolean>
}

/** Hexadecimal digits of a token: 160 bits. */
const FEED_TOKEN_DIGITS = 40

export const openFeedTokens = (vault: Vault, secret: string): FeedTokens => {
  const tokenOf = async (account: AccountId): Promise<string | undefined> => {
    const password = await passwordHashOf(vault, account)
    return password === undefined
      ? undefined
      : createHmac('sha256', secret).update(`feed:${account}:${password}`).digest('hex').slice(0, FEED_TOKEN_DIGITS)
  }
  return {
    tokenOf,
    isTokenOf: async (account, token) => {
      const right = Buffer.from((await tokenOf(account)) ?? '')
      const given = Buffer.from(token)
      return right.length === FEED_TOKEN_DIGITS && right.length === given.length && timingSafeEqual(right, given)
    },
  }
}
