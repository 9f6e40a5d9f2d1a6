import { type CommentDocument, comments } from '../../projections/comments.ts'
import { type LinkDocument, links } from '../../projections/links.ts'
import { kindOf, type ThingId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { orderOf, type Sort } from './links.ts'
import { found, merged, type Source } from './walk.ts'

export type ThingDocument = LinkDocument | CommentDocument

export const isLink = (thing: ThingDocument): thing is LinkDocument => 'title' in thing

const SLICE = 1000

/** Links and comments by their fullnames. */
export const thingsById = async (documents: DocumentStore, ids: readonly ThingId[]): Promise<ReadonlyMap<ThingId, ThingDocument>> => {
  const known = new Map<ThingId, ThingDocument>()
  const of = (kind: 'link' | 'comment') => ids.filter((id) => kindOf(id) === kind)
  const inSlices = (names: readonly string[]) =>
    Array.from({ length: Math.ceil(names.length / SLICE) }, (_, n) => names.slice(n * SLICE, (n + 1) * SLICE))
  for (const slice of inSlices(of('link'))) for (const [id, link] of await documents.getMany(links, slice)) known.set(id, link)
  for (const slice of inSlices(of('comment'))) for (const [id, comment] of await documents.getMany(comments, slice)) known.set(id, comment)
  return known
}

/** What somebody posted and did not delete, in the order of a sort. */
export const postedBy = (
  documents: DocumentStore,
  author: string,
  what: 'links' | 'comments' | 'both',
  sort: Sort,
): Source<ThingDocument> => {
  const order = orderOf[sort]
  const where = { author, deleted: false }
  const ofLinks: Source<ThingDocument> = found<ThingDocument>(documents, links, where, order)
  const ofComments: Source<ThingDocument> = found<ThingDocument>(documents, comments, where, order)
  return what === 'links' ? ofLinks : what === 'comments' ? ofComments : merged([ofLinks, ofComments], order)
}
