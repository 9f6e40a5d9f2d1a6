import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, type Touch } from './engine/projection.ts'

/** An account's friendship and block of another: `since` and `note` of the friendship, `blockedAt` of the block. */
export type ContactDocument = Document & {
  readonly account: string
  readonly other: string
  readonly friend: boolean
  /** Milliseconds since 1970; 0 without a friendship. */
  readonly since: number
  readonly note: string
  readonly blocked: boolean
  /** Milliseconds since 1970; 0 without a block. */
  readonly blockedAt: number
}

export const contacts = collection<ContactDocument>({
  name: 'contacts',
  version: 2,
  indexes: [{ fields: ['account', 'friend', 'since', 'id'] }, { fields: ['account', 'blocked', 'blockedAt', 'id'] }],
})

export const contactId = (account: string, other: string): string => `${account}.${other}`

type Pair = { readonly account: string; readonly other: string }

/** Changes a contact, which is created if it is missing. */
const changeContact = ({ account, other }: Pair, changes: Partial<ContactDocument>): Touch<ContactDocument> => {
  const id = contactId(account, other)
  const none = { id, account, other, friend: false, since: 0, note: '', blocked: false, blockedAt: 0 }
  return { id, change: (contact = none) => ({ ...contact, ...changes }) }
}

export const contactsProjection: Projection<ContactDocument> = {
  collection: contacts,
  on: {
    AccountTextsErased: ({ data }) =>
      data.contacts.map((id) => change(id, (contact) => ({ ...contact, note: contact.friend ? ERASED_PLACEHOLDER : '' }))),
    Friended: ({ data, at }) => [changeContact(data, { friend: true, since: at, note: data.note })],
    FriendNoteChanged: ({ data }) => [change(contactId(data.account, data.other), (contact) => ({ ...contact, note: data.note }))],
    Unfriended: ({ data }) => [
      change(contactId(data.account, data.other), (contact) => ({ ...contact, friend: false, since: 0, note: '' })),
    ],
    AccountBlocked: ({ data, at }) => [changeContact(data, { blocked: true, blockedAt: at })],
    AccountUnblocked: ({ data }) => [changeContact(data, { blocked: false, blockedAt: 0 })],
  },
}
