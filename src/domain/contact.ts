import type { Aggregate } from './decision.ts'
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
