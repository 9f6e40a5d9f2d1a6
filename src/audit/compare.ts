// Decision 131.

import { isDeepStrictEqual } from 'node:util'
import type { Collection, Document, DocumentStore, StoredRow } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import { type Finding, printableDifference, toPrintable } from './finding.ts'
import type { BookRow, LedgerRow } from './ledger.ts'
import type { Recount } from './recount.ts'
import { hasFigures } from './rules/figures.ts'

const MAX_PAGE_DOCUMENTS = 500

type Difference = Extract<Finding, { kind: 'document' }>

/**
 * `isErasure` means that the difference exists only because a text is erased by now, which the read models may not have shown yet at this
 * position.
 */
export type Compared = { readonly finding: Difference; readonly isErasure: boolean; readonly position: Position }

const ERASED = '[erased]'

/** Tells whether two values are the same, except texts that are erased in the second. */
const isEqualButErased = (stored: unknown, recounted: unknown): boolean => {
  if (recounted === ERASED) return typeof stored === 'string'
  if (typeof stored !== 'object' || typeof recounted !== 'object' || stored === null || recounted === null)
    return isDeepStrictEqual(stored, recounted)
  const [a, b] = [stored, recounted] as [BookRow, BookRow]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isEqualButErased(a[name], b[name]))
}

/** The values that are compared under one id: the stored row, the document that the projections make, and the figures of the formulas. */
type Compare = { readonly stored: StoredRow | undefined; readonly folded: LedgerRow | undefined; readonly figures: BookRow | undefined }

type Found = { readonly field: string | null; readonly stored: unknown; readonly recounted: unknown; readonly isErasure?: boolean }

const bodyDifferences = (stored: BookRow, recounted: BookRow): readonly Found[] => {
  const fields = [...new Set([...Object.keys(stored), ...Object.keys(recounted)])].filter(
    (field) => !isDeepStrictEqual(stored[field], recounted[field]),
  )
  const hasErased = fields.some((field) => isEqualButErased(stored[field], recounted[field]))
  return fields.map((field) => ({
    field,
    ...printableDifference(field, stored[field], recounted[field]),
    // a value that is made of a text differs with it: its address, its length
    isErasure: hasErased && (typeof stored[field] !== 'number' || field === 'length'),
  }))
}

/** Returns figures that a formula gives another value. If the projections make the document differently, that was reported already. */
const figureDifferences = (stored: BookRow, figures: BookRow, reported: readonly Found[]): readonly Found[] =>
  Object.keys(figures)
    .filter((field) => !isDeepStrictEqual(stored[field] ?? null, figures[field] ?? null) && !reported.some((one) => one.field === field))
    .map((field) => ({ field, ...printableDifference(field, stored[field], figures[field]) }))

const withoutDocument = (collection: string, recounted: BookRow | undefined): Found => ({
  field: null,
  stored: collection,
  recounted: recounted && toPrintable(recounted, ''),
})

/** Returns the differences of one id. `isCounted` means that formulas give figures for every document of the collection. */
const differencesOf = ({ stored, folded, figures }: Compare, isCounted: boolean): readonly Found[] => {
  const recounted = folded?.row
  if (stored === undefined) {
    const expected = recounted ?? figures
    return expected === undefined ? [] : [{ field: null, stored: undefined, recounted: toPrintable(expected, '') }]
  }
  const { position, isTombstone, document } = stored
  const derived = stored.deviations.map(({ part, stored: storedPart, made }) => ({
    field: part,
    ...printableDifference(part.replace(/^column f_/, ''), storedPart, made),
  }))
  const place = folded && folded.position !== position ? [{ field: 'position', stored: position, recounted: folded.position }] : []
  if (isTombstone) {
    const isRight = recounted === undefined && folded !== undefined && folded.position !== ''
    return isRight ? [...derived, ...place] : [...derived, withoutDocument(`a tombstone of ${position}`, recounted)]
  }
  if (recounted === undefined)
    return [...derived, { field: null, stored: document ? toPrintable(document, '') : 'no document', recounted: undefined }]
  if (document === undefined) return [...derived, { field: 'body', stored: 'no document', recounted: toPrintable(recounted, '') }, ...place]
  const body = bodyDifferences(document, recounted)
  if (isCounted && !figures) return [...derived, { field: null, stored: toPrintable(document, ''), recounted: undefined }]
  return [...derived, ...body, ...(figures ? figureDifferences(document, figures, body) : []), ...place]
}

/**
 * Returns the position of all stored documents; undefined if there are none. `awaited` waits for a running service to write up to there.
 */
export type PositionOfDocuments = (awaited?: Position) => Promise<Position | undefined>

type StoredPage = { readonly rows: readonly StoredRow[]; readonly position: Position; readonly isLast: boolean }

/** Reads rows and their position of the same moment. If something was written meanwhile, it reads again, and fewer rows. */
const readPage = async (
  stored: DocumentStore,
  standing: PositionOfDocuments,
  collection: Collection<Document>,
  after: string | undefined,
): Promise<StoredPage> => {
  for (let size = MAX_PAGE_DOCUMENTS; ; size = Math.max(1, Math.floor(size / 2))) {
    const position = await standing()
    const rows = await stored.inspect(collection, after, size)
    if (position === undefined) throw new Error('the read models were removed')
    if ((await standing()) === position) return { rows, position, isLast: rows.length < size }
  }
}

/** Yields the rows with the same id of several lists, in the order of their ids. */
async function* merge(stored: readonly StoredRow[], folded: AsyncIterator<LedgerRow>, figures: AsyncIterator<LedgerRow>) {
  let n = 0
  let [fold, sums] = [await folded.next(), await figures.next()]
  for (;;) {
    const row = stored[n]
    const ids = [row?.id, fold.done ? undefined : fold.value.id, sums.done ? undefined : sums.value.id].filter((id) => id !== undefined)
    const [id] = ids.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    if (id === undefined) return
    const compared: Compare & { readonly id: string } = {
      id,
      stored: row?.id === id ? row : undefined,
      folded: fold.value?.id === id ? fold.value : undefined,
      figures: sums.value?.id === id ? sums.value.row : undefined,
    }
    yield compared
    if (compared.stored) n += 1
    if (compared.folded) fold = await folded.next()
    if (sums.value?.id === id) sums = await figures.next()
  }
}

/**
 * Yields every difference between a collection as it is stored and as the events make it, page by page. Writers may go on meanwhile, since
 * each page is compared as of its own position. Returns the number of documents looked at.
 */
export async function* compare(
  stored: DocumentStore,
  standing: PositionOfDocuments,
  recount: Pick<Recount, 'advance' | 'documents' | 'figures'>,
  collection: Collection<Document>,
): AsyncGenerator<Finding | Compared, number> {
  const { name } = collection
  let documents = 0
  for (let after: string | undefined; ; ) {
    const { rows, position, isLast } = await readPage(stored, standing, collection, after)
    const end = isLast ? undefined : rows.at(-1)?.id
    documents += rows.filter(({ isTombstone }) => !isTombstone).length
    yield* recount.advance(position)
    const lists = [rows, recount.documents(name, after, end), recount.figures(name, after, end)] as const
    for await (const { id, ...compared } of merge(...lists)) {
      for (const { isErasure = false, ...difference } of differencesOf(compared, hasFigures(name)))
        yield { finding: { kind: 'document', collection: name, id, ...difference }, isErasure, position }
    }
    if (isLast) return documents
    after = end
  }
}
