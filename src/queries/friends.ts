import { type ContactDocument, contactId, contacts } from '../../projections/friends-and-blocks.ts'
import type { AccountId } from '../domain/ids.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { listingIndex } from '../ports/indexed.ts'
import { readAll } from './read-all.ts'

export const FRIENDS_OF_ACCOUNT = listingIndex(contacts, ['account', 'friend'], ['since', 'id'])

/** Returns an account's friends, oldest friendship first. */
export const friendsOf = (documents: DocumentStore, account: AccountId): Promise<readonly ContactDocument[]> =>
  readAll(documents, FRIENDS_OF_ACCOUNT, { account, friend: true })

/** Returns an account's record of another, if they are friends. */
export const friendOf = async (documents: DocumentStore, account: AccountId, other: AccountId): Promise<ContactDocument | undefined> => {
  const contact = await getOne(documents, contacts, contactId(account, other))
  return contact?.friend ? contact : undefined
}
