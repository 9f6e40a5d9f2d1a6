import { type AccountDocument, accounts } from '../../../../projections/accounts.ts'
import { Account } from '../../../domain/account.ts'
import { AccountId } from '../../../domain/ids.ts'
import { isSuspendedForGood, preferencesOf } from '../../../queries/accounts.ts'
import { friendsOf } from '../../../queries/friends.ts'
import { karmaOfAccounts, noKarma } from '../../../queries/karma.ts'
import { moderatesAnything } from '../../../queries/relations.ts'
import type { Context } from '../../contract/endpoint.ts'
import type { Viewer } from '../../contract/request.ts'
import { accountThing, publicAccount, suspendedAccount } from '../../present/account.ts'
import { accountEntry } from '../../present/feed-entry.ts'
import { kind, recordsOfThose } from './kind.ts'

/** Tells whether a viewer sees only the name of an account, since it is suspended permanently. Its owner and admins see it whole. */
export const seesOnlyName = (viewer: Viewer, account: AccountDocument): boolean =>
  isSuspendedForGood(account) && account.id !== viewer.account && !viewer.admin

/** Returns the records of some accounts, by fullname, as others than their owners see them. Deleted ones have none. */
const accountThings = async (
  { documents, viewer, clock }: Context,
  accounts: readonly AccountDocument[],
): Promise<ReadonlyMap<string, object>> => {
  const friends = viewer.account === undefined ? [] : await friendsOf(documents, viewer.account)
  const befriended = new Set(friends.map(({ other }) => other))
  const present = accounts.filter(({ deleted }) => !deleted)
  const earned = await karmaOfAccounts(
    documents,
    present.map(({ id }) => id),
  )
  const presentOne = async (account: AccountDocument) => {
    if (seesOnlyName(viewer, account)) return accountThing(suspendedAccount(account))
    const [isMod, preferences] = await Promise.all([moderatesAnything(documents, account.id), preferencesOf(documents, account.id)])
    return accountThing(
      publicAccount({
        account,
        karma: earned.get(account.id) ?? noKarma,
        isMod,
        clock,
        preferences,
        toAdmin: viewer.admin,
        isFriend: befriended.has(account.id),
      }),
    )
  }
  return new Map(await Promise.all(present.map(async (account) => [account.id, await presentOne(account)] as const)))
}

export const accountKind = kind(Account, {
  collection: accounts,
  records: recordsOfThose(AccountId, accountThings),
  feedEntry: accountEntry,
})
