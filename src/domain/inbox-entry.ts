import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type EventOf, event } from './event.ts'
import { AccountId, CommentId, MessageId } from './ids.ts'

const Entry = t.union([CommentId, MessageId])

/** Read state of one entry of one inbox, on `inbox-<account>.<thing>`; an entry without events is unread. */
export const InboxEntryRead = event('InboxEntryRead', { account: AccountId, thing: Entry })
export const InboxEntryUnread = event('InboxEntryUnread', { account: AccountId, thing: Entry })
export type InboxEntryEvent = EventOf<typeof InboxEntryRead> | EventOf<typeof InboxEntryUnread>

/** `position`: where the event stands that said so last. */
export type InboxEntry = { readonly read: boolean; readonly position: string }

export const InboxEntry: Aggregate<InboxEntry, InboxEntryEvent> = {
  category: 'inbox',
  on: {
    InboxEntryRead: (_, __, { position }) => ({ read: true, position }),
    InboxEntryUnread: (_, __, { position }) => ({ read: false, position }),
  },
  decidedByLast: true,
}

/** `before`: unless something was said after that position of the log. */
export const markRead =
  (account: AccountId, thing: string, before?: string): Decide<InboxEntry, InboxEntryEvent> =>
  (entry) =>
    entry?.read || (entry && before !== undefined && entry.position > before) ? nothing : record(InboxEntryRead({ account, thing }))

export const markUnread =
  (account: AccountId, thing: string): Decide<InboxEntry, InboxEntryEvent> =>
  (entry) =>
    entry?.read ? record(InboxEntryUnread({ account, thing })) : nothing

/** Its owner has done with all that was unread then; that each of it is read follows. */
export const InboxCleared = event('InboxCleared', { account: AccountId, things: t.readonlyArray(Entry) })
export type MailboxEvent = EventOf<typeof InboxCleared>

/** When an inbox was cleared last, on `mailbox-<account>`. */
export type Mailbox = { readonly cleared: number }

export const Mailbox: Aggregate<Mailbox, MailboxEvent> = {
  category: 'mailbox',
  on: { InboxCleared: (_, __, { at }) => ({ cleared: at }) },
  decidedByLast: true,
}

const WINDOW = 10 * 60 * 1000
/** So little of the window left is not worth a refusal. */
const IGNORED = 3_000

/** Once in ten minutes; without anything unread it is no news. */
export const clearInbox =
  (account: AccountId, at: number, things: readonly string[]): Decide<Mailbox, MailboxEvent> =>
  (mailbox) => {
    if (mailbox && mailbox.cleared + WINDOW - at > IGNORED) return refuse('TOO_MANY_REQUESTS')
    return things.length === 0 ? nothing : record(InboxCleared({ account, things }))
  }
