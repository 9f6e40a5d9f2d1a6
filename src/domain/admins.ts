// Decision 101.

import { type Aggregate, type Decide, decideEvents, noEvents } from './decision.ts'
import { event, field, type OneOf } from './event.ts'
import { AccountId } from './ids.ts'

const admin = { account: field(AccountId, 'The account.', 'admins') }
export const AdminGranted = event(
  'AdminGranted',
  'The configuration (`ADMINS`) lists the name of an account, which may act as an admin from now on.',
  admin,
  { by: 'admins' },
)
export const AdminRevoked = event(
  'AdminRevoked',
  'The configuration no longer lists the name of an account, which may not act as an admin any more.',
  admin,
  { by: 'admins' },
)
export const adminsEvents = [AdminGranted, AdminRevoked] as const
export type AdminsEvent = OneOf<typeof adminsEvents>

/** The admins at some time. The configuration decides who is admin; the log repeats it for those who judge acts later. */
export type Admins = readonly AccountId[]

/** The id of the one stream of admins. */
export const ADMINS_ID = 'site'

export const Admins: Aggregate<Admins, AdminsEvent> = {
  category: 'admins',
  subsiteOf: null,
  on: {
    AdminGranted: (state = [], { account }) => [...state, account],
    AdminRevoked: (state = [], { account }) => state.filter((admin) => admin !== account),
  },
}

const withoutAdmins = (admins: Admins, others: Admins): Admins => admins.filter((account) => !others.includes(account))

/** Returns the accounts that are in only one of both. */
export const differenceOf = (admins: Admins, others: Admins): Admins => [...withoutAdmins(admins, others), ...withoutAdmins(others, admins)]

/**
 * Records the admins. `known` are the admins that `wanted` was compared with; if they have changed since, the caller must compare again.
 */
export const changeAdmins =
  (known: Admins, configured: Admins): Decide<Admins, AdminsEvent> =>
  (state = []) => {
    if (differenceOf(state, known).length > 0) return noEvents
    return decideEvents<AdminsEvent>(
      ...withoutAdmins(configured, state).map((account) => AdminGranted({ account })),
      ...withoutAdmins(state, configured).map((account) => AdminRevoked({ account })),
    )
  }

export const grantAdmin =
  (account: AccountId): Decide<Admins, AdminsEvent> =>
  (state = []) =>
    state.includes(account) ? noEvents : decideEvents(AdminGranted({ account }))
