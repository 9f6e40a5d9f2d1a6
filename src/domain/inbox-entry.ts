// Decision 40.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents } from './decision.ts'
import { event, field, type OneOf, positionAtMost } from './event.ts'
import { AccountId, CommentId, MessageId, secondPart } from './ids.ts'

/** The id of a thing in an inbox. */
export const EntryId = t.union([CommentId, MessageId])

export const inboxOwner = field(AccountId, 'Whose inbox it is.', 'party', { party: true })
const entry = { account: inboxOwner, thing: field(EntryId, 'The comment or message.', 'party') }
/** Read state of one entry of one inbox, on `inbox-<account>.<thing>`; an entry without events is unread. */
export const InboxEntryRead = event('InboxEntryRead', 'An account marked a comment or message in its inbox as read.', entry, {
  by: 'party',
})
export const InboxEntryUnread = event('InboxEntryUnread', 'An account marked a comment or message in its inbox as unread.', entry, {
  by: 'party',
})
export const inboxEntryEvents = [InboxEntryRead, InboxEntryUnread] as const
export type InboxEntryEvent = OneOf<typeof inboxEntryEvents>

/** `position` is that of the last event that set the state. */
export type InboxEntry = { readonly read: boolean; readonly position: string }

export const InboxEntry: Aggregate<InboxEntry, InboxEntryEvent> = {
  category: 'inbox',
  subsiteOf: secondPart,
  on: {
    InboxEntryRead: (_, __, event) => ({ read: true, position: positionAtMost(event) }),
    InboxEntryUnread: (_, __, event) => ({ read: false, position: positionAtMost(event) }),
  },
  decidedByLast: true,
}

/** Marks an entry as read, unless its state was set after the position `before`. */
export const markRead =
  (account: AccountId, thing: string, before?: string): Decide<InboxEntry, InboxEntryEvent> =>
  (entry) =>
    entry?.read || (entry && before !== undefined && entry.position > before) ? noEvents : decideEvents(InboxEntryRead({ account, thing }))

export const markUnread =
  (account: AccountId, thing: string): Decide<InboxEntry, InboxEntryEvent> =>
  (entry) =>
    entry?.read ? decideEvents(InboxEntryUnread({ account, thing })) : noEvents
