import { type Audience, recordedAudience } from './audience.ts'
import {
  accountsOf,
  type Comment,
  CommentApproved,
  CommentDistinguished,
  CommentErased,
  type CommentEvent,
  CommentRemoved,
  CommentReportsIgnored,
  CommentReportsUnignored,
  type Notified,
  targetOf,
} from './comment.ts'
import { type Decide, refuse } from './decision.ts'
import type { Distinction } from './distinction.ts'
import type { AccountId } from './ids.ts'
import type { Link } from './link.ts'
import { mayLead } from './sticky-comment.ts'
import { distinguishing, erasing, moderation } from './thing-moderation.ts'

const verdictOn = (comment: Comment) => ({
  subsite: comment.subsite,
  target: targetOf(comment),
  link: comment.link,
  before: comment.removed,
  notified: accountsOf(comment.notified),
})

export const commentModeration = moderation<Comment, ReturnType<typeof verdictOn>, CommentEvent>({
  targetOf,
  verdictOn,
  removed: CommentRemoved,
  approved: CommentApproved,
  reportsIgnored: CommentReportsIgnored,
  reportsUnignored: CommentReportsUnignored,
})
export const {
  remove: removeComment,
  approve: approveComment,
  ignoreReports: ignoreCommentReports,
  unignoreReports: unignoreCommentReports,
} = commentModeration

export const eraseComment = (reason: string): Decide<Comment, CommentEvent> =>
  erasing(({ subsite, id, author, link }) => CommentErased({ subsite, target: { id, author, link }, reason }))

/** The first time a top-level comment is distinguished, it enters the inbox of the link's author, unless it did when it was posted. */
const notifiedFirst = (comment: Comment, thread: Pick<Link, 'deleted'>): Notified => {
  const { linkAuthor, author, parent, wasDistinguished, notified } = comment
  const isTold = linkAuthor === author || notified.some(({ account }) => account === linkAuthor)
  return wasDistinguished || parent !== null || isTold || thread.deleted ? [] : [{ account: linkAuthor, reason: 'post_reply' }]
}

/** `sticky`: the same request stickies it next, so that what cannot be sticky is refused before anything is recorded. */
export const distinguishComment =
  (
    account: AccountId,
    thread: Pick<Link, 'deleted'>,
    {
      after,
      sticky = false,
      audience = 'everybody',
    }: { readonly after: Distinction | null; readonly sticky?: boolean; readonly audience?: Audience },
  ): Decide<Comment, CommentEvent> =>
  (state) => {
    if (state && !state.deleted && sticky && !mayLead(state)) return refuse('COMMENT_NOT_STICKYABLE', 'sticky')
    return distinguishing<Comment, CommentEvent>(account, after, (comment, change) => {
      const { subsite, removed } = comment
      const notified = notifiedFirst(comment, thread)
      const recorded = notified.length > 0 && recordedAudience(audience)
      return CommentDistinguished({ subsite, target: targetOf(comment), ...change, notified, removed, ...recorded })
    })(state)
  }
