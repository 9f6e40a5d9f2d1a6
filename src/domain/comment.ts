import { either as E } from 'fp-ts'
import * as t from 'io-ts'
import { isArchived } from './archiving.ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type Distinction, distinctionChange } from './distinction.ts'
import { type EventOf, event, sealed } from './event.ts'
import { AccountId, CommentId, LinkId, SubsiteId } from './ids.ts'
import { actOnThing, ignoringReports } from './ignored-reports.ts'
import type { Link } from './link.ts'
import type { Refusal } from './refusal.ts'
import { isFiltered, isModerator, may, mayComment, type Standing } from './standing.ts'
import type { Subsite } from './subsite.ts'
import { excerptOf, Target } from './target.ts'
import { checkText, limits } from './text.ts'

/** Why a comment is in an inbox. */
const Reason = t.keyof({ comment_reply: null, post_reply: null, mention: null })
export type Reason = t.TypeOf<typeof Reason>
const Notified = t.readonlyArray(t.type({ account: AccountId, reason: Reason }))
export type Notified = t.TypeOf<typeof Notified>

const place = { comment: CommentId, link: LinkId, subsite: SubsiteId, author: AccountId }

/** `notified`: whose inbox it enters, decided with the comment. The author's insightful vote is part of it. */
export const CommentPosted = event('CommentPosted', {
  ...place,
  linkAuthor: AccountId,
  parent: t.union([CommentId, t.null]),
  body: sealed('author'),
  filtered: t.boolean,
  notified: Notified,
})
/** `notified`: newly mentioned; `withdrawn`: mentioned no more. */
export const CommentEdited = event('CommentEdited', {
  ...place,
  body: sealed('author'),
  notified: Notified,
  withdrawn: t.readonlyArray(AccountId),
})
/** `notified`: whose inbox it leaves. */
export const CommentDeleted = event('CommentDeleted', { ...place, notified: t.readonlyArray(AccountId) })
const verdict = { subsite: SubsiteId, target: Target, link: LinkId, before: t.boolean, notified: t.readonlyArray(AccountId) }
/** `notified`: whose inbox it leaves while it is removed; `before`: whether it was removed already. */
export const CommentRemoved = event('CommentRemoved', { ...verdict, spam: t.boolean })
/** `notified`: whose inbox it comes (back) to, as unread as it was. */
export const CommentApproved = event('CommentApproved', verdict)
/** From now on reports do not put it into the queue; the author's next edit ends that, too. */
export const CommentReportsIgnored = event('CommentReportsIgnored', actOnThing)
export const CommentReportsUnignored = event('CommentReportsUnignored', actOnThing)
/** By its author. `notified`: whose inbox it enters, once; `removed`: it is removed and comes into sight there with its approval. */
export const CommentDistinguished = event('CommentDistinguished', {
  ...actOnThing,
  ...distinctionChange,
  notified: Notified,
  removed: t.boolean,
})
export type CommentEvent =
  | EventOf<typeof CommentPosted>
  | EventOf<typeof CommentEdited>
  | EventOf<typeof CommentDeleted>
  | EventOf<typeof CommentRemoved>
  | EventOf<typeof CommentApproved>
  | EventOf<typeof CommentReportsIgnored>
  | EventOf<typeof CommentReportsUnignored>
  | EventOf<typeof CommentDistinguished>

/** Holds its link, subsite and author, so that moderating it costs two reads. */
export type Comment = {
  readonly id: CommentId
  readonly link: LinkId
  readonly linkAuthor: AccountId
  readonly subsite: SubsiteId
  readonly author: AccountId
  readonly parent: CommentId | null
  readonly excerpt: string
  readonly created: number
  readonly notified: Notified
  readonly removed: boolean
  readonly deleted: boolean
  readonly ignoresReports: boolean
  readonly distinguished: Distinction | null
  /** Now or earlier. */
  readonly wasDistinguished: boolean
}

export const Comment: Aggregate<Comment, CommentEvent> = {
  category: 'comment',
  on: {
    CommentPosted: (_, { comment, link, linkAuthor, subsite, author, parent, body, filtered, notified }, { at }) => ({
      id: comment,
      link,
      linkAuthor,
      subsite,
      author,
      parent,
      excerpt: excerptOf(body),
      created: at,
      notified,
      removed: filtered,
      deleted: false,
      ignoresReports: false,
      distinguished: null,
      wasDistinguished: false,
    }),
    CommentEdited: (state, { body, notified, withdrawn }) =>
      state && {
        ...state,
        excerpt: excerptOf(body),
        ignoresReports: false,
        notified: [...state.notified.filter(({ account }) => !withdrawn.includes(account)), ...notified],
      },
    CommentDeleted: (state) => state && { ...state, deleted: true },
    CommentRemoved: (state) => state && { ...state, removed: true },
    CommentApproved: (state) => state && { ...state, removed: false },
    CommentReportsIgnored: (state) => state && { ...state, ignoresReports: true },
    CommentReportsUnignored: (state) => state && { ...state, ignoresReports: false },
    CommentDistinguished: (state, { after, notified }) =>
      state && { ...state, distinguished: after, wasDistinguished: true, notified: [...state.notified, ...notified] },
  },
  text: {
    without: (state) => ({ ...state, excerpt: '' }),
    writtenBy: ['CommentEdited'],
    restored: (state, { excerpt }) => ({ ...state, excerpt }),
  },
}

