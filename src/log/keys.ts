// Decision 108.

import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isRecord } from '../domain/json.ts'
import { boundedBy } from '../ports/cache-bounds.ts'
import { ownBytes } from '../ports/own-bytes.ts'
import { bytesOf } from '../ports/size.ts'
import type { Vault, VaultRecord } from '../ports/vault.ts'
import { isLabel, type KeyTree, keysAt, labelOf, SECRET_BYTES, type ThingKeys, withOnly, withoutKey } from './key-tree.ts'

/** The time after which an erasure by another process is noticed at the latest. */
const REMEMBERED_MS = 60_000

export type Keyring = {
  /** Returns the keys that exist. */
  readonly fetch: (accounts: Iterable<string>) => Promise<ReadonlyMap<string, AccountKey>>
  /** Returns all the keys, which texts can then be sealed under. Missing ones are created and stored first. */
  readonly ensure: (accounts: Iterable<string>) => Promise<ReadonlyMap<string, AccountKey>>
  /** Destroys the key permanently. Texts sealed under it read as `[erased]`, and so do later texts of the account. */
  readonly eraseAccount: (account: string) => Promise<void>
  /** Destroys the key of one thing of an account, with the same effect on texts that belong to the thing, and on those quoted elsewhere. */
  readonly eraseThing: (account: string, thing: string) => Promise<void>
  /** Makes the next use ask the vault again for a key that is in memory, or for all of them. */
  readonly forget: (account?: string) => void
}

/** Thrown for an invalid key: its record is damaged, and trying again does not help. */
export class DamagedKey extends Error {
  readonly account: string

  constructor(account: string) {
    super(`the vault's key of ${account} is damaged`)
    this.name = 'DamagedKey'
    this.account = account
  }
}

/** The keys of the texts of one account. */
export type AccountKey = {
  /** The one key of texts that earlier versions sealed. */
  readonly direct?: { readonly id: Buffer; readonly secret: Buffer }
  /** Absent until a text is sealed by this version. */
  readonly tree?: KeyTree
  /** Present for an erased account: `[erased]` is sealed in place of each text. */
  readonly erased?: true
}

export const ID_BYTES = 6

/** The stored form of keys. A record of earlier versions is the secret alone. */
type StoredKeys = {
  readonly direct?: string
  readonly tree: { readonly id: string; readonly nodes: KeyTree['nodes']; readonly erased: readonly string[] }
}

export const directKey = (secret: Buffer): NonNullable<AccountKey['direct']> => ({
  id: ownBytes(createHmac('sha256', secret).update('id').digest().subarray(0, ID_BYTES)),
  secret,
})

const bytesIn = (text: unknown, length: number): Buffer | undefined => {
  const bytes = typeof text === 'string' ? ownBytes(text, 'base64') : undefined
  return bytes?.length === length ? bytes : undefined
}

const isNode = ([digits, secret]: [string, unknown]) =>
  /^[0-7]{0,16}$/.test(digits) && typeof secret === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(secret)

const treeIn = (value: unknown): KeyTree | undefined => {
  if (!isRecord(value) || !isRecord(value.nodes) || !Array.isArray(value.erased) || !value.erased.every(isLabel)) return undefined
  const id = bytesIn(value.id, ID_BYTES)
  if (id === undefined || !Object.entries(value.nodes).every(isNode)) return undefined
  return { id, nodes: value.nodes as KeyTree['nodes'], erased: new Set(value.erased) }
}

/** Returns the key in a record of the vault, unless its account is erased; undefined if the record is damaged. */
const readKey = (value: unknown): AccountKey | undefined => {
  const { direct: secretText, tree: treeValue } = isRecord(value) ? value : { direct: value, tree: undefined }
  const secret = bytesIn(secretText, SECRET_BYTES)
  if (secretText !== undefined && secret === undefined) return undefined
  const tree = treeIn(treeValue)
  if (isRecord(value) && tree === undefined) return undefined
  return { ...(secret && { direct: directKey(secret) }), ...(tree && { tree }) }
}

/** Tells whether a record of the vault is one of a key; its account may be erased. */
export const isKeyRecord = (value: unknown): boolean => value === null || readKey(value) !== undefined

const fromRecord = (account: string, value: unknown): AccountKey => {
  const key = readKey(value)
  if (key === undefined) throw new DamagedKey(account)
  return key
}

const toStoredKeys = ({ direct }: AccountKey, { id, nodes, erased }: KeyTree): StoredKeys => ({
  ...(direct && { direct: direct.secret.toString('base64') }),
  tree: { id: id.toString('base64'), nodes, erased: [...erased] },
})

export const treeFrom = (id: Buffer, root: Buffer): KeyTree => ({ id, nodes: { '': root.toString('base64') }, erased: new Set() })

const newTree = () => treeFrom(randomBytes(ID_BYTES), randomBytes(SECRET_BYTES))

const ofErased: AccountKey = { tree: treeFrom(Buffer.alloc(ID_BYTES), Buffer.alloc(SECRET_BYTES)), erased: true }

/** The last result, since an event has up to three texts of one thing. */
let latest: { readonly key: AccountKey; readonly label: string; readonly keys: ThingKeys | undefined } | undefined

