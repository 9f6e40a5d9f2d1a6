import { isDeepStrictEqual } from 'node:util'
import type { Collection, Document, DocumentStore, StoredRow } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import type { Finding } from './finding.ts'
import { type LedgerRow, mayStandAt, type Row, shortened } from './ledger.ts'
import type { Recount } from './recount.ts'

const MAX_PAGE_DOCUMENTS = 500

type Difference = Extract<Finding, { kind: 'document' }>

/** Texts of both sides as the ledger keeps them: rules may keep names in full. */
const differencesOf = (collection: string, id: string, stored: Row, recounted: Row): readonly Difference[] =>
  [...new Set([...Object.keys(stored), ...Object.keys(recounted)])]
    .map((field): Difference => {
      const [there, made] = [shortened(stored[field]), shortened(recounted[field])]
      return { kind: 'document', collection, id, field, stored: there, recounted: made }
    })
    .filter(({ stored: there, recounted: made }) => !isDeepStrictEqual(there, made))

/** What is wrong with a row that is stored: with its document, with what the store derives from it, with its position. */
const problemsOf = (collection: string, row: StoredRow, known: LedgerRow | undefined): readonly Difference[] => {
  const { id, position, isTombstone, document, deviations } = row
  const difference = (field: string | null, stored: unknown, recounted: unknown): Difference => ({
    kind: 'document',
    collection,
    id,
    field,
    stored: shortened(stored),
    recounted: shortened(recounted),
  })
  const derived = deviations.map(({ part, stored, made }) => difference(part, stored, made))
  const { row: recounted, touches } = known ?? { row: undefined, touches: undefined }
  if (isTombstone ? recounted !== undefined || touches === undefined : recounted === undefined)
    return [...derived, difference(null, isTombstone ? `a tombstone of ${position}` : (document ?? 'no document'), recounted)]
  const body =
    isTombstone || recounted === undefined
      ? []
      : document
        ? differencesOf(collection, id, document, recounted)
        : [difference('body', 'no document', recounted)]
  const place = touches && !mayStandAt(touches, position) ? [difference('position', position, touches.positions)] : []
  return [...derived, ...body, ...place]
}

/** How far all of the stored documents are; undefined when there are none. */
export type Standing = () => Promise<Position | undefined>

type Page = { readonly found: readonly StoredRow[]; readonly position: Position; readonly last: boolean }

/** Rows and the position they stand at, both of one moment: read again, and less of it, when something was written meanwhile. */
const pageOf = async (
  stored: DocumentStore,
  standing: Standing,
  collection: Collection<Document>,
  after: string | undefined,
): Promise<Page> => {
  for (let size = MAX_PAGE_DOCUMENTS; ; size = Math.max(1, Math.floor(size / 2))) {
    const position = await standing()
    const found = await stored.inspect(collection, after, size)
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
    looked += found.filter(({ isTombstone }) => !isTombstone).length
    yield* recount.advance(position)
    const unmatched = new Map(found.map((row) => [row.id, row]))
    for await (const known of recount.documents(name, after, end)) {
      const row = unmatched.get(known.id)
      unmatched.delete(known.id)
      if (row) yield* problemsOf(name, row, known)
      else if (known.row)
        yield { kind: 'document', collection: name, id: known.id, field: null, stored: undefined, recounted: shortened(known.row) }
    }
    for (const row of unmatched.values()) yield* problemsOf(name, row, undefined)
    if (last) return looked
    after = end
  }
}
