// Decision 88.

import { type Comment, toCommentTarget } from './comment.ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf } from './event.ts'
import { LinkId } from './ids.ts'
import { actOnThing, unstickyReason } from './moderated-thing.ts'
import { type Origin, type OriginTest, originOf } from './origin.ts'
import type { Target } from './target.ts'

const place = { ...actOnThing, link: field(LinkId, 'The link that it stands under.', 'public') }

export const CommentStickied = event('CommentStickied', 'A moderator made a comment of theirs the first one under its link.', place, {
  by: 'public',
})
export const CommentUnstickied = event(
  'CommentUnstickied',
  'A comment is no longer the first one under its link.',
  { ...place, reason: unstickyReason },
  { by: 'public' },
)
export const stickyCommentEvents = [CommentStickied, CommentUnstickied] as const
export type StickyCommentEvent = OneOf<typeof stickyCommentEvents>

/** The sticky comment of a link, on `stickycomment-<link>`, and the event that set it. */
export type StickyComment = { readonly stickied: { readonly target: Target; readonly origin: Origin } | null }

export const StickyComment: Aggregate<StickyComment, StickyCommentEvent> = {
  category: 'stickycomment',
  subsiteOf: (id) => id,
  on: {
    // the text is read from the comment itself, which may have been edited since
    CommentStickied: (_, { target: { id, author }, link }, envelope) => ({
      stickied: { target: { id, author, link }, origin: originOf(envelope) },
    }),
    CommentUnstickied: () => ({ stickied: null }),
  },
  decidedByLast: true,
}

export const isStickied = (sticky: StickyComment | undefined, comment: string): boolean => sticky?.stickied?.target.id === comment

/** Tells whether a comment can be sticky: only a top-level comment that is neither removed nor deleted. */
export const mayLead = ({ parent, removed, deleted }: Comment): boolean => parent === null && !removed && !deleted

/**
 * Stickies a comment. It changes nothing if the author has made the comment plain since it was distinguished. `displaced` is the current
 * sticky comment, as it is now.
 */
export const stickyComment =
  (comment: Comment, displaced?: Comment): Decide<StickyComment, StickyCommentEvent> =>
  (state) => {
    if (!mayLead(comment)) return refuse('COMMENT_NOT_STICKYABLE', 'sticky')
    if (comment.distinguished === null || isStickied(state, comment.id)) return noEvents
    const { subsite, link } = comment
    const stickied = CommentStickied({ subsite, link, target: toCommentTarget(comment) })
    const former = state?.stickied?.target
    if (!former) return decideEvents(stickied)
    const target = displaced?.id === former.id ? toCommentTarget(displaced) : former
    return decideEvents<StickyCommentEvent>(CommentUnstickied({ subsite, link, target, reason: 'replaced' }), stickied)
  }

/** Unstickies a comment, if it is sticky. `which` limits it to stickies of certain events. */
export const unstickyComment =
  (comment: Comment, reason: 'asked' | 'removed' | 'deleted', which: OriginTest = () => true): Decide<StickyComment, StickyCommentEvent> =>
  (state) => {
    const { subsite, link } = comment
    const stickied = isStickied(state, comment.id) ? state?.stickied : undefined
    return stickied && which(stickied.origin)
      ? decideEvents(CommentUnstickied({ subsite, link, target: toCommentTarget(comment), reason }))
      : noEvents
  }
