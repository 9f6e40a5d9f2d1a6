import { type ContactDocument, contactId, contacts } from '../../projections/contacts.ts'
import type { AccountId } from '../domain/ids.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { countBy, indexed } from '../ports/indexed.ts'
import { everything } from './everything.ts'

/** What an account has of others, the oldest first. */
export const FRIENDS_OF_ACCOUNT = indexed(contacts, ['account', 'friend'], ['since', 'id'])
export const BLOCKED_OF_ACCOUNT = indexed(contacts, ['account', 'blocked'], ['blockedAt', 'id'])

/** An account's friends, oldest friendship first. */
export const friendsOf = (documents: DocumentStore, account: AccountId): Promise<readonly ContactDocument[]> =>
  everything(documents, FRIENDS_OF_ACCOUNT, { account, friend: true })

/** An account's record of another, if they are friends. */
export const friendOf = async (documents: DocumentStore, account: AccountId, other: AccountId): Promise<ContactDocument | undefined> => {
  const contact = await getOne(documents, contacts, contactId(account, other))
  return contact?.friend ? contact : undefined
}

/** The accounts that an account blocks, the oldest block first. */
export const blockedBy = (documents: DocumentStore, account: AccountId): Promise<readonly ContactDocument[]> =>
  everything(documents, BLOCKED_OF_ACCOUNT, { account, blocked: true })

/** How many accounts an account blocks, counting no further than `most`. */
export const countBlocked = (documents: DocumentStore, account: AccountId, most: number): Promise<number> =>
  countBy(documents, BLOCKED_OF_ACCOUNT, { account, blocked: true }, most)

/** Which of some accounts an account blocks. */
export const blockedAmong = async (
  documents: DocumentStore,
  account: AccountId,
  others: readonly (AccountId | null)[],
): Promise<ReadonlySet<AccountId>> => {
  const asked = others.flatMap((other) => (other === null || other === account ? [] : [other]))
  const found = await documents.getPairs(contacts, { one: account, idOf: (other) => contactId(account, other) }, asked)
  return new Set(Array.from(found.values()).flatMap(({ other, blocked }) => (blocked ? [other] : [])))
}
