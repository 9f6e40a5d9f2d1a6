import { either as E } from 'fp-ts'
import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type EventOf, event, type Meta, sealed } from './event.ts'
import { AccountId, MessageId, SubsiteId } from './ids.ts'
import { type Moderators, permissionsOf } from './moderators.ts'
import { holds } from './permissions.ts'
import { checkText, limits } from './text.ts'

const orNull = <C extends t.Mixed>(codec: C) => t.union([codec, t.null])

/**
 * A private message, or moderator mail when `subsite` is set. `author` is null for a notice of the service itself; `fromSubsite`:
 * sent in the subsite's name. `inboxes`: whose inbox it enters; `modmail`: whether it enters the moderators' shared one.
 * `root` is the first message of the conversation, itself included.
 */
export const MessageSent = event('MessageSent', {
  message: MessageId,
  author: orNull(AccountId),
  to: orNull(AccountId),
  subsite: orNull(SubsiteId),
  fromSubsite: t.boolean,
  parent: orNull(MessageId),
  root: MessageId,
  subject: sealed('author'),
  body: sealed('author'),
  inboxes: t.readonlyArray(AccountId),
  modmail: t.boolean,
  distinguished: orNull(t.keyof({ moderator: null, admin: null })),
})
const verdict = { message: MessageId, subsite: SubsiteId, inboxes: t.readonlyArray(AccountId) }
/** A moderator takes mail out of the sight of all but its author and the admins; no act that the log of moderators tells. */
export const MessageRemoved = event('MessageRemoved', { ...verdict, spam: t.boolean })
export const MessageApproved = event('MessageApproved', verdict)
/** A moderator has seen the mail, for all of them; or wants it to be seen again. No act of moderation. */
export const ModmailRead = event('ModmailRead', { message: MessageId, subsite: SubsiteId })
export const ModmailUnread = event('ModmailUnread', { message: MessageId, subsite: SubsiteId })
export type MessageEvent =
  | EventOf<typeof MessageSent>
  | EventOf<typeof MessageRemoved>
  | EventOf<typeof MessageApproved>
  | EventOf<typeof ModmailRead>
  | EventOf<typeof ModmailUnread>

/** All that is said of a message when it is sent. */
export type Sending = EventOf<typeof MessageSent>['data']
export type Message = Sending & {
  readonly created: number
  readonly removed: boolean
  /** By the moderators, who share one mark. */
  readonly unread: boolean
}

/** Mail is unread for the moderators, except notices of their own actions. */
export const isNews = ({ modmail, to }: Sending, { causationId, commandId }: Pick<Meta, 'causationId' | 'commandId'>): boolean =>
  modmail && (to === null || causationId === commandId)

export const Message: Aggregate<Message, MessageEvent> = {
  category: 'message',
  on: {
    MessageSent: (_, data, { at, meta }) => ({ ...data, created: at, removed: false, unread: isNews(data, meta) }),
    MessageRemoved: (message) => message && { ...message, removed: true },
    MessageApproved: (message) => message && { ...message, removed: false },
    ModmailRead: (message) => message && { ...message, unread: false },
    ModmailUnread: (message) => message && { ...message, unread: true },
  },
}

/** Who writes; `moderators`: those of the subsite concerned, if one is. */
export type Sender = {
  readonly message: MessageId
  readonly author: AccountId
  readonly admin: boolean
  readonly moderators: Moderators | undefined
}

/** To an account (`from` the subsite or the author), or to the moderators of a subsite. */
export type Address =
  | { readonly to: AccountId; readonly from: SubsiteId | null }
  | { readonly toSubsite: SubsiteId; readonly from: SubsiteId | null }

const hasMail = (moderators: Moderators | undefined, account: AccountId) => holds(permissionsOf(moderators, account), 'mail')
const isModerator = (moderators: Moderators | undefined, account: AccountId | null) =>
  account !== null && permissionsOf(moderators, account) !== undefined

/** Moderators find what is sent to them about their subsite among its mail, not in their own inboxes. */
const inboxOf = (to: AccountId | null, subsite: SubsiteId | null, moderators: Moderators | undefined): readonly AccountId[] =>
  to === null || (subsite !== null && isModerator(moderators, to)) ? [] : [to]

