import { accounts } from '../../projections/accounts.ts'
import { type KarmaDocument, karma, karmaId } from '../../projections/karma.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { listingIndex } from '../ports/indexed.ts'
import { readAll } from './read-all.ts'

const OF_ACCOUNT = listingIndex(karma, ['account'], ['id'])

/** Returns an account's karma in each subsite where it was ever changed. */
export const karmaOf = (documents: DocumentStore, account: AccountId): Promise<readonly KarmaDocument[]> =>
  readAll(documents, OF_ACCOUNT, { account })

/** Returns karma of one kind in a subsite. If it is zero there but positive elsewhere, it is 1. */
export const karmaIn = async (documents: DocumentStore, account: AccountId, subsite: SubsiteId, kind: 'link' | 'comment') => {
  const [there, total] = await Promise.all([getOne(documents, karma, karmaId(account, subsite)), getOne(documents, accounts, account)])
  return there?.[kind] || Math.min(1, total?.[`${kind}Karma`] ?? 0)
}
