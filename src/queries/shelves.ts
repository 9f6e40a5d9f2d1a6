import { type ShelfDocument, shelves } from '../../projections/shelves.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { found, type Source } from './walk.ts'

const SAVED = ['-savedAt', '-id']
const HIDDEN = ['-hiddenAt', '-id']

/** What an account saved, in one category or at all, latest first. */
export const savedBy = (documents: DocumentStore, account: AccountId, category: string | undefined): Source<ShelfDocument> =>
  found(documents, shelves, { account, saved: true, ...(category !== undefined && { category }) }, SAVED)

/** What an account hid, latest first. */
export const hiddenBy = (documents: DocumentStore, account: AccountId): Source<ShelfDocument> =>
  found(documents, shelves, { account, hidden: true }, HIDDEN)

const MOST = 1000

/** The categories in use, in order. Each costs one index look-up, however much is saved under it. */
export const savedCategories = async (documents: DocumentStore, account: AccountId): Promise<readonly string[]> => {
  const names: string[] = []
  // things without a category come first, under the empty name
  let last = ''
  while (names.length < MOST) {
    const [next] = await documents.find(shelves, {
      where: { account, saved: true },
      order: ['category', ...SAVED],
      // no time of saving is below zero: this is after everything in the category
      page: { limit: 1, after: [last, -1, ''] },
    })
    if (!next) break
    names.push(next.category)
    last = next.category
  }
  return names
}
