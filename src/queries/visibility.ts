import type { CommentDocument } from '../../projections/comments.ts'
import type { LinkDocument } from '../../projections/links.ts'
import type { ThingSurroundings } from './surroundings.ts'

/* Decides how much of a link or a comment its viewer is shown. */

/** Stands in the place of a text that was removed. */
export const REMOVED_PLACEHOLDER = '[removed]'

type Viewing = Pick<ThingSurroundings, 'moderates'> & { readonly viewer: Pick<ThingSurroundings['viewer'], 'account'> }

/** The way a comment is shown: whole, or as a placeholder for a deleted or removed one. */
export type CommentVisibility = 'whole' | 'deleted' | 'removed'

/**
 * Returns the way a comment is shown. Removed things are shown to their author, to moderators there and to admins; deleted ones to nobody.
 */
export const visibilityOf = (
  { removed, deleted, author, subsite }: Pick<CommentDocument, 'removed' | 'deleted' | 'author' | 'subsite'>,
  { viewer, moderates }: Viewing,
): CommentVisibility => {
  if (removed !== null && author !== viewer.account && !moderates(subsite)) return 'removed'
  return deleted ? 'deleted' : 'whole'
}

/** Tells whether a link's text is withheld from the viewer, because it was removed. */
export const isRedacted = (
  { removed, author, subsite }: Pick<LinkDocument, 'removed' | 'author' | 'subsite'>,
  { viewer, moderates }: Viewing,
): boolean => removed !== null && author !== viewer.account && !moderates(subsite)
