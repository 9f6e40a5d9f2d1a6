// Decision 69.

import { type ContactDocument, contactId, contacts } from '../../projections/friends-and-blocks.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { countBy, listingIndex } from '../ports/indexed.ts'
import { readAll } from './read-all.ts'

export const BLOCKED_OF_ACCOUNT = listingIndex(contacts, ['account', 'blocked'], ['blockedAt', 'id'])

/** Returns the accounts that an account blocks, the oldest block first. */
export const listBlocked = (documents: DocumentStore, account: AccountId): Promise<readonly ContactDocument[]> =>
  readAll(documents, BLOCKED_OF_ACCOUNT, { account, blocked: true })

/** Counts the accounts that an account blocks, no further than `most`. */
export const countBlocked = (documents: DocumentStore, account: AccountId, most: number): Promise<number> =>
  countBy(documents, BLOCKED_OF_ACCOUNT, { account, blocked: true }, most)

/** Returns the accounts among some that an account blocks. */
export const selectBlocked = async (
  documents: DocumentStore,
  account: AccountId,
  others: readonly (AccountId | null)[],
): Promise<ReadonlySet<AccountId>> => {
  const accounts = others.flatMap((other) => (other === null || other === account ? [] : [other]))
  const found = await documents.getPairs(contacts, { one: account, idOf: (other) => contactId(account, other) }, accounts)
  return new Set(Array.from(found.values()).flatMap(({ other, blocked }) => (blocked ? [other] : [])))
}

/** Tells whether the viewer blocks an account, whose pages they then do not see. */
export const isBlocked = async (documents: DocumentStore, viewer: AccountId | undefined, account: AccountId): Promise<boolean> =>
  viewer !== undefined && (await selectBlocked(documents, viewer, [account])).size > 0
