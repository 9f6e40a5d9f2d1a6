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
import { type Decide, nothing, record, refuse } from './decision.ts'
import type { Distinction } from './distinction.ts'
import type { AccountId } from './ids.ts'
import { ignoringReports } from './ignored-reports.ts'
import type { Link } from './link.ts'

const verdictOn = (comment: Comment) => ({
  subsite: comment.subsite,
  target: targetOf(comment),
  link: comment.link,
  before: comment.removed,
  notified: accountsOf(comment.notified),
})

/** Each removal is a decision and an event, also if the comment was already removed. */
export const removeComment =
  (spam: boolean): Decide<Comment, CommentEvent> =>
  (comment) => {
    if (!comment) return refuse('FORBIDDEN')
    return comment.deleted ? nothing : record(CommentRemoved({ ...verdictOn(comment), spam }))
  }

/** Each approval is a decision and an event, also if the comment was not removed. */
export const approveComment: Decide<Comment, CommentEvent> = (comment) => {
  if (!comment) return refuse('FORBIDDEN')
  return comment.deleted ? nothing : record(CommentApproved(verdictOn(comment)))
}

export const { ignore: ignoreCommentReports, heed: unignoreCommentReports } = ignoringReports<Comment, CommentEvent>(targetOf, {
  ignored: CommentReportsIgnored,
  heeded: CommentReportsUnignored,
})

/** The first time a top-level comment is distinguished, it enters the inbox of the link's author, unless it did when it was posted. */
const notifiedFirst = (comment: Comment, thread: Pick<Link, 'deleted'>): Notified => {
  const { linkAuthor, author, parent, wasDistinguished, notified } = comment
  const isTold = linkAuthor === author || notified.some(({ account }) => account === linkAuthor)
  return wasDistinguished || parent !== null || isTold || thread.deleted ? [] : [{ account: linkAuthor, reason: 'post_reply' }]
}

/** For the author only; the permission to be distinguished has been checked. */
export const distinguishComment =
  (account: AccountId, thread: Pick<Link, 'deleted'>, after: Distinction | null): Decide<Comment, CommentEvent> =>
  (comment) => {
    if (!comment || comment.deleted) return refuse('NOT_FOUND')
    if (comment.author !== account) return refuse('FORBIDDEN')
    const { distinguished: before, subsite, removed } = comment
    if (before === after) return nothing
    const notified = notifiedFirst(comment, thread)
    return record(CommentDistinguished({ subsite, target: targetOf(comment), before, after, notified, removed }))
  }
