import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record } from './decision.ts'
import { type EventOf, event } from './event.ts'
import { AccountId, CommentId, MessageId } from './ids.ts'

const Entry = t.union([CommentId, MessageId])

/** Read state of one entry of one inbox, on `inbox-<account>.<thing>`; an entry without events is unread. */
export const InboxEntryRead = event('InboxEntryRead', { account: AccountId, thing: Entry })
export const InboxEntryUnread = event('InboxEntryUnread', { account: AccountId, thing: Entry })
export type InboxEntryEvent = EventOf<typeof InboxEntryRead> | EventOf<typeof InboxEntryUnread>

export type InboxEntry = { readonly read: boolean }

export const InboxEntry: Aggregate<InboxEntry, InboxEntryEvent> = {
  category: 'inbox',
  on: { InboxEntryRead: () => ({ read: true }), InboxEntryUnread: () => ({ read: false }) },
}

export const markRead =
  (account: AccountId, thing: string): Decide<InboxEntry, InboxEntryEvent> =>
  (entry) =>
    entry?.read ? nothing : record(InboxEntryRead({ account, thing }))

export const markUnread =
  (account: AccountId, thing: string): Decide<InboxEntry, InboxEntryEvent> =>
  (entry) =>
    entry?.read ? record(InboxEntryUnread({ account, thing })) : nothing
