import type { Collection, Document, DocumentStore, Filter, Value } from '../ports/documents.ts'

const BATCH = 1000

/** All matches, for sets that one account keeps (friends, subscriptions); a listing that grows with the site is read in pages instead. */
export const everything = async <D extends Document>(
  documents: DocumentStore,
  collection: Collection<D>,
  where: Filter,
  order: readonly string[],
): Promise<readonly D[]> => {
  const found: D[] = []
  for (;;) {
    const last = found.at(-1) as Readonly<Record<string, Value>> | undefined
    const after = last && order.map((field) => last[field.replace(/^-/, '')] ?? null)
    const batch = await documents.find(collection, { where, order, page: { limit: BATCH, ...(after && { after }) } })
    found.push(...batch)
    if (batch.length < BATCH) return found
  }
}
