import * as E from 'fp-ts/lib/Either.js'
import { currentPassword, type Proof, verifyPassword } from '../commands/credentials.ts'
import { claimNamed } from '../commands/username-lookup.ts'
import { Account } from '../domain/account.ts'
import { refuse } from '../domain/decision.ts'
import type { AccountId } from '../domain/ids.ts'
import type { Refusal } from '../domain/refusal.ts'
import { countFailedLogin, loginWait } from '../limits/login-throttle.ts'
import { askToWait } from '../limits/wait-refusal.ts'
import type { Vault } from '../ports/vault.ts'
import type { Load } from '../runtime/load.ts'
import type { PasswordLane } from './password-lane.ts'

export type User = { readonly id: AccountId; readonly name: string }
/** A user who proved the password; a session based on that proof ends if the password was changed meanwhile. */
export type ProvenUser = User & { readonly proof: Proof }

type Ports = { readonly vault: Vault; readonly load: Load; readonly clock: () => number; readonly passwords: PasswordLane }

const tryOnce = async (
  { vault, load, clock }: Omit<Ports, 'passwords'>,
  name: string,
  password: string,
  address: string,
): Promise<E.Either<Refusal, ProvenUser>> => {
  const claim = await claimNamed({ load }, name)
  const attempt = { name, password: claim && (await currentPassword(vault, claim.account)), address }
  const wait = await loginWait({ vault, clock }, attempt)
  if (wait > 0) return E.left(askToWait(wait))
  const proof = await verifyPassword(vault, claim?.account, password)
  if (claim && proof !== undefined && !(await load(Account, claim.account))?.deleted)
    return E.right({ id: claim.account, name: claim.name, proof })
  await countFailedLogin({ vault, clock }, attempt)
  return refuse('INCORRECT_USERNAME_OR_PASSWORD', 'passwd')
}

/**
 * Returns the account that name and password authenticate. An unknown name and a wrong password get the same response in the same time.
 * Tries from one address are checked one after the other, so that many at once are all counted.
 */
export const logIn = async (ports: Ports, name: string, password: string, address: string): Promise<E.Either<Refusal, ProvenUser>> =>
  E.flatten(await ports.passwords.enter(address, name, () => tryOnce(ports, name, password, address)))
