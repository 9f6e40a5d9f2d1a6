import { Account, Username } from '../src/domain/account.ts'
import type { Logged } from '../src/domain/events.ts'
import { Gold } from '../src/domain/gold.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument } from './engine/projection.ts'

export type AccountDocument = Document & {
  readonly name: string
  /** The name in lower case. */
  readonly lower: string
  readonly created: number
  /** Deleted by its owner or an admin; its name is not shown. */
  readonly deleted: boolean
  readonly suspended: boolean
  /** The end of a suspension in milliseconds since 1970; null: it does not end by itself. */
  readonly suspendedUntil: number | null
  /** Gift credits. */
  readonly csites: number
  /** In milliseconds since 1970; 0 if the account never had gold or its end is recorded. */
  readonly goldUntil: number
}

export const accounts = collection<AccountDocument>({ name: 'accounts', version: 3, indexes: [{ fields: ['lower', 'id'] }] })

const endSuspension = (account: AccountDocument): AccountDocument => ({ ...account, suspended: false, suspendedUntil: null })
const balance = ({ data }: Logged<'CreditsGranted' | 'ThingGilded' | 'GoldGiven'>) => [
  change<AccountDocument>(data.account, (account) => ({ ...account, csites: data.balance })),
]

export const accountsProjection: Projection<AccountDocument> = {
  collection: accounts,
  follows: [Account, Username, Gold],
  on: {
    AccountRegistered: ({ data, at }) => [
      putDocument<AccountDocument>({
        id: data.account,
        name: data.name,
        lower: data.name.toLowerCase(),
        created: at,
        deleted: false,
        suspended: false,
        suspendedUntil: null,
        csites: 0,
        goldUntil: 0,
      }),
    ],
    AccountDeleted: ({ data }) => [change(data.account, (account) => ({ ...account, deleted: true }))],
    AccountErased: ({ data }) => [change(data.account, (account) => ({ ...account, deleted: true }))],
    AccountSuspended: ({ data }) => [change(data.account, (account) => ({ ...account, suspended: true, suspendedUntil: data.until }))],
    AccountUnsuspended: ({ data }) => [change(data.account, endSuspension)],
    AccountSuspensionExpired: ({ data }) => [change(data.account, endSuspension)],
    CreditsGranted: balance,
    ThingGilded: balance,
    GoldGiven: balance,
    GoldExtended: ({ data }) => [change(data.account, (account) => ({ ...account, goldUntil: data.until }))],
    GoldExpired: ({ data }) => [change(data.account, (account) => ({ ...account, goldUntil: 0 }))],
  },
}
