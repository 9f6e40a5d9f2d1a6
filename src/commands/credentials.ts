import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import * as t from 'io-ts'
import type { AccountId } from '../domain/ids.ts'
import { MAX_PASSWORD_CHARACTERS } from '../domain/password.ts'
import type { Vault } from '../ports/vault.ts'

const derive = promisify<string | Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * The cost of hashing a password. It is stored with each hash, so that it can be raised while older hashes stay valid. A hash takes a
 * little more than 32 MiB, which the C library returns at once; after smaller ones it keeps up to 64 MiB permanently.
 */
const SCRYPT_COST = { N: 32_768, r: 8, p: 3 }
const HASH_BYTES = 32
const SALT_BYTES = 16
/** The most memory that scrypt may take; more than `N` and `r` need. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024

const PasswordHash = t.type({ N: t.number, r: t.number, p: t.number, salt: t.string, hash: t.string })
export type PasswordHash = t.TypeOf<typeof PasswordHash>
const Credentials = t.type({ password: PasswordHash, email: t.union([t.string, t.null]) })

/** Tells whether a value is the vault's record of an account's credentials. */
export const isCredentials = (value: unknown): boolean => Credentials.is(value)

/**
 * Hashes a password. Requests call it only through the queue of auth/password-lane.ts: it occupies a thread of libuv's pool for a quarter
 * of a second.
 */
export const hashPassword = async (password: string): Promise<PasswordHash> => {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password.normalize('NFC'), salt, HASH_BYTES, { ...SCRYPT_COST, maxmem: MAX_MEMORY_BYTES })
  return { ...SCRYPT_COST, salt: salt.toString('base64'), hash: hash.toString('base64') }
}

const matches = async (password: string, { N, r, p, salt, hash }: PasswordHash): Promise<boolean> => {
  const expected = Buffer.from(hash, 'base64')
  const options = { N, r, p, maxmem: MAX_MEMORY_BYTES }
  const actual = await derive(password.normalize('NFC'), Buffer.from(salt, 'base64'), expected.length, options)
  return timingSafeEqual(actual, expected)
}

/** A hash that is checked in place of an account's own, so that an unknown name takes as long as a wrong password. */
const nobody: PasswordHash = {
  ...SCRYPT_COST,
  salt: randomBytes(SALT_BYTES).toString('base64'),
  hash: randomBytes(HASH_BYTES).toString('base64'),
}

/** Stores credentials durably: they must exist before the log says that the account does. */
export const setCredentials = (vault: Vault, account: AccountId, password: PasswordHash, email: string | undefined): Promise<void> =>
  vault.put('credentials', account, { value: { password, email: email ?? null }, owner: account })

/** Replaces the password that was checked; the e-mail address stays. Returns false if the password has changed since the check. */
export const changePassword = async (vault: Vault, account: AccountId, proof: Proof, password: PasswordHash): Promise<boolean> => {
  const record = await vault.get('credentials', account)
  if (record?.version !== proof) return false
  if (!Credentials.is(record.value)) throw new Error(`the credentials of ${account} are damaged`)
  return vault.putIf('credentials', account, proof, { value: { ...record.value, password }, owner: account })
}

/** Replaces the password of an account, or gives one to an account that was imported without any. The e-mail address stays. */
export const resetPassword = async (vault: Vault, account: AccountId, password: PasswordHash): Promise<void> => {
  const record = await vault.get('credentials', account)
  await setCredentials(vault, account, password, (Credentials.is(record?.value) && record.value.email) || undefined)
}

export const removeCredentials = (vault: Vault, account: AccountId): Promise<void> => vault.delete('credentials', account)

/** Identifies the password that was checked: the version of the account's credentials. */
export type Proof = number

/** Returns the present password of an account; undefined for an account without one. */
export const currentPassword = async (vault: Vault, account: AccountId): Promise<Proof | undefined> =>
  (await vault.get('credentials', account))?.version

/** Tells whether the checked password is still the account's. If not, the caller must end everything that it opened: nothing else will. */
export const isStillPassword = async (vault: Vault, account: AccountId, proof: Proof): Promise<boolean> =>
  (await currentPassword(vault, account)) === proof

/**
 * Returns the proof that this is the account's password, or undefined if it is not. The time is the same for a missing account, one without
 * credentials, or a text that cannot be a password. As with `hashPassword`, requests call it only through the queue.
 */
export const verifyPassword = async (vault: Vault, account: AccountId | undefined, password: string): Promise<Proof | undefined> => {
  const isTooLong = password.length > MAX_PASSWORD_CHARACTERS
  const record = account === undefined || isTooLong ? undefined : await vault.get('credentials', account)
  if (record === undefined) {
    await matches(isTooLong ? '' : password, nobody)
    return undefined
  }
  if (!Credentials.is(record.value)) throw new Error(`the credentials of ${account} are damaged`)
  return (await matches(password, record.value.password)) ? record.version : undefined
}

/** Returns the stored hash of an account's password; undefined without one. The token of its private feeds is derived from it. */
export const passwordHashOf = async (vault: Vault, account: AccountId): Promise<string | undefined> => {
  const record = await vault.get('credentials', account)
  if (record === undefined) return undefined
  if (!Credentials.is(record.value)) throw new Error(`the credentials of ${account} are damaged`)
  return record.value.password.hash
}
