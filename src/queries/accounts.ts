import { type AccountDocument, accounts } from '../../projections/accounts.ts'
import { preferences } from '../../projections/preferences.ts'
import type { AccountId } from '../domain/ids.ts'
import { initialPreferences, type Preferences, preferencesFrom } from '../domain/preferences.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { findBy, listingIndex } from '../ports/indexed.ts'

const BY_NAME = listingIndex(accounts, ['lower'], ['id'])

/** Tells whether an account is suspended until somebody lifts it: it is banned from the whole site. */
export const isSuspendedForGood = ({ suspended, suspendedUntil }: AccountDocument): boolean => suspended && suspendedUntil === null

/** Returns the account of a name, in any case; undefined if it is deleted. */
export const accountNamed = async (documents: DocumentStore, name: string): Promise<AccountDocument | undefined> => {
  const [account] = await findBy(documents, BY_NAME, { lower: name.toLowerCase() }, { limit: 1 })
  return account?.deleted ? undefined : account
}

const MAX_NAMES_PER_READ = 200

/** Returns the accounts of many names, also the deleted ones, without unknown names. */
export const accountsEverNamed = async (documents: DocumentStore, names: readonly string[]): Promise<readonly AccountDocument[]> => {
  const lower = [...new Set(names.map((name) => name.toLowerCase()))].slice(0, MAX_NAMES_PER_READ)
  return findBy(documents, BY_NAME, { lower: { in: lower } }, { limit: MAX_NAMES_PER_READ })
}

/** Returns the accounts of many names, without unknown and deleted ones: a deleted account's posts cannot be found by its name. */
export const accountsNamed = async (documents: DocumentStore, names: readonly string[]): Promise<readonly AccountDocument[]> =>
  (await accountsEverNamed(documents, names)).filter(({ deleted }) => !deleted)

export const accountsById = (
  documents: DocumentStore,
  ids: readonly (AccountId | null)[],
): Promise<ReadonlyMap<AccountId, AccountDocument>> =>
  documents.getMany(
    accounts,
    ids.filter((id) => id !== null),
  )

/** Stands in place of the name of a deleted account, and of a deleted text. */
export const DELETED_PLACEHOLDER = '[deleted]'

/** Returns the name of an account; `[deleted]` for a deleted account, and for an id without account. */
export type Names = (account: AccountId | null) => string

export const namesOf = async (documents: DocumentStore, ids: readonly (AccountId | null)[]): Promise<Names> => {
  const known = await accountsById(documents, ids)
  return (id) => {
    const account = id === null ? undefined : known.get(id)
    return account && !account.deleted ? account.name : DELETED_PLACEHOLDER
  }
}

/** Returns the preferences of an account; without an account, those of a new one. */
export const preferencesOf = async (documents: DocumentStore, account: AccountId | undefined): Promise<Preferences> => {
  const document = account === undefined ? undefined : await getOne(documents, preferences, account)
  return document ? preferencesFrom(document.preferences) : initialPreferences
}
