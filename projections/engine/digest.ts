import { createHash } from 'node:crypto'
import { canonicalJson } from '../../src/ports/canonical-json.ts'
import type { Collection, Document, DocumentStore } from '../../src/ports/documents.ts'

const PAGE_DOCUMENTS = 100 // at most so many documents at once, since each may hold the longest text there is

/** Yields all documents of a collection in bytewise order of their ids. */
export async function* everyDocument<D extends Document>(documents: DocumentStore, collection: Collection<D>): AsyncGenerator<D, void> {
  for (let after: string | undefined; ; ) {
    const page = await documents.walk(collection, after, PAGE_DOCUMENTS)
    yield* page
    after = page.at(-1)?.id
    if (after === undefined || page.length < PAGE_DOCUMENTS) return
  }
}

export type Digest = { readonly documents: number; readonly sha256: string }

const omitFields = (document: Document, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(document).filter(([field]) => !fields.includes(field)))

/**
 * Computes a digest of a collection's documents, without their own positions and those that they record. The digest is the same for the
 * same history, on any store and however the collection was built.
 */
export const digestOf = async (documents: DocumentStore, collection: Collection<Document>): Promise<Digest> => {
  const { positions } = collection
  const hash = createHash('sha256')
  let count = 0
  for await (const document of everyDocument(documents, collection)) {
    hash.update(`${canonicalJson(positions ? omitFields(document, positions) : document)}\n`)
    count += 1
  }
  return { documents: count, sha256: hash.digest('hex') }
}
