import { type AccountDocument, accounts } from '../../projections/accounts.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { byId } from './by-id.ts'

/** The account of a name, whatever its case. */
export const accountNamed = async (documents: DocumentStore, name: string): Promise<AccountDocument | undefined> => {
  const [account] = await documents.find(accounts, { where: { lower: name.toLowerCase() }, order: ['id'], page: { limit: 1 } })
  return account
}

const SLICE = 200

/** The accounts of many names; unknown ones are left out. */
export const accountsNamed = async (documents: DocumentStore, names: readonly string[]): Promise<readonly AccountDocument[]> => {
  const lower = [...new Set(names.map((name) => name.toLowerCase()))].slice(0, SLICE)
  if (lower.length === 0) return []
  return documents.find(accounts, { where: { lower: { in: lower } }, order: ['id'], page: { limit: SLICE } })
}

export const accountsById = (
  documents: DocumentStore,
  ids: readonly (AccountId | null)[],
): Promise<ReadonlyMap<AccountId, AccountDocument>> => byId(documents, accounts, [...new Set(ids.filter((id) => id !== null))])

/** What people are called; `[deleted]` for whoever is no account. */
export type Names = (account: AccountId | null) => string

export const namesOf = async (documents: DocumentStore, ids: readonly (AccountId | null)[]): Promise<Names> => {
  const known = await accountsById(documents, ids)
  return (account) => (account === null ? undefined : known.get(account)?.name) ?? '[deleted]'
}
