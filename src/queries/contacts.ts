import { type ContactDocument, contactId, contacts } from '../../projections/contacts.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { everything } from './everything.ts'

/** Everybody whom an account calls a friend, oldest friendship first. */
export const friendsOf = (documents: DocumentStore, account: AccountId): Promise<readonly ContactDocument[]> =>
  everything(documents, contacts, { account, friend: true }, ['since', 'id'])

/** What one account holds of another, if they are friends. */
export const friendOf = async (documents: DocumentStore, account: AccountId, other: AccountId): Promise<ContactDocument | undefined> => {
  const id = contactId(account, other)
  const contact = (await documents.getMany(contacts, [id])).get(id)
  return contact?.friend ? contact : undefined
}
