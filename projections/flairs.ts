import { placesOf } from '../src/domain/account.ts'
import type { Logged } from '../src/domain/events.ts'
import { isEmpty } from '../src/domain/flair.ts'
import { numberOf } from '../src/domain/ids.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument } from './engine/projection.ts'

/** The flair of an account in a subsite. */
export type FlairDocument = Document & {
  readonly subsite: string
  readonly account: string
  /** The number of the account, which is the order of the list. */
  readonly seq: number
  readonly text: string
  readonly css: string
  /** True if the account does not hide it. */
  readonly shown: boolean
  /** True if it has a text or a class. Only such flair is in the list. */
  readonly listed: boolean
}

export const flairs = collection<FlairDocument>({
  name: 'flairs',
  version: 2,
  unique: { seq: ['subsite'] },
  indexes: [{ fields: ['subsite', 'listed', 'seq'] }],
})

export const flairId = (subsite: string, account: string): string => `${subsite}.${account}`

const putFlair = ({ data: { subsite, account, text, css, shown } }: Logged<'UserFlairChanged' | 'UserFlairSwitched'>) => [
  putDocument<FlairDocument>({
    id: flairId(subsite, account),
    subsite,
    account,
    seq: numberOf(account),
    text,
    css,
    shown,
    listed: !isEmpty({ text, css }),
  }),
]

export const flairsProjection: Projection<FlairDocument> = {
  collection: flairs,
  on: {
    UserFlairChanged: putFlair,
    UserFlairSwitched: putFlair,
    AccountTextsErased: ({ data }) =>
      placesOf(data, 'flair').map((id) => change(id, (flair) => ({ ...flair, text: '', listed: flair.css !== '' }))),
  },
}
