import { type ShelfDocument, shelves } from '../../projections/shelves.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { findBy, listingIndex } from '../ports/indexed.ts'
import { listBy, type OrderedSource } from './ordered-source.ts'

const SAVED = listingIndex(shelves, ['account', 'saved'], ['-savedAt', '-id'])
const SAVED_IN_CATEGORY = listingIndex(shelves, ['account', 'saved', 'category'], ['-savedAt', '-id'])
const BY_CATEGORY = listingIndex(shelves, ['account', 'saved'], ['category', '-savedAt', '-id'])
const HIDDEN = listingIndex(shelves, ['account', 'hidden'], ['-hiddenAt', '-id'])

/** Lists the things that an account saved, in one category or at all, latest first. */
export const listSavedThings = (
  documents: DocumentStore,
  account: AccountId,
  category: string | undefined,
): OrderedSource<ShelfDocument> =>
  category === undefined
    ? listBy(documents, SAVED, { account, saved: true })
    : listBy(documents, SAVED_IN_CATEGORY, { account, saved: true, category })

/** Lists the things that an account hid, latest first. */
export const hiddenBy = (documents: DocumentStore, account: AccountId): OrderedSource<ShelfDocument> =>
  listBy(documents, HIDDEN, { account, hidden: true })

const MAX_CATEGORIES = 1000

/** Returns the categories in use, in order. Each costs one index look-up, however much is saved under it. */
export const savedCategories = async (documents: DocumentStore, account: AccountId): Promise<readonly string[]> => {
  const names: string[] = []
  // things without a category come first, under the empty name
  let last = ''
  while (names.length < MAX_CATEGORIES) {
    // no time of saving is below zero: this is after everything in the category
    const [next] = await findBy(documents, BY_CATEGORY, { account, saved: true }, { limit: 1, after: [last, -1, ''] })
    if (!next) break
    names.push(next.category)
    last = next.category
  }
  return names
}
