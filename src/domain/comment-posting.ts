// Decision 21.

import * as E from 'fp-ts/lib/Either.js'
import { audienceOf, toRecordedAudience } from './audience.ts'
import { type Comment, type CommentEvent, CommentPosted, type Notified, type Reason } from './comment.ts'
import { type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import type { AccountId, CommentId } from './ids.ts'
import { isArchived, type Link } from './link.ts'
import type { Refusal } from './refusal.ts'
import { isModerator, may, type Standing } from './standing.ts'
import type { Subsite } from './subsite.ts'
import { isFiltered, mayComment } from './subsite-access.ts'
import { checkMarkdown, limits } from './text-limits.ts'

/** Facts that commenting depends on, loaded from the log. */
export type CommentFacts = {
  readonly comment: CommentId
  readonly author: AccountId
  readonly at: number
  readonly thread: Link
  /** The parent comment; undefined for a top-level comment. */
  readonly parent: Comment | undefined
  readonly subsite: Pick<Subsite, 'settings'>
  readonly standing: Standing
  /** Mentioned accounts that may be notified. */
  readonly mentioned: readonly AccountId[]
  /** True if the comment's author blocks the author of the parent. */
  readonly blocksParent?: boolean
  /** True if the author of the parent blocks the comment's author. */
  readonly blockedByParent?: boolean
  /** The refusal of an author who must wait. */
  readonly wait: Refusal | undefined
}

const isGone = (parent: Comment, author: AccountId, standing: Standing) =>
  parent.deleted || (parent.removed && parent.author !== author && !isModerator(standing) && !standing.admin)

/** Returns the refusal of a reply, to everybody or to this author. On a locked link only its moderators may comment. */
const parentRefusal = ({ thread, parent, author, standing, at, blocksParent = false }: CommentFacts): Refusal | undefined => {
  if (parent && isGone(parent, author, standing)) return { code: 'DELETED_COMMENT', field: 'parent' }
  if (isArchived(thread.created, at)) return { code: 'TOO_OLD', field: 'parent' }
  if (blocksParent) return { code: 'USER_BLOCKED', field: 'parent' }
  if (thread.locked && !may(standing, 'posts')) return { code: 'THREAD_LOCKED', field: 'parent' }
  return undefined
}

/**
 * Returns the author of the parent, unless they block the comment's author, and then the accounts mentioned. Each is named once, the
 * comment's author never.
 */
const selectNotified = ({ thread, parent, author, mentioned, blockedByParent = false }: CommentFacts): Notified => {
  const replied: Notified = parent
    ? parent.sendReplies
      ? [{ account: parent.author, reason: 'comment_reply' }]
      : []
    : thread.sendReplies && !thread.deleted
      ? [{ account: thread.author, reason: 'post_reply' }]
      : []
  const recipients = new Map<AccountId, Reason>([...mentioned.map((account) => [account, 'mention'] as const)])
  if (!blockedByParent) for (const { account, reason } of replied) recipients.set(account, reason)
  recipients.delete(author)
  return Array.from(recipients, ([account, reason]) => ({ account, reason }))
}

/** Posts a new comment. Only the first error is returned. */
export const postComment =
  (facts: CommentFacts, body: string): Decide<Comment, CommentEvent> =>
  (existing) => {
    if (existing) return noEvents
    const { comment, author, thread, parent, subsite, standing } = facts
    const misplaced = parentRefusal(facts)
    if (!misplaced && !mayComment(subsite.settings.type, standing)) return refuse('FORBIDDEN')
    const refused = checkMarkdown(body, limits.comment, 'text') ?? facts.wait ?? misplaced
    if (refused) return E.left(refused)
    return decideEvents(
      CommentPosted({
        comment,
        link: thread.id,
        subsite: thread.subsite,
        author,
        linkAuthor: thread.author,
        parent: parent?.id ?? null,
        body,
        filtered: isFiltered(subsite.settings.spam_comments, standing),
        notified: selectNotified(facts),
        ...toRecordedAudience(audienceOf(thread.subsite, subsite.settings)),
      }),
    )
  }
