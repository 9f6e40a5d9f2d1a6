import { isDeepStrictEqual } from 'node:util'
import type { Collection, Document, DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import type { Finding } from './finding.ts'
import { type Row, shortened } from './ledger.ts'
import type { Recount } from './recount.ts'

const LARGEST_PAGE = 500

const differencesOf = (collection: string, id: string, stored: Row, recounted: Row): readonly Finding[] =>
  [...new Set([...Object.keys(stored), ...Object.keys(recounted)])]
    .filter((field) => !isDeepStrictEqual(stored[field], recounted[field]))
    .map((field) => ({ kind: 'document', collection, id, field, stored: stored[field], recounted: recounted[field] }))

/** How far all of the stored documents are; undefined when there are none. */
export type Standing = () => Promise<Position | undefined>

type Page = { readonly found: readonly Document[]; readonly position: Position; readonly last: boolean }

/** Documents and the position they stand at, both of one moment: read again, and less of it, when something was written meanwhile. */
const pageOf = async (
  stored: DocumentStore,
  standing: Standing,
  collection: Collection<Document>,
  after: string | undefined,
): Promise<Page> => {
  for (let size = LARGEST_PAGE; ; size = Math.max(1, Math.floor(size / 2))) {
    const position = await standing()
    const found = await stored.walk(collection, after, size)
    if (position === undefined) throw new Error('the read models were removed')
    if ((await standing()) === position) return { found, position, last: found.length < size }
  }
}

/**
 * Every difference between a collection as it is stored and as the events make it, page by page; writers may go on meanwhile, since
 * each page is compared as of its own position. Ends with the number of documents looked at.
 */
export async function* compare(
  stored: DocumentStore,
  standing: Standing,
  recount: Pick<Recount, 'advance' | 'documents'>,
  collection: Collection<Document>,
): AsyncGenerator<Finding, number> {
  const { name } = collection
  let looked = 0
  for (let after: string | undefined; ; ) {
    const { found, position, last } = await pageOf(stored, standing, collection, after)
    const end = last ? undefined : found.at(-1)?.id
    looked += found.length
    yield* recount.advance(position)
    const unmatched = new Map(found.map((document) => [document.id, shortened(document) as Row]))
    for await (const [id, row] of recount.documents(name, after, end)) {
      const whole = unmatched.get(id)
      unmatched.delete(id)
      if (whole) yield* differencesOf(name, id, whole, row)
      else yield { kind: 'document', collection: name, id, field: null, stored: undefined, recounted: row }
    }
    for (const [id, whole] of unmatched) yield { kind: 'document', collection: name, id, field: null, stored: whole, recounted: undefined }
    if (last) return looked
    after = end
  }
}
