import { type ContactDocument, contactId, contacts } from '../../projections/contacts.ts'
import type { AccountId } from '../domain/ids.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { indexed } from '../ports/indexed.ts'
import { everything } from './everything.ts'

export const FRIENDS_OF_ACCOUNT = indexed(contacts, ['account', 'friend'], ['since', 'id'])

/** An account's friends, oldest friendship first. */
export const friendsOf = (documents: DocumentStore, account: AccountId): Promise<readonly ContactDocument[]> =>
  everything(documents, FRIENDS_OF_ACCOUNT, { account, friend: true })

/** An account's record of another, if they are friends. */
export const friendOf = async (documents: DocumentStore, account: AccountId, other: AccountId): Promise<ContactDocument | undefined> => {
  const contact = await getOne(documents, contacts, contactId(account, other))
  return contact?.friend ? contact : undefined
}
