import {
  accountsOf,
  type Comment,
  CommentApproved,
  CommentDistinguished,
  type CommentEvent,
  CommentRemoved,
  CommentReportsIgnored,
  CommentReportsUnignored,
  type Notified,
  targetOf,
} from './comment.ts'
import type { Decide } from './decision.ts'
import type { Distinction } from './distinction.ts'
import type { AccountId } from './ids.ts'
import type { Link } from './link.ts'
import { distinguishing, moderation } from './thing-moderation.ts'

const verdictOn = (comment: Comment) => ({
  subsite: comment.subsite,
  target: targetOf(comment),
  link: comment.link,
  before: comment.removed,
  notified: accountsOf(comment.notified),
})

export const {
  remove: removeComment,
  approve: approveComment,
  ignoreReports: ignoreCommentReports,
  unignoreReports: unignoreCommentReports,
} = moderation<Comment, ReturnType<typeof verdictOn>, CommentEvent>({
  targetOf,
  verdictOn,
  removed: CommentRemoved,
  approved: CommentApproved,
  reportsIgnored: CommentReportsIgnored,
  reportsUnignored: CommentReportsUnignored,
})

/** The first time a top-level comment is distinguished, it enters the inbox of the link's author, unless it did when it was posted. */
const notifiedFirst = (comment: Comment, thread: Pick<Link, 'deleted'>): Notified => {
  const { linkAuthor, author, parent, wasDistinguished, notified } = comment
  const isTold = linkAuthor === author || notified.some(({ account }) => account === linkAuthor)
  return wasDistinguished || parent !== null || isTold || thread.deleted ? [] : [{ account: linkAuthor, reason: 'post_reply' }]
}

export const distinguishComment = (
  account: AccountId,
  thread: Pick<Link, 'deleted'>,
  after: Distinction | null,
): Decide<Comment, CommentEvent> =>
  distinguishing(account, after, (comment, change) => {
    const { subsite, removed } = comment
    return CommentDistinguished({ subsite, target: targetOf(comment), ...change, notified: notifiedFirst(comment, thread), removed })
  })
