import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as t from 'io-ts'
import { AccountId } from '../domain/ids.ts'
import { hashOf } from '../http/tokens.ts'
import type { Vault } from '../ports/vault.ts'

/** Milliseconds that an authorization code lives. */
const LIFETIME = 600_000

const CodeValue = t.type({
  client: t.string,
  account: AccountId,
  redirectUri: t.string,
  scopes: t.union([t.literal('*'), t.readonlyArray(t.string)]),
  subsites: t.union([t.readonlyArray(t.string), t.null]),
  permanent: t.boolean,
  /** The `S256` challenge of PKCE, or null where the app did not send one. */
  challenge: t.union([t.string, t.null]),
})
export type AuthorizationCode = t.TypeOf<typeof CodeValue>

/** A new code for what somebody allowed. */
export const issueCode = async (vault: Vault, grant: AuthorizationCode, now: number): Promise<string> => {
  const code = randomBytes(20).toString('base64url')
  await vault.put('code', hashOf(code), { value: grant, owner: grant.account, expires: now + LIFETIME })
  return code
}

const proves = (challenge: string | null, verifier: string | undefined): boolean => {
  if (challenge === null) return true
  const given = Buffer.from(
    createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url'),
  )
  const right = Buffer.from(challenge)
  return given.length === right.length && timingSafeEqual(given, right)
}

/**
 * What the code was issued for, if it is this client's, for this address, and the verifier fits. Whoever asks, it is spent
 * by the asking.
 */
export const redeemCode = async (
  vault: Vault,
  code: string,
  by: { readonly client: string; readonly redirectUri: string; readonly verifier: string | undefined },
): Promise<AuthorizationCode | undefined> => {
  const record = await vault.take('code', hashOf(code))
  if (!record) return undefined
  if (!CodeValue.is(record.value)) throw new Error("the vault's record of an authorization code cannot be read")
  const grant = record.value
  return grant.client === by.client && grant.redirectUri === by.redirectUri && proves(grant.challenge, by.verifier) ? grant : undefined
}
