// Decisions 39, 43 and 90.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse, setState } from './decision.ts'
import { type Distinction, distinctionChange } from './distinction.ts'
import { ERASED_PLACEHOLDER, type EventOf, event, field, type Meta, type OneOf, optional, sealedText } from './event.ts'
import { AccountId, MessageId, SubsiteId } from './ids.ts'
import { holds, type Moderators, permissionsOf } from './moderators.ts'
import { QuotedText } from './quoted-text.ts'

const orNull = <C extends t.Mixed>(codec: C) => t.union([codec, t.null])

const message = field(MessageId, 'The message.', 'party')
const inboxes = field(
  t.readonlyArray(AccountId),
  'Whose inbox it enters. A recipient who blocks its author is not among them, which nobody learns.',
  'admins',
)

export const MessageSent = event(
  'MessageSent',
  'An account wrote a private message or, if there is a subsite, mail to or of its moderators; or the service sent a notice.',
  {
    message,
    author: field(
      orNull(AccountId),
      'Who wrote it, also in the name of a subsite, which its recipient does not learn; null: the service.',
      'admins',
    ),
    to: field(orNull(AccountId), 'Who it is for; null: the moderators of the subsite.', 'party', { party: true }),
    subsite: field(orNull(SubsiteId), 'The subsite whose moderators wrote it or got it; null: none.', 'party'),
    fromSubsite: field(t.boolean, 'Whether it was sent in the name of the subsite.', 'party'),
    parent: field(orNull(MessageId), 'The message that it replies to; null: none.', 'party'),
    root: field(MessageId, 'The first message of the conversation, which may be this one.', 'party'),
    subject: field(sealedText('author', 'root'), 'The subject; empty in a reply, which repeats what another account wrote.', 'party'),
    quotedSubject: field(optional(QuotedText), 'The subject of a reply.', 'party'),
    body: field(sealedText('author', 'message'), 'The text, in markdown.', 'party'),
    inboxes,
    modmail: field(t.boolean, 'Whether it is among the mail that the moderators of the subsite share.', 'admins'),
    distinguished: field(
      orNull(t.keyof({ moderator: null, admin: null, 'gold-auto': null })),
      'The capacity in which it was written; `gold-auto`: a notice of a gift of gold.',
      'party',
    ),
  },
  { by: 'admins' },
)
const mail = {
  message: field(MessageId, 'The message.', 'subsite'),
  subsite: field(SubsiteId, 'The subsite whose mail it is.', 'subsite'),
}
const verdict = { ...mail, inboxes: field(t.readonlyArray(AccountId), 'Whose inbox it had entered.', 'admins') }
export const MessageRemoved = event(
  'MessageRemoved',
  'A moderator hid mail of the subsite from everybody except its author and the admins. No entry in the moderation log.',
  { ...verdict, spam: field(t.boolean, 'Whether the moderator took it for spam.', 'subsite') },
  { by: 'subsite' },
)
export const MessageApproved = event('MessageApproved', 'A moderator showed hidden mail of the subsite again.', verdict, { by: 'subsite' })
export const ModmailRead = event('ModmailRead', 'A moderator marked mail of the subsite as read, for all its moderators.', mail, {
  by: 'subsite',
})
export const ModmailUnread = event('ModmailUnread', 'A moderator marked mail of the subsite as unread, for all its moderators.', mail, {
  by: 'subsite',
})
export const MessageDistinguished = event(
  'MessageDistinguished',
  'An admin marked a message of their own as written by an admin or a moderator, or took the mark away.',
  { message: field(MessageId, 'The message.', 'admins'), ...distinctionChange('admins') },
  { by: 'admins' },
)
const Side = t.keyof({ recipient: null, author: null })
type Side = t.TypeOf<typeof Side>
const collapse = {
  message: field(MessageId, 'The message.', 'admins'),
  side: field(Side, 'Whose view: that of its recipient, which moderators share if it is their mail, or of its author.', 'admins'),
}
export const MessageCollapsed = event(
  'MessageCollapsed',
  'The author or the recipient of a message collapsed it in their view.',
  collapse,
  { by: 'admins' },
)
export const MessageUncollapsed = event(
  'MessageUncollapsed',
  'The author or the recipient of a message opened it in their view again.',
  collapse,
  { by: 'admins' },
)
export const MessageDeleted = event(
  'MessageDeleted',
  'The recipient of a message deleted it from their inbox; other copies stay.',
  { message, account: field(AccountId, 'The recipient.', 'party', { party: true }) },
  { by: 'party' },
)
export const MessageErased = event(
  'MessageErased',
  'An admin erased a message: its text is unreadable for good, here too. The subject of a reply stays, as it is that of the first message.',
  {
    message: field(MessageId, 'The message.', 'admins'),
    author: field(AccountId, 'Who wrote it.', 'admins'),
    subsite: field(orNull(SubsiteId), 'The subsite whose mail it is; null: none.', 'admins'),
    reason: field(t.string, 'Why; not sealed.', 'admins'),
  },
  { by: 'admins' },
)
export const messageEvents = [
  MessageSent,
  MessageRemoved,
  MessageApproved,
  ModmailRead,
  ModmailUnread,
  MessageDistinguished,
  MessageCollapsed,
  MessageUncollapsed,
  MessageDeleted,
  MessageErased,
] as const
export type MessageEvent = OneOf<typeof messageEvents>

