// Decision 1.

import type { Logged } from '../src/domain/events.ts'
import { scoreOf } from '../src/domain/ranking.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection } from './engine/projection.ts'
import { isLink, tallyChange } from './engine/ranked.ts'

/** The karma that an account earned in one subsite. */
export type KarmaDocument = Document & {
  readonly account: string
  readonly subsite: string
  readonly link: number
  readonly comment: number
}

export const karma = collection<KarmaDocument>({ name: 'karma', version: 1, indexes: [{ fields: ['account', 'id'] }] })

export const karmaId = (account: string, subsite: string): string => `${account}.${subsite}`

/** Returns the karma that a vote brings the author of the thing: two for an insightful mark, one for a funny one. */
export const karmaOf = (vote: Logged<'VoteCast'>['data']): { readonly link: number; readonly comment: number } => {
  const worth = scoreOf(tallyChange(vote))
  return isLink(vote.thing) ? { link: worth, comment: 0 } : { link: 0, comment: worth }
}

export const karmaProjection: Projection<KarmaDocument> = {
  collection: karma,
  on: {
    VoteCast: ({ data }) => {
      if (!data.karma) return []
      const { author: account, subsite } = data
      const id = karmaId(account, subsite)
      const { link, comment } = karmaOf(data)
      return [
        {
          id,
          change: (earned) => ({ id, account, subsite, link: (earned?.link ?? 0) + link, comment: (earned?.comment ?? 0) + comment }),
        },
      ]
    },
  },
}
