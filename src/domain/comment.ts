import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Audience, audience, audienceOf, recordedAudience } from './audience.ts'
import { type Aggregate, becomes, type Decide, nothing, record, refuse } from './decision.ts'
import { distinctionChange } from './distinction.ts'
import { ERASED_PLACEHOLDER, event, field, type OneOf, readBy, record as recordOf, sealed } from './event.ts'
import { AccountId, CommentId, LinkId, SubsiteId } from './ids.ts'
import { isArchived, type Link } from './link.ts'
import type { Refusal } from './refusal.ts'
import { isModerator, may, type Standing } from './standing.ts'
import type { Subsite } from './subsite.ts'
import { isFiltered, mayComment } from './subsite-access.ts'
import { excerptOf, type Target } from './target.ts'
import { checkText, limits } from './text.ts'
import { actOnThing, asSpam, byAuthor, erasureOfThing, type ModeratedThing, unmoderated, wasRemoved } from './thing-moderation.ts'

/** Why a comment is in an inbox. */
const Reason = t.keyof({ comment_reply: null, post_reply: null, mention: null })
export type Reason = t.TypeOf<typeof Reason>
const Notified = t.readonlyArray(
  recordOf('Notification', {
    account: field(AccountId, 'Whose inbox.', 'admins'),
    reason: field(Reason, 'Why it is there.', 'admins'),
  }),
)
export type Notified = t.TypeOf<typeof Notified>

const place = {
  comment: field(CommentId, 'The comment.', 'public'),
  link: field(LinkId, 'The link that it stands under.', 'public'),
  subsite: field(SubsiteId, 'The subsite that it is in.', 'public'),
  author: field(AccountId, 'Who wrote it.', 'public', { party: true }),
}
const accounts = t.readonlyArray(AccountId)

export const CommentPosted = event(
  'CommentPosted',
  'An account commented on a link or replied to a comment. It holds its author’s insightful mark from the start.',
  {
    ...place,
    linkAuthor: field(AccountId, 'Who posted the link, which may be deleted by now.', 'admins'),
    parent: field(t.union([CommentId, t.null]), 'The comment that it replies to; null: the link itself.', 'public'),
    body: field(sealed('author', 'comment'), 'Its text, in markdown.', 'public'),
    filtered: field(t.boolean, 'Whether the spam settings of the subsite removed it at once.', 'subsite'),
    notified: field(Notified, 'The inboxes that it enters.', 'admins'),
    audience,
  },
  { by: 'public' },
)
export const CommentEdited = event(
  'CommentEdited',
  'The author of a comment replaced its text.',
  {
    ...place,
    body: field(sealed('author', 'comment'), 'The new text, in markdown.', 'public'),
    notified: field(Notified, 'The inboxes that it enters, as the new text mentions their owners.', 'admins'),
    withdrawn: field(accounts, 'The inboxes that it leaves, as the new text does not mention their owners.', 'admins'),
    audience,
  },
  { by: 'public' },
)
export const CommentDeleted = event(
  'CommentDeleted',
  'The author of a comment deleted it: it stays without text and author.',
  { ...place, notified: field(accounts, 'The inboxes that it leaves.', 'admins') },
  { by: 'public' },
)
const verdict = {
  ...actOnThing,
  link: field(LinkId, 'The link that it stands under.', 'public'),
  before: wasRemoved,
}
export const CommentRemoved = event(
  'CommentRemoved',
  'A moderator removed a comment: only its author and moderators read its text.',
  { ...verdict, notified: field(accounts, 'The inboxes that do not show it while it is removed.', 'admins'), spam: asSpam },
  { by: 'public' },
)
export const CommentApproved = event(
  'CommentApproved',
  'A moderator approved a comment, and returned it if it was removed.',
  { ...verdict, notified: field(accounts, 'The inboxes that show it, as read or unread as it was.', 'admins') },
  { by: 'public' },
)
export const CommentReportsIgnored = event(
  'CommentReportsIgnored',
  'A moderator decided that reports do not put a comment into the queue, until that is undone or its author edits it.',
  actOnThing,
  { by: 'public' },
)
export const CommentReportsUnignored = event(
  'CommentReportsUnignored',
  'A moderator decided that reports put a comment into the queue again.',
  actOnThing,
  { by: 'public' },
)
export const CommentDistinguished = event(
  'CommentDistinguished',
  'The author of a comment marked it as written by a moderator or by an admin, or took the mark away.',
  {
    ...actOnThing,
    ...distinctionChange('public'),
    notified: field(Notified, 'The inbox that it enters with its first mark, if it was in none.', 'admins'),
    removed: field(t.boolean, 'Whether it is removed: then the inbox shows it once it is approved.', 'subsite'),
    audience,
  },
  { by: 'public' },
)
export const CommentRepliesSet = event(
  'CommentRepliesSet',
  'The author of a comment chose whether replies to it enter their inbox from now on.',
  readBy('party', { ...place, after: field(t.boolean, 'Whether they do.', 'party') }),
  { by: 'party' },
)
export const CommentErased = event(
  'CommentErased',
  'An admin erased a comment: its text is unreadable for good, here too.',
  erasureOfThing,
  { by: 'public' },
)
export const commentEvents = [
  CommentPosted,
  CommentEdited,
  CommentDeleted,
  CommentRemoved,
  CommentApproved,
  CommentReportsIgnored,
  CommentReportsUnignored,
  CommentDistinguished,
  CommentRepliesSet,
  CommentErased,
] as const
export type CommentEvent = OneOf<typeof commentEvents>

