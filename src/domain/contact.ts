import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type EventOf, event, sealed } from './event.ts'
import { AccountId } from './ids.ts'

const between = { account: AccountId, other: AccountId }

export const Friended = event('Friended', { ...between, note: sealed('account') })
export const FriendNoteChanged = event('FriendNoteChanged', { ...between, note: sealed('account') })
export const Unfriended = event('Unfriended', between)
export type ContactEvent = EventOf<typeof Friended> | EventOf<typeof FriendNoteChanged> | EventOf<typeof Unfriended>

/** What one account holds of another; one-sided. `friend.since` in milliseconds. */
export type Contact = { readonly friend: { readonly since: number; readonly note: string } | undefined }

export const Contact: Aggregate<Contact, ContactEvent> = {
  category: 'contact',
  on: {
    Friended: (_, { note }, { at }) => ({ friend: { since: at, note } }),
    FriendNoteChanged: (state, { note }) => state && { ...state, friend: state.friend && { ...state.friend, note } },
    Unfriended: (state) => state && { ...state, friend: undefined },
  },
}

type Between = { readonly account: AccountId; readonly other: AccountId }

/** Make a friend, or change the note on one; without a note the one there is stays. */
export const befriend =
  (between: Between, note?: string): Decide<Contact, ContactEvent> =>
  (contact) => {
    const friend = contact?.friend
    if (!friend) return record(Friended({ ...between, note: note ?? '' }))
    return note === undefined || note === friend.note ? nothing : record(FriendNoteChanged({ ...between, note }))
  }

export const unfriend =
  (between: Between): Decide<Contact, ContactEvent> =>
  (contact) =>
    contact?.friend ? record(Unfriended(between)) : refuse('NOT_FRIEND', 'username')
