// Decisions 1 and 132.

import type { Logged } from '../src/domain/events.ts'
import { isLinkId } from '../src/domain/ids.ts'
import { scoreOf } from '../src/domain/ranking.ts'
import type { Document } from '../src/ports/documents.ts'
import { partId, partitionOf } from './engine/partitions.ts'
import { collection, type Projection } from './engine/projection.ts'
import { tallyChange } from './engine/ranked.ts'

export type Karma = { readonly link: number; readonly comment: number }

/**
 * A part of an account's karma in one subsite, or `EVERYWHERE`: that of the votes on things of one partition. A query adds the parts, so
 * that shards count votes independently.
 */
export type KarmaDocument = Document & Karma & { readonly account: string; readonly subsite: string }

export const karma = collection<KarmaDocument>({ name: 'karma', version: 2, indexes: [{ fields: ['account', 'id'] }] })

/** Stands in place of a subsite for karma of all subsites. */
export const EVERYWHERE = ''

/** Returns the id that the parts share; `partId` adds the number of the partition. */
export const karmaId = (account: string, subsite: string): string => `${account}.${subsite}`

/** Returns the karma that a vote brings the author of the thing: two for an insightful mark, one for a funny one. */
const karmaOf = (vote: Logged<'VoteCast'>['data']): Karma => {
  const worth = scoreOf(tallyChange(vote))
  return isLinkId(vote.thing) ? { link: worth, comment: 0 } : { link: 0, comment: worth }
}

export const karmaProjection: Projection<KarmaDocument> = {
  collection: karma,
  on: {
    VoteCast: ({ data }) => {
      if (!data.karma) return []
      const { author: account, thing } = data
      const { link, comment } = karmaOf(data)
      return [data.subsite, EVERYWHERE].map((subsite) => {
        const id = partId(karmaId(account, subsite), partitionOf(thing))
        return {
          id,
          change: (earned) => ({ id, account, subsite, link: (earned?.link ?? 0) + link, comment: (earned?.comment ?? 0) + comment }),
        }
      })
    },
  },
}