/** The data of a message when it is sent. */
export type MessageData = EventOf<typeof MessageSent>['data']
export type Message = Omit<MessageData, 'distinguished'> & {
  readonly distinguished: MessageData['distinguished'] | Distinction
  readonly created: number
  readonly removed: boolean
  /** The mark that all moderators share. */
  readonly unread: boolean
  /** The mark of each side; null if that side neither collapsed nor uncollapsed it so far. */
  readonly collapsed: { readonly [S in Side]: boolean | null }
  /** True if its recipient deleted it. */
  readonly deleted: boolean
  /** True if its text is unreadable for good. */
  readonly erased: boolean
}

/** Returns the subject as it is shown. */
export const subjectOf = ({ subject, quotedSubject }: Pick<MessageData, 'subject' | 'quotedSubject'>): string =>
  quotedSubject?.text ?? subject

/** Tells whether mail is unread for the moderators. Notices of their own actions are not. */
export const isNews = ({ modmail, to }: MessageData, { causationId, commandId }: Pick<Meta, 'causationId' | 'commandId'>): boolean =>
  modmail && (to === null || causationId === commandId)

export const Message: Aggregate<Message, MessageEvent> = {
  category: 'message',
  subsiteOf: (_, message) => message?.subsite ?? null,
  on: {
    MessageSent: (_, data, { at, meta }) => ({
      ...data,
      created: at,
      removed: false,
      unread: isNews(data, meta),
      collapsed: { recipient: null, author: null },
      deleted: false,
      erased: false,
    }),
    MessageRemoved: setState({ removed: true }),
    MessageApproved: setState({ removed: false }),
    ModmailRead: setState({ unread: false }),
    ModmailUnread: setState({ unread: true }),
    MessageDistinguished: (message, { after }) => message && { ...message, distinguished: after },
    MessageCollapsed: (message, { side }) => message && { ...message, collapsed: { ...message.collapsed, [side]: true } },
    MessageUncollapsed: (message, { side }) => message && { ...message, collapsed: { ...message.collapsed, [side]: false } },
    MessageDeleted: setState({ deleted: true }),
    MessageErased: (message) =>
      message && { ...message, body: ERASED_PLACEHOLDER, erased: true, ...(message.parent === null && { subject: ERASED_PLACEHOLDER }) },
  },
}

export const hasMail = (moderators: Moderators | undefined, account: AccountId) => holds(permissionsOf(moderators, account), 'mail')
/**
 * Tells whether an account may read a message: admins, the participants of its conversation, and moderators with `mail`. Once it is
 * removed, only its author and admins may.
 */