/** The comment as a moderator's act describes it. */
const targetOf = ({ id, author, excerpt, link }: Comment): Target => ({ id, author, excerpt, link })

/** Facts that commenting depends on, loaded from the log. */
export type CommentFacts = {
  readonly comment: CommentId
  readonly author: AccountId
  readonly at: number
  readonly thread: Link
  /** The comment replied to; undefined for a reply to the link itself. */
  readonly parent: Comment | undefined
  readonly subsite: Pick<Subsite, 'settings'>
  readonly standing: Standing
  /** Accounts mentioned that may be told so. */
  readonly mentioned: readonly AccountId[]
  /** Why the author must wait. */
  readonly wait: Refusal | undefined
}

const isGone = (parent: Comment, author: AccountId, standing: Standing) =>
  parent.deleted || (parent.removed && parent.author !== author && !isModerator(standing) && !standing.admin)

/** Why a reply is refused, to all or to this author. Holds the rule: no comment on a locked link, except by its moderators. */
const parentRefusal = ({ thread, parent, author, standing, at }: CommentFacts): Refusal | undefined => {
  if (parent && isGone(parent, author, standing)) return { code: 'DELETED_COMMENT', field: 'parent' }
  if (isArchived(thread.created, at)) return { code: 'TOO_OLD', field: 'parent' }
  if (thread.locked && !may(standing, 'posts')) return { code: 'THREAD_LOCKED', field: 'parent' }
  return undefined
}

/** The author replied to, then the accounts mentioned; each once, never the author of the comment. */
const notifiedBy = ({ thread, parent, author, mentioned }: CommentFacts): Notified => {
  const replied: Notified = parent
    ? [{ account: parent.author, reason: 'comment_reply' }]
    : thread.sendReplies && !thread.deleted
      ? [{ account: thread.author, reason: 'post_reply' }]
      : []
  const told = new Map<AccountId, Reason>([...mentioned.map((account) => [account, 'mention'] as const)])
  for (const { account, reason } of replied) told.set(account, reason)
  told.delete(author)
  return Array.from(told, ([account, reason]) => ({ account, reason }))
}

/** A new comment; only the first thing wrong with it is refused. */
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
      }),
    )
  }

const placeOf = ({ id, link, subsite, author }: Comment) => ({ comment: id, link, subsite, author })
const accountsOf = (notified: Notified) => notified.map(({ account }) => account)

/** Authors edit their comments, also after a lock, a removal or a ban. Each edit is news; only new mentions are told. */
export const editComment =
  (
    { account, mentioned }: { readonly account: AccountId; readonly mentioned: readonly AccountId[] },
    body: string,
  ): Decide<Comment, CommentEvent> =>
  (comment) => {
    if (!comment || comment.author !== account) return refuse('NOT_AUTHOR', 'thing_id')
    if (comment.deleted) return refuse('FORBIDDEN')
    const refused = checkText(body, limits.comment, 'text')
    if (refused) return E.left(refused)
    const told = new Set(accountsOf(comment.notified))
    const fresh = comment.removed ? [] : mentioned.filter((other) => other !== account && !told.has(other))
    return record(
      CommentEdited({
        ...placeOf(comment),
        body,
        notified: fresh.map((other) => ({ account: other, reason: 'mention' })),
        withdrawn: accountsOf(comment.notified.filter(({ account: other, reason }) => reason === 'mention' && !mentioned.includes(other))),
      }),
    )
  }

/** The author's alone; anybody else's wish changes nothing. */
export const deleteComment =
  (account: AccountId): Decide<Comment, CommentEvent> =>
  (comment) => {
    if (!comment || comment.deleted || comment.author !== account) return nothing
    return record(CommentDeleted({ ...placeOf(comment), notified: accountsOf(comment.notified) }))
  }

const verdictOn = (comment: Comment) => ({
  subsite: comment.subsite,
  target: targetOf(comment),
  link: comment.link,
  before: comment.removed,
  notified: accountsOf(comment.notified),
})

/** Each removal is a decision of its own, also of a comment that was removed. */
export const removeComment =
  (spam: boolean): Decide<Comment, CommentEvent> =>
  (comment) => {
    if (!comment) return refuse('FORBIDDEN')
    return comment.deleted ? nothing : record(CommentRemoved({ ...verdictOn(comment), spam }))
  }

/** Each approval is a decision of its own, also of a comment that was not removed. */
export const approveComment: Decide<Comment, CommentEvent> = (comment) => {
  if (!comment) return refuse('FORBIDDEN')
  return comment.deleted ? nothing : record(CommentApproved(verdictOn(comment)))
}

export const { ignore: ignoreCommentReports, heed: unignoreCommentReports } = ignoringReports<Comment, CommentEvent>(targetOf, {
  ignored: CommentReportsIgnored,
  heeded: CommentReportsUnignored,
})

/** The first time that a top-level comment is distinguished, it enters the inbox of the link's author, unless it did when it was posted. */
const notifiedFirst = (comment: Comment, thread: Pick<Link, 'deleted'>): Notified => {
  const { linkAuthor, author, parent, wasDistinguished, notified } = comment
  const isTold = linkAuthor === author || notified.some(({ account }) => account === linkAuthor)
  return wasDistinguished || parent !== null || isTold || thread.deleted ? [] : [{ account: linkAuthor, reason: 'post_reply' }]
}

/** The author's alone, whose permission to speak so has been asked for already. */
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
