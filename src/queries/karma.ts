import { type KarmaDocument, karma } from '../../projections/karma.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { everything } from './everything.ts'

/** An account's karma in each subsite where it was ever changed. */
export const karmaOf = (documents: DocumentStore, account: AccountId): Promise<readonly KarmaDocument[]> =>
  everything(documents, karma, { account }, ['id'])
