import { type KarmaDocument, karma } from '../../projections/karma.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { indexed } from '../ports/indexed.ts'
import { everything } from './everything.ts'

const OF_ACCOUNT = indexed(karma, ['account'], ['id'])

/** An account's karma in each subsite where it was ever changed. */
export const karmaOf = (documents: DocumentStore, account: AccountId): Promise<readonly KarmaDocument[]> =>
  everything(documents, OF_ACCOUNT, { account })
