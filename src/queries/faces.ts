import type { CommentDocument } from '../../projections/comments.ts'
import type { LinkDocument } from '../../projections/links.ts'
import type { Around } from './around.ts'

/* How much of a link or a comment its viewer is shown. */

/** In the place of a text that was removed. */
export const REMOVED_PLACEHOLDER = '[removed]'

type Viewing = Pick<Around, 'moderates'> & { readonly viewer: Pick<Around['viewer'], 'account'> }

/** Whether a comment is shown whole, or as a placeholder for a deleted or removed one. */
export type Face = 'whole' | 'deleted' | 'removed'

/** Removed things are shown to their author, to moderators there and to admins; deleted ones to nobody. */
export const faceOf = (
  { removed, deleted, author, subsite }: Pick<CommentDocument, 'removed' | 'deleted' | 'author' | 'subsite'>,
  { viewer, moderates }: Viewing,
): Face => {
  if (removed !== null && author !== viewer.account && !moderates(subsite)) return 'removed'
  return deleted ? 'deleted' : 'whole'
}

/** Whether a link's text is withheld from the viewer, because it was removed. */
export const isRedacted = (
  { removed, author, subsite }: Pick<LinkDocument, 'removed' | 'author' | 'subsite'>,
  { viewer, moderates }: Viewing,
): boolean => removed !== null && author !== viewer.account && !moderates(subsite)
