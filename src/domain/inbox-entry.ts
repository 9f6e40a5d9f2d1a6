// Decision 40.

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents } from './decision.ts'
import { event, field, type OneOf, positionAtMost } from './event.ts'
import { AccountId, CommentId, MessageId, secondPart } from './ids.ts'
import type { Refusal } from './refusal.ts'
import { MINUTE } from './time.ts'

const Entry = t.union([CommentId, MessageId])

const owner = field(AccountId, 'Whose inbox it is.', 'party', { party: true })
const entry = { account: owner, thing: field(Entry, 'The comment or message.', 'party') }
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

export const InboxCleared = event(
  'InboxCleared',
  'An account marked all of its inbox as read; the events of the entries follow.',
  { account: owner, things: field(t.readonlyArray(Entry), 'The comments and messages that were unread.', 'party') },
  { by: 'party' },
)
export const mailboxEvents = [InboxCleared] as const
export type MailboxEvent = OneOf<typeof mailboxEvents>

/** When an inbox was last marked as read, on `mailbox-<account>`. */
export type Mailbox = { readonly cleared: number }

export const Mailbox: Aggregate<Mailbox, MailboxEvent> = {
  category: 'mailbox',
  subsiteOf: null,
  on: { InboxCleared: (_, __, { at }) => ({ cleared: at }) },
  decidedByLast: true,
}

const CLEARING_INTERVAL_MS = 10 * MINUTE
/** A call is not refused if this little of the window is left. */
const IGNORED_INTERVAL_MS = 3_000

/** Returns the refusal for so many milliseconds. */
const tooSoon = (left: number): Refusal => ({
  code: 'TOO_MANY_REQUESTS',
  field: null,
  text: 'an inbox can be marked as read once in ten minutes',
  extra: { ratelimit: left / 1000 },
})

/** Clears an inbox, at most once in ten minutes. It changes nothing if nothing is unread. */
export const clearInbox =
  (account: AccountId, at: number, things: readonly string[]): Decide<Mailbox, MailboxEvent> =>
  (mailbox) => {
    const left = mailbox ? mailbox.cleared + CLEARING_INTERVAL_MS - at : 0
    if (left > IGNORED_INTERVAL_MS) return E.left(tooSoon(left))
    return things.length === 0 ? noEvents : decideEvents(InboxCleared({ account, things }))
  }
