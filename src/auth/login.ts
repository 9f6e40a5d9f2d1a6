import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../app.ts'
import { verifyPassword } from '../commands/credentials.ts'
import { queues } from '../commands/queues.ts'
import { Username } from '../domain/account.ts'
import { refuse } from '../domain/decision.ts'
import type { AccountId } from '../domain/ids.ts'
import { claimOf, mayBeUsername } from '../domain/names.ts'
import type { Refusal } from '../domain/refusal.ts'
import { loginThrottle } from './throttle.ts'

export type User = { readonly id: AccountId; readonly name: string }

/** `N minutes` or `N seconds`: the wording that clients parse to wait by themselves. */
export const waitInWords = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds / 1000)
  return seconds >= 60 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
}

type Ports = Pick<App, 'vault' | 'load' | 'clock'>

const tryOnce = async ({ vault, load, clock }: Ports, name: string, password: string, address: string): Promise<Either<Refusal, User>> => {
  const throttle = loginThrottle(vault, clock)
  const wait = await throttle.wait(name, address)
  if (wait > 0) {
    const text = `you are doing that too much. try again in ${waitInWords(wait)}.`
    return E.left({ code: 'RATELIMIT', field: 'ratelimit', text, extra: { ratelimit: wait / 1000 } })
  }
  const claim = mayBeUsername(name) ? await load(Username, claimOf(name)) : undefined
  const proven = await verifyPassword(vault, claim?.account, password)
  if (claim && proven) return E.right({ id: claim.account, name: claim.name })
  await throttle.failed(name, address)
  return refuse('INCORRECT_USERNAME_OR_PASSWORD', 'passwd')
}

/** Tries from one address go one after the other, so that a crowd of them is counted like any other. */
const inTurn = queues()

/** Who name and password prove. An unknown name and a wrong password are the same answer and take the same time. */
export const logIn = (ports: Ports, name: string, password: string, address: string): Promise<Either<Refusal, User>> =>
  inTurn(address, () => tryOnce(ports, name, password, address))
