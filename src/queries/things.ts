import { type CommentDocument, comments } from '../../projections/comments.ts'
import { type LinkDocument, links } from '../../projections/links.ts'
import type { Audience } from '../domain/audience.ts'
import { CommentId, LinkId, type ThingId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { oneOrIn, orderOf, overAudiences, type Scope, type Sort } from './links.ts'
import { found, merged, type Source } from './walk.ts'

export type ThingDocument = LinkDocument | CommentDocument

export const isLink = (thing: ThingDocument): thing is LinkDocument => 'title' in thing

/** Links and comments by their fullnames. */
export const thingsById = async (documents: DocumentStore, ids: readonly ThingId[]): Promise<ReadonlyMap<ThingId, ThingDocument>> => {
  const [posts, replies] = await Promise.all([
    documents.getMany(links, ids.filter(LinkId.is)),
    documents.getMany(comments, ids.filter(CommentId.is)),
  ])
  return new Map<ThingId, ThingDocument>([...posts, ...replies])
}

/** What an account posted for these audiences and did not delete, in the order of a sort. */
export const postedBy = (
  documents: DocumentStore,
  author: string,
  what: 'links' | 'comments' | 'both',
  sort: Sort,
  audiences: readonly Audience[],
): Source<ThingDocument> => {
  const order = orderOf[sort]
  const where = { author, audience: oneOrIn(audiences), deleted: false }
  const ofLinks: Source<ThingDocument> = found<ThingDocument>(documents, links, where, order)
  const ofComments: Source<ThingDocument> = found<ThingDocument>(documents, comments, where, order)
  return what === 'links' ? ofLinks : what === 'comments' ? ofComments : merged([ofLinks, ofComments], order)
}

/** The comments of a scope, newest first; but in subsites, those for these audiences. Removed and deleted ones are left out; for `authors` only deleted ones. */
export const newComments = (documents: DocumentStore, scope: Scope, audiences: readonly Audience[]): Source<CommentDocument> => {
  const order = orderOf.new
  if (scope.kind === 'authors') {
    const where = { author: oneOrIn(scope.ids), deleted: false }
    return overAudiences(audiences, order, (audience) => found(documents, comments, { ...where, audience }, order))
  }
  const place = scope.kind === 'subsites' ? { subsite: oneOrIn(scope.ids) } : { audience: oneOrIn(audiences) }
  return found(documents, comments, { ...place, deleted: false, isRemoved: false }, order)
}
