// Decision 59.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as t from 'io-ts'
import { AccountId } from '../domain/ids.ts'
import { DAY } from '../domain/time.ts'
import type { Vault } from '../ports/vault.ts'
import { ACCESS_TOKEN_LIFETIME_SECONDS, hashOf } from './tokens.ts'

/** The lifetime of an authorization code in milliseconds. */
export const CODE_LIFETIME_MS = 600_000
/**
 * The time for which a used code is remembered, so that a second use is noticed: the lifetime of the tokens made from it, up to a limit.
 */
const USED_CODE_KEPT_MS = { temporary: ACCESS_TOKEN_LIFETIME_SECONDS * 1000, permanent: 30 * DAY } as const

const CodeValue = t.intersection([
  t.type({
    client: t.string,
    account: AccountId,
    redirectUri: t.string,
    scopes: t.union([t.literal('*'), t.readonlyArray(t.string)]),
    subsites: t.union([t.readonlyArray(t.string), t.null]),
    permanent: t.boolean,
    /** The `S256` challenge of PKCE, or null if the app did not send one. */
    challenge: t.union([t.string, t.null]),
  }),
  /** The uses of the code so far, successful or not; absent before the first. */
  t.partial({ used: t.keyof({ once: null, again: null }) }),
])
export type AuthorizationCode = t.TypeOf<typeof CodeValue>

/** Issues a code for a grant of an account. */
export const issueCode = async (vault: Vault, grant: Omit<AuthorizationCode, 'used'>, now: number): Promise<string> => {
  const code = randomBytes(20).toString('base64url')
  await vault.put('code', hashOf(code), { value: grant, owner: grant.account, expires: now + CODE_LIFETIME_MS })
  return code
}

/** Ends a code that nobody was given. */
export const withdrawCode = (vault: Vault, code: string): Promise<void> => vault.delete('code', hashOf(code))

/** Tells whether a verifier belongs to the challenge (RFC 7636). If the challenge is missing, the verifier must be missing, too. */
const proves = (challenge: string | null, verifier: string | undefined): boolean => {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const challengeOfVerifier = createHash('sha256').update(verifier).digest()
  const right = Buffer.from(challenge, 'base64url')
  return challengeOfVerifier.length === right.length && timingSafeEqual(challengeOfVerifier, right)
}

const codeIn = (value: unknown): AuthorizationCode => {
  if (!CodeValue.is(value)) throw new Error("the vault's record of an authorization code cannot be read")
  return value
}

/** The outcome of using a code. `again` means that it was used before, with or without success. */
export type Redemption = { readonly outcome: 'granted' | 'again'; readonly grant: AuthorizationCode } | { readonly outcome: 'refused' }

/**
 * Redeems a code: granted if it is this client's, for this address, and the verifier fits. Any use spends it, also one by another client;
 * of many uses at once one is the first.
 */
export const redeemCode = async (
  vault: Vault,
  code: string,
  by: { readonly client: string; readonly redirectUri: string; readonly verifier: string | undefined },
  now: number,
): Promise<Redemption> => {
  const id = hashOf(code)
  for (;;) {
    const record = await vault.get('code', id)
    if (!record) return { outcome: 'refused' }
    const grant = codeIn(record.value)
    const isFirst = grant.used === undefined
    const expires = isFirst ? now + USED_CODE_KEPT_MS[grant.permanent ? 'permanent' : 'temporary'] : record.expires
    const value: AuthorizationCode = { ...grant, used: isFirst ? 'once' : 'again' }
    if (!(await vault.putIf('code', id, record.version, { value, owner: grant.account, expires }))) continue
    if (!isFirst) return { outcome: 'again', grant }
    const fits = grant.client === by.client && grant.redirectUri === by.redirectUri && proves(grant.challenge, by.verifier)
    return fits ? { outcome: 'granted', grant } : { outcome: 'refused' }
  }
}

/** Tells whether a redeemed code was neither used again since, nor revoked with everything that its account granted. */
export const isUsedOnce = async (vault: Vault, code: string): Promise<boolean> => {
  const record = await vault.get('code', hashOf(code))
  return record !== undefined && codeIn(record.value).used === 'once'
}
