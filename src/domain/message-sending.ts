// Decisions 90 and 91.

import * as E from 'fp-ts/lib/Either.js'
import { type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import type { AccountId, MessageId, SubsiteId } from './ids.ts'
import { hasMail, type Message, type MessageData, type MessageEvent, MessageSent, mayRead, subjectOf } from './message.ts'
import { type Moderators, permissionsOf } from './moderators.ts'
import type { Refusal } from './refusal.ts'
import { checkLine, checkMarkdown, limits } from './text-limits.ts'

/** The sender. `moderators` are those of the subsite concerned, if there is one. */
export type Sender = {
  readonly message: MessageId
  readonly author: AccountId
  readonly admin: boolean
  readonly moderators: Moderators | undefined
  /** True if the author is muted in the subsite concerned. Admins may always write. */
  readonly authorIsMuted: boolean
  /** True if a recipient is muted in the subsite concerned. */
  readonly recipientIsMuted: boolean
  /** True if the author blocks the author of the message replied to. */
  readonly blocksParentAuthor?: boolean
  /** True if the recipient blocks the subsite in whose name the message is sent. */
  readonly recipientBlocksSubsite?: boolean
  /**
   * Recipients who block the author and have no part in the subsite concerned. The message enters none of their inboxes; otherwise somebody
   * could evade a block by founding a subsite. The author does not learn of it.
   */
  readonly blockers?: readonly AccountId[]
}

/** An address: an account, written to by the subsite in `from` or by the author, or the moderators of a subsite. */
export type MessageAddress =
  | { readonly to: AccountId; readonly from: SubsiteId | null }
  | { readonly toSubsite: SubsiteId; readonly from: SubsiteId | null }

const isModerator = (moderators: Moderators | undefined, account: AccountId | null) =>
  account !== null && permissionsOf(moderators, account) !== undefined

type Receivers = Pick<Sender, 'moderators' | 'blockers'>

/** Returns the inboxes that a message enters. Moderators find messages to their own subsite in its moderator mail, not in their inboxes. */
const inboxOf = (to: AccountId | null, subsite: SubsiteId | null, { moderators, blockers = [] }: Receivers): readonly AccountId[] =>
  to === null || blockers.includes(to) || (subsite !== null && isModerator(moderators, to)) ? [] : [to]

const distinctionOf = ({ author, admin, moderators }: Sender, subsite: SubsiteId | null) =>
  subsite !== null && isModerator(moderators, author) ? 'moderator' : admin ? 'admin' : null

/** Returns the capacity in which a sender may write for the subsite concerned, if any. */
export const capacityForSubsite = ({ author, admin, moderators }: Sender): 'moderator' | 'admin' | undefined => {
  if (hasMail(moderators, author)) return 'moderator'
  return admin ? 'admin' : undefined
}

const checkSubject = (subject: string) => {
  const refused = checkLine(subject, limits.subject, 'subject')
  return refused?.code === 'NO_TEXT' ? { ...refused, code: 'NO_SUBJECT' as const } : refused
}

type Words = { readonly subject: string; readonly body: string }

/** Returns the refusal of a message's texts, which holds for every sender. */
export const checkWords = ({ subject, body }: Words): Refusal | undefined =>
  checkSubject(subject) ?? checkMarkdown(body, limits.message, 'text')

/** Sends a message that begins a conversation. */
export const sendMessage =
  (sender: Sender, address: MessageAddress, words: Words): Decide<Message, MessageEvent> =>
  (existing) => {
    if (existing) return noEvents
    const { message, author, admin, moderators, authorIsMuted, recipientIsMuted } = sender
    const { subject, body } = words
    const refused = checkWords(words)
    if (refused) return E.left(refused)
    const isToSubsite = 'toSubsite' in address
    if (isToSubsite && authorIsMuted && !admin) return refuse('USER_MUTED', 'to')
    if (isToSubsite && address.from !== null) return refuse('NO_SR_TO_SR_MESSAGE', 'from')
    if (address.from !== null && !admin && !hasMail(moderators, author)) return refuse('FORBIDDEN')
    if (address.from !== null && sender.recipientBlocksSubsite) return refuse('USER_BLOCKED_MESSAGE', 'to')
    if (address.from !== null && !admin && recipientIsMuted) return refuse('MUTED_FROM_SUBSITE', 'to')
    const to = isToSubsite ? null : address.to
    const subsite = isToSubsite ? address.toSubsite : address.from
    return decideEvents(
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
        inboxes: inboxOf(to, subsite, sender),
        modmail: subsite !== null,
        distinguished: distinctionOf(sender, subsite),
      }),
    )
  }

