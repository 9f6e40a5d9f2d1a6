import { type AccountDocument, accounts } from '../../projections/accounts.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'

/** The account of a name, whatever its case. */
export const accountNamed = async (documents: DocumentStore, name: string): Promise<AccountDocument | undefined> => {
  const [account] = await documents.find(accounts, { where: { lower: name.toLowerCase() }, order: ['id'], page: { limit: 1 } })
  return account
}

const MOST_NAMES = 200

/** The accounts of many names; unknown ones are left out. */
export const accountsNamed = async (documents: DocumentStore, names: readonly string[]): Promise<readonly AccountDocument[]> => {
  const lower = [...new Set(names.map((name) => name.toLowerCase()))].slice(0, MOST_NAMES)
  return documents.find(accounts, { where: { lower: { in: lower } }, order: ['id'], page: { limit: MOST_NAMES } })
}

export const accountsById = (
  documents: DocumentStore,
  ids: readonly (AccountId | null)[],
): Promise<ReadonlyMap<AccountId, AccountDocument>> => documents.getMany(accounts, [...new Set(ids.filter((id) => id !== null))])

/** Names of accounts; `[deleted]` for an id without account. */
export type Names = (account: AccountId | null) => string

export const namesOf = async (documents: DocumentStore, ids: readonly (AccountId | null)[]): Promise<Names> => {
  const known = await accountsById(documents, ids)
  return (account) => (account === null ? undefined : known.get(account)?.name) ?? '[deleted]'
}
