import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, putDocument } from './engine/projection.ts'

/** A gilded thing: one document for the account that received the gold, one for the account that gave it. */
export type GildingDocument = Document & {
  readonly account: string
  readonly role: 'given' | 'received'
  readonly thing: string
  readonly subsite: string
  /** The time of the last gilding. */
  readonly at: number
}

export const gildings = collection<GildingDocument>({
  name: 'gildings',
  version: 2,
  indexes: [
    { fields: ['account', 'role', '-at', '-id'] },
    { fields: ['role', '-at', '-id'] },
    { fields: ['subsite', 'role', '-at', '-id'] },
  ],
})

type Role = GildingDocument['role']

export const gildingId = (role: Role, account: string, thing: string): string => `${role}.${account}.${thing}`

export const gildingsProjection: Projection<GildingDocument> = {
  collection: gildings,
  on: {
    ThingGilded: ({ data: { account: giver, author, thing, subsite }, at }) =>
      (
        [
          ['received', author],
          ['given', giver],
        ] as const
      ).map(([role, account]) => putDocument({ id: gildingId(role, account, thing), account, role, thing, subsite, at })),
  },
}
