import { createHash } from 'node:crypto'
import type { Keyring } from '../../src/log/keys.ts'
import { type AccountKey, accountKey } from '../../src/log/keys.ts'

/** A key that is derived from the account: for tests that need the same bytes on every machine. */
export const fixedKey = (account: string): AccountKey => accountKey(createHash('sha256').update(`golden ${account}`).digest())

const keysOf = async (accounts: Iterable<string>) => new Map([...accounts].map((account) => [account, fixedKey(account)]))

export const fixedKeys: Keyring = { fetch: keysOf, ensure: keysOf, eraseAccount: async () => {}, forget: () => {} }
