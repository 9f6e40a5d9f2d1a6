import * as t from 'io-ts'
import { type Aggregate, becomes, type Decide, nothing, record, refuse } from './decision.ts'
import { type Distinction, distinctionChange } from './distinction.ts'
import { ERASED_PLACEHOLDER, type EventOf, event, type Meta, type OneOf, optional, sealed } from './event.ts'
import { AccountId, MessageId, SubsiteId } from './ids.ts'
import { type Moderators, permissionsOf } from './moderators.ts'
import { holds } from './permissions.ts'
import { QuotedText } from './quoted-text.ts'

const orNull = <C extends t.Mixed>(codec: C) => t.union([codec, t.null])

/**
 * A private message, or moderator mail when `subsite` is set. `author` is null for a notice of the service itself; `fromSubsite`:
 * sent in the subsite's name. `inboxes`: whose inbox it enters; `modmail`: whether it enters the moderators' shared one.
 * `root` is the first message of the conversation, itself included. The subject of a reply repeats what another account wrote: that is
 * `quotedSubject`, and `subject` is empty then.
 */
export const MessageSent = event('MessageSent', {
  message: MessageId,
  author: orNull(AccountId),
  to: orNull(AccountId),
  subsite: orNull(SubsiteId),
  fromSubsite: t.boolean,
  parent: orNull(MessageId),
  root: MessageId,
  subject: sealed('author', 'root'),
  quotedSubject: optional(QuotedText),
  body: sealed('author', 'message'),
  inboxes: t.readonlyArray(AccountId),
  modmail: t.boolean,
  /** `gold-auto`: a notice of a gift of gold. */
  distinguished: orNull(t.keyof({ moderator: null, admin: null, 'gold-auto': null })),
})
const verdict = { message: MessageId, subsite: SubsiteId, inboxes: t.readonlyArray(AccountId) }
/** A moderator hides mail from everybody except its author and the admins; not an entry in the moderation log. */
export const MessageRemoved = event('MessageRemoved', { ...verdict, spam: t.boolean })
export const MessageApproved = event('MessageApproved', verdict)
/** A moderator marks mail as read or unread for all moderators. Not an entry in the moderation log. */
export const ModmailRead = event('ModmailRead', { message: MessageId, subsite: SubsiteId })
export const ModmailUnread = event('ModmailUnread', { message: MessageId, subsite: SubsiteId })
/** By its author, who is an admin. Not an entry in the moderation log. */
export const MessageDistinguished = event('MessageDistinguished', { message: MessageId, ...distinctionChange })
/** The side of a message whose view is collapsed: its recipient's (shared by the moderators if it is their mail), or its author's. */
const Side = t.keyof({ recipient: null, author: null })
type Side = t.TypeOf<typeof Side>
export const MessageCollapsed = event('MessageCollapsed', { message: MessageId, side: Side })
export const MessageUncollapsed = event('MessageUncollapsed', { message: MessageId, side: Side })
/** The recipient deleted it from their inbox; other copies stay. */
export const MessageDeleted = event('MessageDeleted', { message: MessageId, account: AccountId })
/** By an admin, for good; not an entry in the moderation log. The subject of a reply belongs to the first message of the conversation. */
export const MessageErased = event('MessageErased', {
  message: MessageId,
  author: AccountId,
  subsite: orNull(SubsiteId),
  reason: t.string,
})
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

/** All that is said of a message when it is sent. */
export type MessageData = EventOf<typeof MessageSent>['data']
export type Message = Omit<MessageData, 'distinguished'> & {
  readonly distinguished: MessageData['distinguished'] | Distinction
  readonly created: number
  readonly removed: boolean
  /** Marked by the moderators, who share one mark. */
  readonly unread: boolean
  /** By side; null: neither collapsed nor uncollapsed so far. */
  readonly collapsed: { readonly [S in Side]: boolean | null }
  /** By its recipient. */
  readonly deleted: boolean
  /** Its text is unreadable for good. */
  readonly erased: boolean
}

/** The subject as it is shown. */
export const subjectOf = ({ subject, quotedSubject }: Pick<MessageData, 'subject' | 'quotedSubject'>): string =>
  quotedSubject?.text ?? subject

