// Decision 40.

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents } from './decision.ts'
import { event, field, type OneOf } from './event.ts'
import type { AccountId } from './ids.ts'
import { EntryId, inboxOwner } from './inbox-entry.ts'
import type { Refusal } from './refusal.ts'
import { MINUTE } from './time.ts'

export const InboxCleared = event(
  'InboxCleared',
  'An account marked all of its inbox as read; the events of the entries follow.',
  { account: inboxOwner, things: field(t.readonlyArray(EntryId), 'The comments and messages that were unread.', 'party') },
  { by: 'party' },
)
export const inboxClearingEvents = [InboxCleared] as const
export type InboxClearingEvent = OneOf<typeof inboxClearingEvents>

/** When an inbox was last marked as read, on `mailbox-<account>`. */
export type InboxClearing = { readonly cleared: number }

export const InboxClearing: Aggregate<InboxClearing, InboxClearingEvent> = {
  category: 'mailbox',
  subsiteOf: null,
  on: { InboxCleared: (_, __, { at }) => ({ cleared: at }) },
  decidedByLast: true,
}

const CLEARING_INTERVAL_MS = 10 * MINUTE
/** A call is not refused if this little of the window is left. */
const IGNORED_INTERVAL_MS = 3_000

/** Returns the refusal that asks an account to wait so many milliseconds. */
const tooSoon = (left: number): Refusal => ({
  code: 'TOO_MANY_REQUESTS',
  field: null,
  text: 'an inbox can be marked as read once in ten minutes',
  extra: { ratelimit: left / 1000 },
})

/** Clears an inbox, at most once in ten minutes. It changes nothing if nothing is unread. */
export const clearInbox =
  (account: AccountId, at: number, things: readonly string[]): Decide<InboxClearing, InboxClearingEvent> =>
  (mailbox) => {
    const waitMs = mailbox ? mailbox.cleared + CLEARING_INTERVAL_MS - at : 0
    if (waitMs > IGNORED_INTERVAL_MS) return E.left(tooSoon(waitMs))
    return things.length === 0 ? noEvents : decideEvents(InboxCleared({ account, things }))
  }
