import type { Document, DocumentStore, FieldOf } from '../ports/documents.ts'
import { findBy, type ListingIndex, type Where } from '../ports/indexed.ts'
import { keyBy } from './ordered-source.ts'

const BATCH_DOCUMENTS = 1000

/**
 * Reads all matches, of sets that one account keeps (friends, subscriptions). A listing that grows with the site is read in pages instead.
 */
export const readAll = async <D extends Document, Within extends FieldOf<D>>(
  documents: DocumentStore,
  listing: ListingIndex<D, Within>,
  where: Where<D, Within>,
): Promise<readonly D[]> => {
  const keyOf = keyBy<D>(listing.order)
  const found: D[] = []
  for (;;) {
    const last = found.at(-1)
    const batch = await findBy(documents, listing, where, { limit: BATCH_DOCUMENTS, ...(last && { after: keyOf(last) }) })
    found.push(...batch)
    if (batch.length < BATCH_DOCUMENTS) return found
  }
}
