import { type CommentDocument, comments } from '../../projections/comments.ts'
import { type LinkDocument, links } from '../../projections/links.ts'
import { CommentId, LinkId, type ThingId } from '../domain/ids.ts'
import type { DocumentStore, Filter } from '../ports/documents.ts'
import { oneOrIn, orderOf, type Scope, type Sort } from './links.ts'
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

/** What an account posted and did not delete, in the order of a sort. */
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

const commentsOf = (scope: Scope): Filter => {
  if (scope.kind === 'authors') return { author: oneOrIn(scope.ids), deleted: false }
  return { ...(scope.kind === 'subsites' && { subsite: oneOrIn(scope.ids) }), deleted: false, isRemoved: false }
}

/** The comments of a scope, newest first. Removed and deleted ones are left out; for `authors` only deleted ones. */
export const newComments = (documents: DocumentStore, scope: Scope): Source<CommentDocument> =>
  found(documents, comments, commentsOf(scope), orderOf.new)
