import * as E from 'fp-ts/lib/Either.js'
import { audienceOf, recordedAudience } from './audience.ts'
import { type Comment, type CommentEvent, CommentPosted, type Notified, type Reason } from './comment.ts'
import { type Decide, nothing, record, refuse } from './decision.ts'
import type { AccountId, CommentId } from './ids.ts'
import { isArchived, type Link } from './link.ts'
import type { Refusal } from './refusal.ts'
import { isModerator, may, type Standing } from './standing.ts'
import type { Subsite } from './subsite.ts'
import { isFiltered, mayComment } from './subsite-access.ts'
import { checkText, limits } from './text.ts'

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
  /** The comment's author blocks the author of the parent. */
  readonly blocksParent?: boolean
  /** The author of the parent blocks the comment's author. */
  readonly blockedByParent?: boolean
  /** Why the author must wait. */
  readonly wait: Refusal | undefined
}

const isGone = (parent: Comment, author: AccountId, standing: Standing) =>
  parent.deleted || (parent.removed && parent.author !== author && !isModerator(standing) && !standing.admin)

/** Why a reply is refused, to all or to this author. The rule: only its moderators may comment on a locked link. */
const parentRefusal = ({ thread, parent, author, standing, at, blocksParent = false }: CommentFacts): Refusal | undefined => {
  if (parent && isGone(parent, author, standing)) return { code: 'DELETED_COMMENT', field: 'parent' }
  if (isArchived(thread.created, at)) return { code: 'TOO_OLD', field: 'parent' }
  if (blocksParent) return { code: 'USER_BLOCKED', field: 'parent' }
  if (thread.locked && !may(standing, 'posts')) return { code: 'THREAD_LOCKED', field: 'parent' }
  return undefined
}

/** The author of the parent, unless they block the comment's author, then the accounts mentioned; each once, never the comment's author. */
const notifiedBy = ({ thread, parent, author, mentioned, blockedByParent = false }: CommentFacts): Notified => {
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

/** A new comment; only the first error is returned. */
export const postComment =
  (facts: CommentFacts, body: string): Decide<Comment, CommentEvent> =>
  (existing) => {
    if (existing) return nothing
    const { comment, author, thread, parent, subsite, standing } = facts
    const misplaced = parentRefusal(facts)
    if (!misplaced && !mayComment(subsite.settings.type, standing)) return refuse('FORBIDDEN')
    const refused = checkText(body, limits.comment, 'text') ?? facts.wait ?? misplaced
    if (refused) return E.left(refused)
    return record(
      CommentPosted({
        comment,
        link: thread.id,
        subsite: thread.subsite,
        author,
        linkAuthor: thread.author,
        parent: parent?.id ?? null,
        body,
        filtered: isFiltered(subsite.settings.spam_comments, standing),
        notified: notifiedBy(facts),
        ...recordedAudience(audienceOf(thread.subsite, subsite.settings)),
      }),
    )
  }
