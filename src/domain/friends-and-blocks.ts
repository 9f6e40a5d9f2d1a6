// Decision 69.

import { type Aggregate, type Decide, decideEvents, foldInParts, noEvents, refuse, switchOnAndOff } from './decision.ts'
import { event, field, type OneOf, sealedText } from './event.ts'
import { AccountId } from './ids.ts'

const between = {
  account: field(AccountId, 'Whose contact it is.', 'party', { party: true }),
  other: field(AccountId, 'The other account, which learns nothing of it.', 'party'),
}
const note = field(sealedText('account'), 'What the account notes about its friend; may be empty.', 'party')

export const Friended = event('Friended', 'An account added another to its friends.', { ...between, note }, { by: 'party' })
export const FriendNoteChanged = event(
  'FriendNoteChanged',
  'An account changed its note about a friend.',
  { ...between, note },
  { by: 'party' },
)
export const Unfriended = event('Unfriended', 'An account removed another from its friends.', between, { by: 'party' })
export const AccountBlocked = event('AccountBlocked', 'An account blocked another.', between, { by: 'party' })
export const AccountUnblocked = event('AccountUnblocked', 'An account no longer blocks another.', between, { by: 'party' })
export const contactEvents = [Friended, FriendNoteChanged, Unfriended, AccountBlocked, AccountUnblocked] as const
export type ContactEvent = OneOf<typeof contactEvents>

/**
 * An account's friendship with another and its block of it. Both are one-sided, and a friend may also be blocked. `friend.since` is in
 * milliseconds.
 */
export type Contact = { readonly friend: { readonly since: number; readonly note: string } | undefined; readonly blocked: boolean }

const none: Contact = { friend: undefined, blocked: false }

export const Contact: Aggregate<Contact, ContactEvent> = {
  category: 'contact',
  subsiteOf: null,
  ...foldInParts<Contact, ContactEvent>({
    Friended: { of: 'friend', anew: true, fold: (state = none, { note }, { at }) => ({ ...state, friend: { since: at, note } }) },
    FriendNoteChanged: {
      of: 'friend',
      anew: false,
      fold: (state, { note }) => state && { ...state, friend: state.friend && { ...state.friend, note } },
    },
    Unfriended: { of: 'friend', anew: true, fold: (state = none) => ({ ...state, friend: undefined }) },
    AccountBlocked: { of: 'blocked', anew: true, fold: (state = none) => ({ ...state, blocked: true }) },
    AccountUnblocked: { of: 'blocked', anew: true, fold: (state = none) => ({ ...state, blocked: false }) },
  }),
}

type AccountPair = { readonly account: AccountId; readonly other: AccountId }

/** Adds a friend or changes the note. Without a note the current one stays. */
export const befriend =
  (between: AccountPair, note?: string): Decide<Contact, ContactEvent> =>
  (contact) => {
    const friend = contact?.friend
    if (!friend) return decideEvents(Friended({ ...between, note: note ?? '' }))
    return note === undefined || note === friend.note ? noEvents : decideEvents(FriendNoteChanged({ ...between, note }))
  }

export const unfriend =
  (between: AccountPair): Decide<Contact, ContactEvent> =>
  (contact) =>
    contact?.friend ? decideEvents(Unfriended(between)) : refuse('NOT_FRIEND', 'username')

/** The most accounts that one account may block. */
export const MAX_BLOCKED_ACCOUNTS = 1_000

export const { on: block, off: unblock } = switchOnAndOff(({ blocked }: Contact) => blocked, AccountBlocked, AccountUnblocked)
