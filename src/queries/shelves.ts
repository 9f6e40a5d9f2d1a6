import { type ShelfDocument, shelves } from '../../projections/shelves.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { findBy, indexed } from '../ports/indexed.ts'
import { found, type Source } from './walk.ts'

const SAVED = indexed(shelves, ['account', 'saved'], ['-savedAt', '-id'])
const SAVED_IN_CATEGORY = indexed(shelves, ['account', 'saved', 'category'], ['-savedAt', '-id'])
const BY_CATEGORY = indexed(shelves, ['account', 'saved'], ['category', '-savedAt', '-id'])
const HIDDEN = indexed(shelves, ['account', 'hidden'], ['-hiddenAt', '-id'])

/** What an account saved, in one category or at all, latest first. */
export const savedBy = (documents: DocumentStore, account: AccountId, category: string | undefined): Source<ShelfDocument> =>
  category === undefined
    ? found(documents, SAVED, { account, saved: true })
    : found(documents, SAVED_IN_CATEGORY, { account, saved: true, category })

/** What an account hid, latest first. */
export const hiddenBy = (documents: DocumentStore, account: AccountId): Source<ShelfDocument> =>
  found(documents, HIDDEN, { account, hidden: true })

const MAX_NAMES = 1000

/** The categories in use, in order. Each costs one index look-up, however much is saved under it. */
export const savedCategories = async (documents: DocumentStore, account: AccountId): Promise<readonly string[]> => {
  const names: string[] = []
  // things without a category come first, under the empty name
  let last = ''
  while (names.length < MAX_NAMES) {
    // no time of saving is below zero: this is after everything in the category
    const [next] = await findBy(documents, BY_CATEGORY, { account, saved: true }, { limit: 1, after: [last, -1, ''] })
    if (!next) break
    names.push(next.category)
    last = next.category
  }
  return names
}