/** Returns the keys of the texts of a thing; undefined if they are destroyed. */
export const thingKeysOf = (key: AccountKey, label: string): ThingKeys | undefined => {
  if (latest?.key === key && latest.label === label) return latest.keys
  const keys = key.tree && keysAt(key.tree, label)
  latest = { key, label, keys }
  return keys
}

/**
 * The most things of one account that can be erased one by one. Each adds up to 112 nodes to its key, 6 KB. For more, the account is
 * erased.
 */
export const MAX_ERASED_THINGS = 256

/** Returns the labels of the things of an account that were erased one by one. */
export const listErasedThings = async (vault: Pick<Vault, 'get'>, account: string): Promise<ReadonlySet<string>> => {
  const record = await vault.get('key', account)
  return (record && record.value !== null && fromRecord(account, record.value).tree?.erased) || new Set()
}

/**
 * Returns the record of an account's key without the keys of some things; undefined if nothing is left. Texts under the account's one key
 * of earlier versions are all lost. `kept` are the things whose texts exist; it is needed if more things are left out than can be erased
 * one by one.
 */
export const recordWithout = (
  account: string,
  value: unknown,
  { things, kept }: { readonly things: ReadonlySet<string>; readonly kept: ReadonlySet<string> },
): unknown => {
  if (value === null) return value
  const { tree } = fromRecord(account, value)
  if (things.size === 0 && (tree?.erased.size ?? 0) === 0) return value
  if (tree === undefined) return undefined
  if (things.size <= MAX_ERASED_THINGS)
    return toStoredKeys(
      {},
      [...things].reduce((rest, thing) => withoutKey(rest, labelOf(thing)), tree),
    )
  return toStoredKeys({}, withOnly(tree, new Set([...kept].filter((thing) => !things.has(thing)).map(labelOf))))
}

/** The bytes of two short buffers with their headers, and of the objects around them. */
const KEY_BYTES = 700

/** Returns the approximate number of bytes that a key takes in memory. */
const keySize = ({ tree }: AccountKey): number => KEY_BYTES + bytesOf(tree?.nodes) + 60 * (tree?.erased.size ?? 0)

/** Opens the accounts' keys, in the vault and, for a while, in memory. The absence of a key is never cached. */
export const openKeyring = (vault: Pick<Vault, 'get' | 'getMany' | 'put' | 'putIf'>): Keyring => {
  const known = new LRUCache<string, AccountKey>({ ...boundedBy('accountKeys', keySize), ttl: REMEMBERED_MS })
  let sweptAt = performance.now()
  /** The number of times that a key was forgotten: the answer to an earlier question may have been erased meanwhile. */
  let forgotten = 0

  const forget = (account?: string): void => {
    forgotten += 1
    if (account === undefined) known.clear()
    else known.delete(account)
  }
  const remember = (account: string, key: AccountKey, since: number): void => {
    if (since === forgotten) known.set(account, key)
  }

  /** Drops expired keys that nobody asks for again. It runs once in the time that a key is remembered. */
  const sweep = (): void => {
    const now = performance.now()
    if (now - sweptAt < REMEMBERED_MS) return
    sweptAt = now
    known.purgeStale()
  }

  const fetch = async (accounts: Iterable<string>) => {
    sweep()
    const keysByAccount = new Map<string, AccountKey>()
    const unknown: string[] = []
    for (const account of new Set(accounts)) {
      const key = known.get(account)
      if (key) keysByAccount.set(account, key)
      else unknown.push(account)
    }
    if (unknown.length === 0) return keysByAccount
    const since = forgotten
    for (const [account, { value }] of await vault.getMany('key', unknown)) {
      if (value === null) continue
      const key = fromRecord(account, value)
      remember(account, key, since)
      keysByAccount.set(account, key)
    }
    return keysByAccount
  }

  /** Changes the tree of an account, which is made if there is none yet. Returns the key as it is stored then. */
  const amend = async (account: string, change: (tree: KeyTree) => KeyTree, isDone: (key: AccountKey) => boolean): Promise<AccountKey> => {
    for (let first = true; ; first = false) {
      const record: VaultRecord | undefined = await vault.get('key', account)
      if (!record && !first) throw new Error(`the key of ${account} was destroyed while it was created`)
      if (record?.value === null) return ofErased
      const key = record ? fromRecord(account, record.value) : {}
      if (isDone(key)) return key
      const tree = change(key.tree ?? newTree())
      if (await vault.putIf('key', account, record?.version ?? 0, { value: toStoredKeys(key, tree), owner: account }))
        return { ...key, tree }
    }
  }

  return {
    fetch,
    ensure: async (accounts) => {
      const distinctAccounts = new Set(accounts)
      const keys = new Map(await fetch(distinctAccounts))
      for (const account of distinctAccounts) {
        if (keys.get(account)?.tree) continue
        const since = forgotten
        const key = await amend(
          account,
          (tree) => tree,
          ({ tree }) => tree !== undefined,
        )
        if (!key.erased) remember(account, key, since)
        keys.set(account, key)
      }
      return keys
    },
    eraseAccount: async (account) => {
      await vault.put('key', account, { value: null, owner: account })
      forget(account)
    },
    eraseThing: async (account, thing) => {
      const label = labelOf(thing)
      await amend(
        account,
        (tree) => withoutKey(tree, label),
        ({ tree }) => tree?.erased.has(label) ?? false,
      )
      forget(account)
    },
    forget,
  }
}
