import * as t from 'io-ts'
import type { Aggregate } from './decision.ts'
import { type EventOf, event, sealed } from './event.ts'
import { AccountId, MessageId, SubsiteId } from './ids.ts'

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
export type MessageEvent = EventOf<typeof MessageSent>

export type Message = MessageEvent['data'] & { readonly created: number }

export const Message: Aggregate<Message, MessageEvent> = {
  category: 'message',
  on: { MessageSent: (_, data, { at }) => ({ ...data, created: at }) },
}
