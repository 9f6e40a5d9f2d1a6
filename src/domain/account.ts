import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type EventOf, event } from './event.ts'
import { AccountId } from './ids.ts'

/** On `username-<lower case>`: the first append owns the name. Everything else about the account derives from it. */
export const UsernameClaimed = event('UsernameClaimed', { account: AccountId, name: t.string })
export type UsernameEvent = EventOf<typeof UsernameClaimed>

export type Username = { readonly account: AccountId; readonly name: string }

export const Username: Aggregate<Username, UsernameEvent> = {
  category: 'username',
  on: { UsernameClaimed: (_, { account, name }) => ({ account, name }) },
}

export const AccountRegistered = event('AccountRegistered', { account: AccountId, name: t.string })
export type AccountEvent = EventOf<typeof AccountRegistered>

export type Account = { readonly id: AccountId; readonly name: string; readonly created: number }

export const Account: Aggregate<Account, AccountEvent> = {
  category: 'account',
  on: { AccountRegistered: (_, { account, name }, { at }) => ({ id: account, name, created: at }) },
}

/** The name is taken once and for all; the same account claiming again changes nothing. */
export const claimUsername =
  (account: AccountId, name: string): Decide<Username, UsernameEvent> =>
  (claim) => {
    if (claim) return claim.account === account ? nothing : refuse('USERNAME_TAKEN', 'user')
    return record(UsernameClaimed({ account, name }))
  }

export const registerAccount =
  (account: AccountId, name: string): Decide<Account, AccountEvent> =>
  (state) =>
    state ? nothing : record(AccountRegistered({ account, name }))