/** Mail is unread for the moderators, except notices of their own actions. */
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
    MessageRemoved: becomes({ removed: true }),
    MessageApproved: becomes({ removed: false }),
    ModmailRead: becomes({ unread: false }),
    ModmailUnread: becomes({ unread: true }),
    MessageDistinguished: (message, { after }) => message && { ...message, distinguished: after },
    MessageCollapsed: (message, { side }) => message && { ...message, collapsed: { ...message.collapsed, [side]: true } },
    MessageUncollapsed: (message, { side }) => message && { ...message, collapsed: { ...message.collapsed, [side]: false } },
    MessageDeleted: becomes({ deleted: true }),
    MessageErased: (message) =>
      message && { ...message, body: ERASED_PLACEHOLDER, erased: true, ...(message.parent === null && { subject: ERASED_PLACEHOLDER }) },
  },
}

export const hasMail = (moderators: Moderators | undefined, account: AccountId) => holds(permissionsOf(moderators, account), 'mail')
/** Visible to admins, to the participants of its conversation, and to moderators with `mail`; once removed, only to its author and admins. */
export const mayRead = (
  message: Message,
  root: Message,
  { account, admin, moderators }: { readonly account: AccountId; readonly admin: boolean; readonly moderators: Moderators | undefined },
): boolean =>
  admin ||
  message.author === account ||
  (!message.removed && ([message.to, root.author, root.to].includes(account) || (message.subsite !== null && hasMail(moderators, account))))

/** Moderators can remove only moderator mail. */
export const removeMessage =
  (spam: boolean): Decide<Message, MessageEvent> =>
  (message) => {
    if (!message || message.subsite === null) return refuse('FORBIDDEN')
    if (message.removed) return nothing
    return record(MessageRemoved({ message: message.message, subsite: message.subsite, inboxes: message.inboxes, spam }))
  }

export const approveMessage: Decide<Message, MessageEvent> = (message) => {
  if (!message || message.subsite === null) return refuse('FORBIDDEN')
  if (!message.removed) return nothing
  return record(MessageApproved({ message: message.message, subsite: message.subsite, inboxes: message.inboxes }))
}

/** The mark that all moderators share. */
export const markModmail =
  (unread: boolean): Decide<Message, MessageEvent> =>
  (message) => {
    if (!message?.modmail || message.subsite === null || message.unread === unread) return nothing
    const mail = { message: message.message, subsite: message.subsite }
    return record<MessageEvent>(unread ? ModmailUnread(mail) : ModmailRead(mail))
  }

/** The side on which an account sees a message; undefined if it does not take part. */
const sideOf = ({ to, author, modmail }: Message, account: AccountId, moderator: boolean): Side | undefined => {
  if (to === account) return 'recipient'
  if (author === account) return 'author'
  return modmail && moderator ? 'recipient' : undefined
}

/** `moderator`: of the subsite whose mail it is. */
export const collapseMessage =
  (
    { account, moderator }: { readonly account: AccountId; readonly moderator: boolean },
    collapsed: boolean,
  ): Decide<Message, MessageEvent> =>
  (message) => {
    const side = message && sideOf(message, account, moderator)
    if (!message || side === undefined || message.collapsed[side] === collapsed) return nothing
    const folded = { message: message.message, side }
    return record<MessageEvent>(collapsed ? MessageCollapsed(folded) : MessageUncollapsed(folded))
  }

/** Only messages sent to the account itself can be deleted. */
export const deleteMessage =
  (account: AccountId): Decide<Message, MessageEvent> =>
  (message) =>
    message?.to === account && !message.deleted ? record(MessageDeleted({ message: message.message, account })) : nothing

/** For the author, whose authority as an admin has been checked. Only in the mail of a subsite is there a moderator to speak as. */
export const distinguishMessage =
  (account: AccountId, after: Distinction | null): Decide<Message, MessageEvent> =>
  (message) => {
    if (!message) return refuse('NOT_FOUND', 'id')
    const { author, subsite, distinguished: before } = message
    if (author !== account || before === 'gold-auto') return refuse('FORBIDDEN')
    if (after === 'moderator' && subsite === null) return refuse('FORBIDDEN')
    return before === after ? nothing : record(MessageDistinguished({ message: message.message, before, after }))
  }

/** What the service itself wrote is not sealed, so that nothing can make it unreadable. */
export const eraseMessage =
  (reason: string): Decide<Message, MessageEvent> =>
  (state) => {
    if (!state) return refuse('NOT_FOUND', 'id')
    const { message, author, subsite, erased } = state
    if (author === null) return refuse('FORBIDDEN', 'id')
    return erased ? nothing : record(MessageErased({ message, author, subsite, reason }))
  }