export const mayRead = (
  message: Message,
  root: Message,
  { account, admin, moderators }: { readonly account: AccountId; readonly admin: boolean; readonly moderators: Moderators | undefined },
): boolean =>
  admin ||
  message.author === account ||
  (!message.removed && ([message.to, root.author, root.to].includes(account) || (message.subsite !== null && hasMail(moderators, account))))

/** Removes a message. Moderators can remove only moderator mail. */
export const removeMessage =
  (spam: boolean): Decide<Message, MessageEvent> =>
  (message) => {
    if (!message || message.subsite === null) return refuse('FORBIDDEN')
    if (message.removed) return noEvents
    return decideEvents(MessageRemoved({ message: message.message, subsite: message.subsite, inboxes: message.inboxes, spam }))
  }

export const approveMessage: Decide<Message, MessageEvent> = (message) => {
  if (!message || message.subsite === null) return refuse('FORBIDDEN')
  if (!message.removed) return noEvents
  return decideEvents(MessageApproved({ message: message.message, subsite: message.subsite, inboxes: message.inboxes }))
}

/** Sets the mark that all moderators share. */
export const markModmail =
  (unread: boolean): Decide<Message, MessageEvent> =>
  (message) => {
    if (!message?.modmail || message.subsite === null || message.unread === unread) return noEvents
    const mail = { message: message.message, subsite: message.subsite }
    return decideEvents<MessageEvent>(unread ? ModmailUnread(mail) : ModmailRead(mail))
  }

/** Returns the side on which an account sees a message; undefined if it does not take part. */
const sideOf = ({ to, author, modmail }: Message, account: AccountId, moderator: boolean): Side | undefined => {
  if (to === account) return 'recipient'
  if (author === account) return 'author'
  return modmail && moderator ? 'recipient' : undefined
}

/** Collapses or uncollapses a message. `moderator` is true for moderators of the subsite whose mail it is. */
export const collapseMessage =
  (
    { account, moderator }: { readonly account: AccountId; readonly moderator: boolean },
    collapsed: boolean,
  ): Decide<Message, MessageEvent> =>
  (message) => {
    const side = message && sideOf(message, account, moderator)
    if (!message || side === undefined || message.collapsed[side] === collapsed) return noEvents
    const folded = { message: message.message, side }
    return decideEvents<MessageEvent>(collapsed ? MessageCollapsed(folded) : MessageUncollapsed(folded))
  }

/** Deletes a message. Only messages sent to the account itself can be deleted. */
export const deleteMessage =
  (account: AccountId): Decide<Message, MessageEvent> =>
  (message) =>
    message?.to === account && !message.deleted ? decideEvents(MessageDeleted({ message: message.message, account })) : noEvents

/**
 * Distinguishes a message for its author, whose authority as an admin has been checked. Only in a subsite's mail can a moderator speak as
 * such.
 */
export const distinguishMessage =
  (account: AccountId, after: Distinction | null): Decide<Message, MessageEvent> =>
  (message) => {
    if (!message) return refuse('NOT_FOUND', 'id')
    const { author, subsite, distinguished: before } = message
    if (author !== account || before === 'gold-auto') return refuse('FORBIDDEN')
    if (after === 'moderator' && subsite === null) return refuse('FORBIDDEN')
    return before === after ? noEvents : decideEvents(MessageDistinguished({ message: message.message, before, after }))
  }

/** Erases a message. A text of the service itself is not sealed, so nothing can make it unreadable. */
export const eraseMessage =
  (reason: string): Decide<Message, MessageEvent> =>
  (state) => {
    if (!state) return refuse('NOT_FOUND', 'id')
    const { message, author, subsite, erased } = state
    if (author === null) return refuse('FORBIDDEN', 'id')
    return erased ? noEvents : decideEvents(MessageErased({ message, author, subsite, reason }))
  }
