import type { Collection, Document, DocumentStore } from '../ports/documents.ts'

/** Ids that the store takes in one call. */
const AT_ONCE = 1000

const none: ReadonlyMap<string, never> = new Map<string, never>()

/** The documents that exist, in no promised order, however many ids. */
export const byId = async <D extends Document>(
  documents: Pick<DocumentStore, 'getMany'>,
  collection: Collection<D>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, D>> => {
  if (ids.length === 0) return none
  if (ids.length <= AT_ONCE) return documents.getMany(collection, ids)
  const found = new Map<string, D>()
  for (let n = 0; n < ids.length; n += AT_ONCE)
    for (const [id, document] of await documents.getMany(collection, ids.slice(n, n + AT_ONCE))) found.set(id, document)
  return found
}
