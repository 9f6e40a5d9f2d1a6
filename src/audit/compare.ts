import canonicalize from 'canonicalize'
import type { Collection, Document, DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import type { Finding } from './finding.ts'

const LARGEST_PAGE = 1_000

const differencesOf = (collection: string, stored: Document, recomputed: Document): readonly Finding[] => {
  const left = stored as Readonly<Record<string, unknown>> & Document
  const right = recomputed as Readonly<Record<string, unknown>> & Document
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .filter((field) => canonicalize(left[field]) !== canonicalize(right[field]))
    .map((field) => ({ kind: 'document', collection, id: stored.id, field, stored: left[field], recomputed: right[field] }))
}

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
    if (position === undefined) throw new Error('the read models have gone')
    if ((await standing()) === position) return { found, position, last: found.length < size }
  }
}

/** The documents after one id up to another; to the end without the latter. */
const range = async (documents: DocumentStore, collection: Collection<Document>, after: string | undefined, upTo: string | undefined) => {
  const all: Document[] = []
  for (let from = after; ; ) {
    const page = await documents.walk(collection, from, LARGEST_PAGE)
    const within = upTo === undefined ? page : page.filter(({ id }) => Buffer.compare(Buffer.from(id), Buffer.from(upTo)) <= 0)
    all.push(...within)
    from = page.at(-1)?.id
    if (within.length < LARGEST_PAGE) return all
  }
}

export type Scratch = {
  readonly documents: DocumentStore
  /** Bring the recomputed documents to a position of the log. */
  readonly advance: (position: Position) => Promise<void>
}

/**
 * Every difference between a collection as it is stored and as it is recomputed, page by page; writers may go on meanwhile, since
 * each page is compared as of its own position. Ends with the number of documents looked at.
 */
export async function* compare(
  stored: DocumentStore,
  standing: Standing,
  scratch: Scratch,
  collection: Collection<Document>,
): AsyncGenerator<Finding, number> {
  const name = collection.name
  let looked = 0
  for (let after: string | undefined; ; ) {
    const { found, position, last } = await pageOf(stored, standing, collection, after)
    const end = last ? undefined : found.at(-1)?.id
    looked += found.length
    await scratch.advance(position)
    const recomputed = new Map((await range(scratch.documents, collection, after, end)).map((document) => [document.id, document]))
    for (const document of found) {
      const other = recomputed.get(document.id)
      recomputed.delete(document.id)
      if (other) yield* differencesOf(name, document, other)
      else yield { kind: 'document', collection: name, id: document.id, field: null, stored: document, recomputed: undefined }
    }
    for (const [id, document] of recomputed) {
      yield { kind: 'document', collection: name, id, field: null, stored: undefined, recomputed: document }
    }
    if (last) return looked
    after = end
  }
}
