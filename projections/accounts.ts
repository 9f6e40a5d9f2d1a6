import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, put } from './engine/projection.ts'
import { karmaOf } from './karma.ts'

export type AccountDocument = Document & {
  readonly name: string
  /** The name in lower case. */
  readonly lower: string
  readonly created: number
  readonly linkKarma: number
  readonly commentKarma: number
}

export const accounts = collection<AccountDocument>({ name: 'accounts', version: 1, indexes: [{ fields: ['lower', 'id'] }] })

export const accountsProjection: Projection<AccountDocument> = {
  collection: accounts,
  on: {
    AccountRegistered: ({ data, at }) => [
      put({ id: data.account, name: data.name, lower: data.name.toLowerCase(), created: at, linkKarma: 0, commentKarma: 0 }),
    ],
    VoteCast: ({ data }) => {
      if (!data.karma) return []
      const { link, comment } = karmaOf(data)
      return [
        change(data.author, (account) => ({
          ...account,
          linkKarma: account.linkKarma + link,
          commentKarma: account.commentKarma + comment,
        })),
      ]
    },
  },
}
