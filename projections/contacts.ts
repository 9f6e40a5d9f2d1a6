import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, put } from './engine/projection.ts'

/** What one account holds of another. `since` and `note` speak of the friendship, if there is one. */
export type ContactDocument = Document & {
  readonly account: string
  readonly other: string
  readonly friend: boolean
  readonly since: number
  readonly note: string
}

export const contacts = collection<ContactDocument>({
  name: 'contacts',
  version: 1,
  indexes: [{ fields: ['account', 'friend', 'since', 'id'] }],
})

export const contactId = (account: string, other: string): string => `${account}.${other}`

export const contactsProjection: Projection<ContactDocument> = {
  collection: contacts,
  on: {
    Friended: ({ data: { account, other, note }, at }) => [
      put<ContactDocument>({ id: contactId(account, other), account, other, friend: true, since: at, note }),
    ],
    FriendNoteChanged: ({ data }) => [change(contactId(data.account, data.other), (contact) => ({ ...contact, note: data.note }))],
    Unfriended: ({ data }) => [
      change(contactId(data.account, data.other), (contact) => ({ ...contact, friend: false, since: 0, note: '' })),
    ],
  },
}
