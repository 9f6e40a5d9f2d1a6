import * as E from 'fp-ts/lib/Either.js'
import { Account, claimUsername, Username } from '../domain/account.ts'
import { refuse } from '../domain/decision.ts'
import { type AccountId, fullname } from '../domain/ids.ts'
import { checkUsername, claimOf } from '../domain/names.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Vault } from '../ports/vault.ts'
import type { Command } from '../runtime/command.ts'
import type { Load } from '../runtime/load.ts'
import type { Run } from '../runtime/run.ts'
import { type PasswordHash, removeCredentials, setCredentials } from './credentials.ts'

export type Registration = {
  readonly name: string
  readonly email: string | undefined
  /** Lower-cased names that cannot be registered here. */
  readonly reserved: readonly string[]
  /** Checks further conditions, once the name is valid and free. */
  readonly check: () => Promise<Refusal | undefined>
  /** Hashes the password after all other checks. Refuses if too many passwords are being hashed. */
  readonly hash: () => Promise<E.Either<Refusal, PasswordHash>>
}

type Ports = { readonly vault: Vault; readonly run: Run; readonly load: Load }

/**
 * Registers an account. Its credentials are written first, then the name is claimed, which is the decision; a reaction to the claim does
 * the rest (reactions/claims.ts). If another request claims the name first, nothing is left.
 */
export const register = async (
  { vault, run, load }: Ports,
  { name, email, reserved, check, hash }: Registration,
  command: Command,
): Promise<E.Either<Refusal, { readonly id: AccountId; readonly name: string }>> => {
  const id = fullname('account', command.mint)
  const unfit = checkUsername(name)
  if (unfit) return E.left(unfit)
  const claim = await load(Username, claimOf(name), command)
  if (reserved.includes(claimOf(name))) return refuse('USERNAME_TAKEN', 'user')
  if (claim && claim.account !== id) {
    const holder = await load(Account, claim.account)
    return refuse(holder?.deleted ? 'USERNAME_TAKEN_DEL' : 'USERNAME_TAKEN', 'user')
  }
  const refused = await check()
  if (refused) return E.left(refused)
  const password = await hash()
  if (E.isLeft(password)) return password
  await setCredentials(vault, id, password.right, email)
  const claimed = await run(Username, claimOf(name), claimUsername(id, name), { ...command, by: { account: id, as: 'user' } })
  if (E.isRight(claimed)) return E.right({ id, name })
  if (claimed.left.code === 'USERNAME_TAKEN') await removeCredentials(vault, id)
  return claimed
}
