import * as t from 'io-ts'
import { type Comment, targetOf } from './comment.ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { event, type OneOf } from './event.ts'
import { LinkId, SubsiteId } from './ids.ts'
import { type Origin, type OriginTest, originOf } from './origin.ts'
import { Target } from './target.ts'

const place = { subsite: SubsiteId, link: LinkId, target: Target }

/** The comment becomes the sticky comment of its link. */
export const CommentStickied = event('CommentStickied', place)
/**
 * `asked`: by a moderator, also by making it plain again; `replaced`: another comment took its place; `removed`: the comment was removed.
 * These are log entries. `deleted`: its author deleted it, which is not a moderation action.
 */
export const CommentUnstickied = event('CommentUnstickied', {
  ...place,
  reason: t.keyof({ asked: null, replaced: null, removed: null, deleted: null }),
})
export const stickyCommentEvents = [CommentStickied, CommentUnstickied] as const
export type StickyCommentEvent = OneOf<typeof stickyCommentEvents>

/** The sticky comment of a link, on `stickycomment-<link>`, and the event that set it. */
export type StickyComment = { readonly stickied: { readonly target: Target; readonly origin: Origin } | null }

export const StickyComment: Aggregate<StickyComment, StickyCommentEvent> = {
  category: 'stickycomment',
  subsiteOf: (id) => id,
  on: {
    // its text is read from the comment itself, which may have been edited since
    CommentStickied: (_, { target: { id, author }, link }, envelope) => ({
      stickied: { target: { id, author, link }, origin: originOf(envelope) },
    }),
    CommentUnstickied: () => ({ stickied: null }),
  },
  decidedByLast: true,
}

export const isStickied = (sticky: StickyComment | undefined, comment: string): boolean => sticky?.stickied?.target.id === comment

/** Only a top-level comment that is neither removed nor deleted can be sticky. */
export const mayLead = ({ parent, removed, deleted }: Comment): boolean => parent === null && !removed && !deleted

/** Nothing for a comment that its author has made plain since it was distinguished. `displaced`: the current sticky comment, as it is now. */
export const stickyComment =
  (comment: Comment, displaced?: Comment): Decide<StickyComment, StickyCommentEvent> =>
  (state) => {
    if (!mayLead(comment)) return refuse('COMMENT_NOT_STICKYABLE', 'sticky')
    if (comment.distinguished === null || isStickied(state, comment.id)) return nothing
    const { subsite, link } = comment
    const stickied = CommentStickied({ subsite, link, target: targetOf(comment) })
    const former = state?.stickied?.target
    if (!former) return record(stickied)
    const target = displaced?.id === former.id ? targetOf(displaced) : former
    return record<StickyCommentEvent>(CommentUnstickied({ subsite, link, target, reason: 'replaced' }), stickied)
  }

/** Unsticky a comment, if it is sticky; `which` restricts it to one event that made it sticky. */
export const unstickyComment =
  (comment: Comment, reason: 'asked' | 'removed' | 'deleted', which: OriginTest = () => true): Decide<StickyComment, StickyCommentEvent> =>
  (state) => {
    const { subsite, link } = comment
    const stickied = isStickied(state, comment.id) ? state?.stickied : undefined
    return stickied && which(stickied.origin) ? record(CommentUnstickied({ subsite, link, target: targetOf(comment), reason })) : nothing
  }
