import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ERASED } from '../domain/event.ts'
import type { Vault } from '../ports/vault.ts'

/** An erasure by another process is noticed after so long at the latest. */
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 20_000

export type Keyring = {
  /** The keys that exist. */
  readonly fetch: (accounts: Iterable<string>) => Promise<ReadonlyMap<string, AccountKey>>
  /** All the keys; missing ones are created and stored first. */
  readonly ensure: (accounts: Iterable<string>) => Promise<ReadonlyMap<string, AccountKey>>
  /** Destroy the key permanently: texts sealed under it read as `[erased]`, and so do later texts of the account. */
  readonly eraseAccount: (account: string) => Promise<void>
  /** Ask the vault again for a key that is in memory. */
  readonly forget: (account: string) => void
}

/** An invalid key: its record is damaged, and trying again does not help. */
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

/** The accounts' keys, in the vault and, for a while, in memory. The absence of a key is never cached. */
export const keyring = (vault: Vault): Keyring => {
  const known = new LRUCache<string, AccountKey>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })

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
      if (value === null) continue
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
    return record.value === null ? erasedKey(account) : fromRecord(account, record.value)
  }

  return {
    fetch,
    ensure: async (accounts) => {
      const wanted = new Set(accounts)
      const keys = new Map(await fetch(wanted))
      for (const account of wanted) {
        if (keys.has(account)) continue
        const key = await create(account)
        if (!key.erased) known.set(account, key)
        keys.set(account, key)
      }
      return keys
    },
    eraseAccount: async (account) => {
      await vault.put('key', account, { value: null, owner: account })
      known.delete(account)
    },
    forget: (account) => {
      known.delete(account)
    },
  }
}

/** The key that one account's text is sealed under. `id` distinguishes it from a later key of the same account and reveals nothing. */
export type AccountKey = {
  readonly id: Buffer
  readonly secret: KeyObject
  readonly nonces: Buffer
  /** Of an erased account: `[erased]` is sealed under it in place of each text. */
  readonly erased?: true
}

const KEY_BYTES = 32
const FORM = 1
const ID_BYTES = 6
const IV_BYTES = 12
const TAG_BYTES = 16
const IV_AT = 1 + ID_BYTES
const TEXT_AT = IV_AT + IV_BYTES

const derive = (secret: Buffer, purpose: string) => createHmac('sha256', secret).update(purpose).digest()

export const accountKey = (secret: Buffer): AccountKey => ({
  id: derive(secret, 'id').subarray(0, ID_BYTES),
  secret: createSecretKey(secret),
  nonces: derive(secret, 'nonces'),
})

/** Stands in for an erased account's key; not secret, since nothing of value is sealed under it. */
const erasedKey = (account: string): AccountKey => ({ ...accountKey(derive(Buffer.from(account), 'erased account')), erased: true })

/** Where sealed text belongs: an event, and a place in its data. */
export type Place = { readonly event: string; readonly path: readonly string[] }

/**
 * AES-256-GCM, bound to the event. The nonce is a MAC over the place and the text, so that sealing the same again, in a retry, gives
 * the same bytes, and other text or another place another nonce.
 */
export const sealText = (key: AccountKey, { event, path }: Place, text: string): string => {
  const iv = createHmac('sha256', key.nonces)
    .update(JSON.stringify([event, path, text]))
    .digest()
    .subarray(0, IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.secret, iv).setAAD(Buffer.from(event))
  const sealed = [cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([Buffer.of(FORM), key.id, iv, ...sealed]).toString('base64url')
}

/** The text, or `[erased]` without the key it was sealed under. Throws for anything that was not sealed for that event. */
export const openText = (key: AccountKey | undefined, event: string, sealed: string): string => {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < TEXT_AT + TAG_BYTES || bytes[0] !== FORM) throw new Error('not an encrypted text')
  if (!key?.id.equals(bytes.subarray(1, IV_AT))) return ERASED
  const tagAt = bytes.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(IV_AT, TEXT_AT), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(event)).setAuthTag(bytes.subarray(tagAt))
  return decipher.update(bytes.subarray(TEXT_AT, tagAt), undefined, 'utf8') + decipher.final('utf8')
}