/**
 * Returns the account that the moderators of a subsite talk with in a conversation: the one that wrote to them first, or that they wrote to
 * in its name.
 */
export const correspondentOf = ({ author, to, fromSubsite }: Pick<Message, 'author' | 'to' | 'fromSubsite'>): AccountId | null =>
  fromSubsite ? to : author

/** Returns the subject of a reply, which remains the text of the account that wrote it. */
const replySubject = (parent: Message, author: AccountId): Pick<MessageData, 'subject' | 'quotedSubject'> => {
  const subject = subjectOf(parent)
  const text = /^re: /i.test(subject) ? subject : `re: ${subject}`
  const by = parent.quotedSubject?.author ?? parent.author
  return by === null || by === author ? { subject: text } : { subject: '', quotedSubject: { author: by, text } }
}

/**
 * Replies to a message. The reply goes to the author of the message, or to the subsite in whose name it was sent. The conversation's
 * participants get copies.
 */
export const replyToMessage =
  (sender: Sender, { parent, root }: { readonly parent: Message; readonly root: Message }, body: string): Decide<Message, MessageEvent> =>
  (existing) => {
    if (existing) return noEvents
    const { message, author, admin, moderators, authorIsMuted, recipientIsMuted, blockers = [] } = sender
    const { subsite } = parent
    if (parent.author === null && !parent.fromSubsite) return refuse('FORBIDDEN') // a notice of the service has no sender to reply to
    if (!mayRead(parent, root, { account: author, admin, moderators })) return refuse('FORBIDDEN')
    const refused = checkMarkdown(body, limits.message, 'text')
    if (refused) return E.left(refused)
    if (sender.blocksParentAuthor) return refuse('USER_BLOCKED', 'parent')
    if (!admin && recipientIsMuted && isModerator(moderators, author)) return refuse('MUTED_FROM_SUBSITE', 'parent')
    if (!admin && authorIsMuted) return refuse('USER_MUTED', 'parent')
    const to = parent.fromSubsite ? null : parent.author
    const ends = subsite === null ? [] : [root.author, root.to].flatMap((end) => end ?? [])
    const copies = ends.filter((end) => end !== author && end !== to && !blockers.includes(end) && !hasMail(moderators, end))
    return decideEvents(
      MessageSent({
        message,
        author,
        to,
        subsite,
        fromSubsite: false,
        parent: parent.message,
        root: root.message,
        ...replySubject(parent, author),
        body,
        inboxes: [...new Set([...inboxOf(to, subsite, sender), ...copies])],
        modmail: subsite !== null,
        distinguished: distinctionOf(sender, subsite),
      }),
    )
  }

/**
 * Sends a notice of a moderator or the service to an account or to a subsite's moderators. `answered` puts it into that message's
 * conversation.
 */
export const sendNotice =
  (
    notice: Omit<MessageData, 'parent' | 'root' | 'inboxes'>,
    received: Receivers,
    answered?: Pick<Message, 'message' | 'root'>,
  ): Decide<Message, MessageEvent> =>
  (existing) => {
    if (existing) return noEvents
    const { message, to, subsite } = notice
    const thread = answered ? { parent: answered.message, root: answered.root } : { parent: null, root: message }
    return decideEvents(MessageSent({ ...notice, ...thread, inboxes: inboxOf(to, subsite, received) }))
  }
