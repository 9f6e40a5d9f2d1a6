import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Audience, audience, toRecordedAudience } from './audience.ts'
import { type Aggregate, type Decide, decideEvents, refuse, setState } from './decision.ts'
import { distinctionChange } from './distinction.ts'
import { ERASED_PLACEHOLDER, event, field, type OneOf, readBy, recordCodec, sealedText } from './event.ts'
import { AccountId, CommentId, LinkId, SubsiteId } from './ids.ts'
import {
  actOnThing,
  byAuthor,
  erasureOfThing,
  initialModeration,
  type ModeratedThing,
  removedBefore,
  spamVerdict,
} from './moderated-thing.ts'
import { excerptOf, type Target } from './target.ts'
import { checkMarkdown, limits } from './text-limits.ts'

/** The reason why a comment is in an inbox. */
const Reason = t.keyof({ comment_reply: null, post_reply: null, mention: null })
export type Reason = t.TypeOf<typeof Reason>
const Notified = t.readonlyArray(
  recordCodec('Notification', {
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
    body: field(sealedText('author', 'comment'), 'Its text, in markdown.', 'public'),
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
    body: field(sealedText('author', 'comment'), 'The new text, in markdown.', 'public'),
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
  before: removedBefore,
}
export const CommentRemoved = event(
  'CommentRemoved',
  'A moderator removed a comment: only its author and moderators read its text.',
  { ...verdict, notified: field(accounts, 'The inboxes that do not show it while it is removed.', 'admins'), spam: spamVerdict },
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

/** The state holds the comment's link, subsite and author, so that moderating it costs two reads. */
export type Comment = ModeratedThing & {
  readonly id: CommentId
  readonly link: LinkId
  readonly linkAuthor: AccountId
  readonly parent: CommentId | null
  readonly excerpt: string
  readonly created: number
  readonly notified: Notified
  /** True if it is or was distinguished. */
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
      ...initialModeration(filtered),
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
    CommentDeleted: setState({ deleted: true }),
    CommentRemoved: setState({ removed: true }),
    CommentApproved: setState({ removed: false }),
    CommentReportsIgnored: setState({ ignoresReports: true }),
    CommentReportsUnignored: setState({ ignoresReports: false }),
    CommentDistinguished: (state, { after, notified }) =>
      state && { ...state, distinguished: after, wasDistinguished: true, notified: [...state.notified, ...notified] },
    CommentRepliesSet: (state, { after }) => state && { ...state, sendReplies: after },
    CommentErased: setState({ excerpt: ERASED_PLACEHOLDER, erased: true }),
  },
  text: {
    without: (state) => ({ ...state, excerpt: '' }),
    writtenBy: ['CommentEdited'],
    restored: (state, { excerpt }) => ({ ...state, excerpt: state.erased ? ERASED_PLACEHOLDER : excerpt }),
  },
}

/** Describes the comment as the target of a moderator's act. */
export const toCommentTarget = ({ id, author, excerpt, link }: Comment): Target => ({ id, author, excerpt, link })

const toCommentPlace = ({ id, link, subsite, author }: Comment) => ({ comment: id, link, subsite, author })
export const accountsOf = (notified: Notified) => notified.map(({ account }) => account)

/** Edits a comment. Authors may do so also after a lock, a removal or a ban. Each edit is an event; only new mentions are notified. */
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
    const refused = checkMarkdown(body, limits.comment, 'text')
    if (refused) return E.left(refused)
    const recipients = new Set(accountsOf(comment.notified))
    const fresh = comment.removed ? [] : mentioned.filter((other) => other !== account && !recipients.has(other))
    return decideEvents(
      CommentEdited({
        ...toCommentPlace(comment),
        body,
        notified: fresh.map((other) => ({ account: other, reason: 'mention' })),
        withdrawn: accountsOf(comment.notified.filter(({ account: other, reason }) => reason === 'mention' && !mentioned.includes(other))),
        ...(fresh.length > 0 && toRecordedAudience(audience)),
      }),
    )
  }

export const deleteComment = (account: AccountId): Decide<Comment, CommentEvent> =>
  byAuthor(
    account,
    ({ deleted }) => deleted,
    (comment) => CommentDeleted({ ...toCommentPlace(comment), notified: accountsOf(comment.notified) }),
  )

export const setCommentReplies = (account: AccountId, on: boolean): Decide<Comment, CommentEvent> =>
  byAuthor(
    account,
    ({ sendReplies }) => sendReplies === on,
    (comment) => CommentRepliesSet({ ...toCommentPlace(comment), after: on }),
  )
