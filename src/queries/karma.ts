import { accounts } from '../../projections/accounts.ts'
import { type KarmaDocument, karma, karmaId } from '../../projections/karma.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { indexed } from '../ports/indexed.ts'
import { everything } from './everything.ts'

const OF_ACCOUNT = indexed(karma, ['account'], ['id'])

/** An account's karma in each subsite where it was ever changed. */
export const karmaOf = (documents: DocumentStore, account: AccountId): Promise<readonly KarmaDocument[]> =>
  everything(documents, OF_ACCOUNT, { account })

/** Karma of one kind in a subsite; if it is zero there but positive elsewhere, 1. */
export const karmaIn = async (documents: DocumentStore, account: AccountId, subsite: SubsiteId, kind: 'link' | 'comment') => {
  const [there, total] = await Promise.all([getOne(documents, karma, karmaId(account, subsite)), getOne(documents, accounts, account)])
  return there?.[kind] || Math.min(1, total?.[`${kind}Karma`] ?? 0)
}