/** Holds its link, subsite and author, so that moderating it costs two reads. */
export type Comment = ModeratedThing & {
  readonly id: CommentId
  readonly link: LinkId
  readonly linkAuthor: AccountId
  readonly parent: CommentId | null
  readonly excerpt: string
  readonly created: number
  readonly notified: Notified
  /** Now or earlier. */
  readonly wasDistinguished: boolean
}

export const Comment: Aggregate<Comment, CommentEvent> = {
  category: 'comment',
  subsiteOf: (_, comment) => comment?.subsite ?? null,
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
      ...unmoderated(filtered),
      wasDistinguished: false,
      sendReplies: true,
    }),
    CommentEdited: (state, { body, notified, withdrawn }) =>
      state && {
        ...state,
        excerpt: excerptOf(body),
        ignoresReports: false,
        notified: [...state.notified.filter(({ account }) => !withdrawn.includes(account)), ...notified],
      },
    CommentDeleted: becomes({ deleted: true }),
    CommentRemoved: becomes({ removed: true }),
    CommentApproved: becomes({ removed: false }),
    CommentReportsIgnored: becomes({ ignoresReports: true }),
    CommentReportsUnignored: becomes({ ignoresReports: false }),
    CommentDistinguished: (state, { after, notified }) =>
      state && { ...state, distinguished: after, wasDistinguished: true, notified: [...state.notified, ...notified] },
    CommentRepliesSet: (state, { after }) => state && { ...state, sendReplies: after },
    CommentErased: becomes({ excerpt: ERASED_PLACEHOLDER, erased: true }),
  },
  text: {
    without: (state) => ({ ...state, excerpt: '' }),
    writtenBy: ['CommentEdited'],
    restored: (state, { excerpt }) => ({ ...state, excerpt: state.erased ? ERASED_PLACEHOLDER : excerpt }),
  },
}

/** The comment as a moderator's act describes it. */
export const targetOf = ({ id, author, excerpt, link }: Comment): Target => ({ id, author, excerpt, link })

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

const placeOf = ({ id, link, subsite, author }: Comment) => ({ comment: id, link, subsite, author })
export const accountsOf = (notified: Notified) => notified.map(({ account }) => account)

/** Authors may edit their comments, also after a lock, a removal or a ban. Each edit is an event; only new mentions are notified. */
export const editComment =
  (
    {
      account,
      mentioned,
      audience,
    }: { readonly account: AccountId; readonly mentioned: readonly AccountId[]; readonly audience: Audience },
    body: string,
  ): Decide<Comment, CommentEvent> =>
  (comment) => {
    if (!comment || comment.author !== account) return refuse('NOT_AUTHOR', 'thing_id')
    if (comment.deleted) return refuse('FORBIDDEN')
    if (comment.erased) return refuse('THING_ERASED', 'thing_id')
    const refused = checkText(body, limits.comment, 'text')
    if (refused) return E.left(refused)
    const recipients = new Set(accountsOf(comment.notified))
    const fresh = comment.removed ? [] : mentioned.filter((other) => other !== account && !recipients.has(other))
    return record(
      CommentEdited({
        ...placeOf(comment),
        body,
        notified: fresh.map((other) => ({ account: other, reason: 'mention' })),
        withdrawn: accountsOf(comment.notified.filter(({ account: other, reason }) => reason === 'mention' && !mentioned.includes(other))),
        ...(fresh.length > 0 && recordedAudience(audience)),
      }),
    )
  }

export const deleteComment = (account: AccountId): Decide<Comment, CommentEvent> =>
  byAuthor(
    account,
    ({ deleted }) => deleted,
    (comment) => CommentDeleted({ ...placeOf(comment), notified: accountsOf(comment.notified) }),
  )

export const setCommentReplies = (account: AccountId, on: boolean): Decide<Comment, CommentEvent> =>
  byAuthor(
    account,
    ({ sendReplies }) => sendReplies === on,
    (comment) => CommentRepliesSet({ ...placeOf(comment), after: on }),
  )
