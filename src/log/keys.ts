import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Vault } from '../ports/vault.ts'
import { type AccountKey, accountKey, KEY_BYTES } from './sealing.ts'

/** An erasure by another process is noticed after so long at the latest. */
const REMEMBERED = 60_000
const MAX_REMEMBERED = 20_000

export type Keyring = {
  /** The keys there are. */
  readonly fetch: (accounts: Iterable<string>) => Promise<ReadonlyMap<string, AccountKey>>
  /** Every key, made and durable where there was none. */
  readonly ensure: (accounts: Iterable<string>) => Promise<ReadonlyMap<string, AccountKey>>
  /** Destroy the key: what was sealed under it reads as `[erased]` for ever. */
  readonly eraseAccount: (account: string) => Promise<void>
}

/** A key that is no key: a fault of that one record, which no further try mends. */
export class DamagedKey extends Error {
  readonly account: string

  constructor(account: string) {
    super(`the vault's key of ${account} is damaged`)
    this.name = 'DamagedKey'
    this.account = account
  }
}

const fromRecord = (account: string, value: unknown): AccountKey => {
  const secret = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
  if (secret?.length !== KEY_BYTES) throw new DamagedKey(account)
  return accountKey(secret)
}

/** The accounts' keys, in the vault and, for a while, in memory. That there is no key is never remembered. */
export const keyring = (vault: Vault): Keyring => {
  const known = new LRUCache<string, AccountKey>({ max: MAX_REMEMBERED, ttl: REMEMBERED })

  const fetch = async (accounts: Iterable<string>) => {
    const found = new Map<string, AccountKey>()
    const unknown: string[] = []
    for (const account of new Set(accounts)) {
      const key = known.get(account)
      if (key) found.set(account, key)
      else unknown.push(account)
    }
    if (unknown.length === 0) return found
    for (const [account, { value }] of await vault.getMany('key', unknown)) {
      const key = fromRecord(account, value)
      known.set(account, key)
      found.set(account, key)
    }
    return found
  }

  const create = async (account: string): Promise<AccountKey> => {
    const secret = randomBytes(KEY_BYTES)
    if (await vault.putIf('key', account, 0, { value: secret.toString('base64'), owner: account })) return accountKey(secret)
    const record = await vault.get('key', account)
    if (!record) throw new Error(`the key of ${account} was destroyed while it was created`)
    return fromRecord(account, record.value)
  }

  return {
    fetch,
    ensure: async (accounts) => {
      const wanted = new Set(accounts)
      const keys = new Map(await fetch(wanted))
      for (const account of wanted) {
        if (keys.has(account)) continue
        const key = await create(account)
        known.set(account, key)
        keys.set(account, key)
      }
      return keys
    },
    eraseAccount: async (account) => {
      await vault.delete('key', account)
      known.delete(account)
    },
  }
}
