import { type CommentDocument, comments } from '../../projections/comments.ts'
import { type LinkDocument, links } from '../../projections/links.ts'
import type { Audience } from '../domain/audience.ts'
import { CommentId, LinkId, type ThingId } from '../domain/ids.ts'
import { linkOrders, type ThingSort, thingSorts } from '../domain/link-sorts.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { listingIndex } from '../ports/indexed.ts'
import { LINKS_OF_AUTHOR, type ListedLinks, oneOrIn, overAudiences, perSort } from './links.ts'
import { listBy, mergeSources, type OrderedSource } from './ordered-source.ts'

const COMMENTS_OF_AUTHOR = perSort(thingSorts, (order) => listingIndex(comments, ['author', 'audience', 'deleted'], order))
/** Finds an author's comments for any audience, newest first. */
export const ALL_COMMENTS_OF_AUTHOR = listingIndex(comments, ['author', 'deleted'], linkOrders.new)
const NEW_COMMENTS = listingIndex(comments, ['audience', 'deleted', 'isRemoved'], linkOrders.new)
const NEW_COMMENTS_IN_SUBSITE = listingIndex(comments, ['subsite', 'deleted', 'isRemoved'], linkOrders.new)

export type ThingDocument = LinkDocument | CommentDocument

export const isLink = (thing: ThingDocument): thing is LinkDocument => 'title' in thing

/** Returns links and comments by their fullnames. */
export const thingsById = async (documents: DocumentStore, ids: readonly ThingId[]): Promise<ReadonlyMap<ThingId, ThingDocument>> => {
  const [posts, replies] = await Promise.all([
    documents.getMany(links, ids.filter(LinkId.is)),
    documents.getMany(comments, ids.filter(CommentId.is)),
  ])
  return new Map<ThingId, ThingDocument>([...posts, ...replies])
}

/** Lists an account's posts for these audiences that it did not delete, in the order of a sort. */
export const listPosts = (
  documents: DocumentStore,
  author: string,
  kinds: 'links' | 'comments' | 'both',
  sort: ThingSort,
  audiences: readonly Audience[],
): OrderedSource<ThingDocument> => {
  const where = { author, audience: oneOrIn(audiences), deleted: false }
  const ofLinks = listBy(documents, LINKS_OF_AUTHOR[sort], where) as OrderedSource<ThingDocument>
  const ofComments = listBy(documents, COMMENTS_OF_AUTHOR[sort], where) as OrderedSource<ThingDocument>
  return kinds === 'links' ? ofLinks : kinds === 'comments' ? ofComments : mergeSources([ofLinks, ofComments], linkOrders[sort])
}

/**
 * Lists the comments of a listing, newest first, without removed and deleted ones; for `authors` only without deleted ones. Except in
 * subsites, they are those for these audiences.
 */
export const newComments = (
  documents: DocumentStore,
  listed: ListedLinks,
  audiences: readonly Audience[],
): OrderedSource<CommentDocument> => {
  const order = linkOrders.new
  if (listed.kind === 'authors') {
    const where = { author: oneOrIn(listed.ids), deleted: false }
    return overAudiences(audiences, order, (audience) => listBy(documents, COMMENTS_OF_AUTHOR.new, { ...where, audience }))
  }
  const shown = { deleted: false, isRemoved: false }
  return listed.kind === 'subsites'
    ? listBy(documents, NEW_COMMENTS_IN_SUBSITE, { subsite: oneOrIn(listed.ids), ...shown })
    : listBy(documents, NEW_COMMENTS, { audience: oneOrIn(audiences), ...shown })
}