const distinctionOf = ({ author, admin, moderators }: Sender, subsite: SubsiteId | null) =>
  subsite !== null && isModerator(moderators, author) ? 'moderator' : admin ? 'admin' : null

const checkSubject = (subject: string) => {
  const refused = checkText(subject, limits.subject, 'subject')
  return refused?.code === 'NO_TEXT' ? { ...refused, code: 'NO_SUBJECT' as const } : refused
}

/** A message that begins a conversation. */
export const sendMessage =
  (
    sender: Sender,
    address: Address,
    { subject, body }: { readonly subject: string; readonly body: string },
  ): Decide<Message, MessageEvent> =>
  (existing) => {
    if (existing) return nothing
    const { message, author, admin, moderators } = sender
    const refused = checkSubject(subject) ?? checkText(body, limits.message, 'text')
    if (refused) return E.left(refused)
    const isToSubsite = 'toSubsite' in address
    if (isToSubsite && address.from !== null) return refuse('NO_SR_TO_SR_MESSAGE', 'from')
    if (address.from !== null && !admin && !hasMail(moderators, author)) return refuse('FORBIDDEN')
    const to = isToSubsite ? null : address.to
    const subsite = isToSubsite ? address.toSubsite : address.from
    return record(
      MessageSent({
        message,
        author,
        to,
        subsite,
        fromSubsite: address.from !== null,
        parent: null,
        root: message,
        subject,
        body,
        inboxes: inboxOf(to, subsite, moderators),
        modmail: subsite !== null,
        distinguished: distinctionOf(sender, subsite),
      }),
    )
  }

/** Admins, its two ends, the two ends of its conversation, and the moderators with `mail` may see a message; one removed, only its author and admins. */
export const mayRead = (
  message: Message,
  root: Message,
  { account, admin, moderators }: { readonly account: AccountId; readonly admin: boolean; readonly moderators: Moderators | undefined },
): boolean =>
  admin ||
  message.author === account ||
  (!message.removed && ([message.to, root.author, root.to].includes(account) || (message.subsite !== null && hasMail(moderators, account))))

const replySubject = (subject: string) => (/^re: /i.test(subject) ? subject : `re: ${subject}`)

/** A reply goes to the author of the message, or to the subsite in whose name it was written; its conversation's ends get copies. */
export const replyToMessage =
  (sender: Sender, { parent, root }: { readonly parent: Message; readonly root: Message }, body: string): Decide<Message, MessageEvent> =>
  (existing) => {
    if (existing) return nothing
    const { message, author, admin, moderators } = sender
    const { subsite } = parent
    if (parent.author === null && !parent.fromSubsite) return refuse('FORBIDDEN') // a notice of the service has no sender to reply to
    if (!mayRead(parent, root, { account: author, admin, moderators })) return refuse('FORBIDDEN')
    const refused = checkText(body, limits.message, 'text')
    if (refused) return E.left(refused)
    const to = parent.fromSubsite ? null : parent.author
    const ends = subsite === null ? [] : [root.author, root.to].flatMap((end) => end ?? [])
    const copies = ends.filter((end) => end !== author && end !== to && !hasMail(moderators, end))
    return record(
      MessageSent({
        message,
        author,
        to,
        subsite,
        fromSubsite: false,
        parent: parent.message,
        root: root.message,
        subject: replySubject(parent.subject),
        body,
        inboxes: [...new Set([...inboxOf(to, subsite, moderators), ...copies])],
        modmail: subsite !== null,
        distinguished: distinctionOf(sender, subsite),
      }),
    )
  }

/** What a moderator's act, or the service itself, tells an account or the moderators of a subsite. */
export const sendNotice =
  (notice: Omit<Sending, 'parent' | 'root' | 'inboxes'>, moderators: Moderators | undefined): Decide<Message, MessageEvent> =>
  (existing) => {
    if (existing) return nothing
    const { message, to, subsite } = notice
    return record(MessageSent({ ...notice, parent: null, root: message, inboxes: inboxOf(to, subsite, moderators) }))
  }

/** Only mail of moderators is theirs to remove. */
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
