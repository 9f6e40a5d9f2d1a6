import * as t from 'io-ts'
import type { Aggregate } from './decision.ts'
import { type EventOf, event, sealed } from './event.ts'
import { AccountId, CommentId, LinkId, SubsiteId } from './ids.ts'
import { excerptOf, Target } from './target.ts'

/** Why somebody finds a comment in the inbox. */
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
export type CommentEvent =
  | EventOf<typeof CommentPosted>
  | EventOf<typeof CommentEdited>
  | EventOf<typeof CommentDeleted>
  | EventOf<typeof CommentRemoved>
  | EventOf<typeof CommentApproved>

/** Holds its link, subsite and author, so that moderating it costs two reads. */
export type Comment = {
  readonly id: CommentId
  readonly link: LinkId
  readonly linkAuthor: AccountId
  readonly subsite: SubsiteId
  readonly author: AccountId
  readonly parent: CommentId | null
  readonly body: string
  readonly created: number
  readonly notified: Notified
  readonly removed: boolean
  readonly deleted: boolean
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
      body,
      created: at,
      notified,
      removed: filtered,
      deleted: false,
    }),
    CommentEdited: (state, { body, notified, withdrawn }) =>
      state && {
        ...state,
        body,
        notified: [...state.notified.filter(({ account }) => !withdrawn.includes(account)), ...notified],
      },
    CommentDeleted: (state) => state && { ...state, deleted: true },
    CommentRemoved: (state) => state && { ...state, removed: true },
    CommentApproved: (state) => state && { ...state, removed: false },
  },
}

/** The comment as a moderator's act describes it. */
export const targetOf = (comment: Comment): Target => ({
  id: comment.id,
  author: comment.author,
  excerpt: excerptOf(comment.body),
  link: comment.link,
})
