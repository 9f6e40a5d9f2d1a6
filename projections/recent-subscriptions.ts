import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/**
 * An account's subscriptions, newest first, under the account's id. Only the newest fifty are kept. The list is empty if the account left
 * every subsite.
 */
export type RecentSubscriptionsDocument = Document & { readonly subsites: readonly string[] }

const MAX_RECENT_SUBSCRIPTIONS = 50

export const recentSubscriptions = collection<RecentSubscriptionsDocument>({ name: 'tastes', version: 1, indexes: [] })

const changeSubscriptions = (
  id: string,
  update: (subsites: readonly string[]) => readonly string[],
): Touch<RecentSubscriptionsDocument> => ({
  id,
  change: (before) => ({ id, subsites: update(before?.subsites ?? []) }),
})

export const recentSubscriptionsProjection: Projection<RecentSubscriptionsDocument> = {
  collection: recentSubscriptions,
  on: {
    Subscribed: ({ data: { account, subsite } }) => [
      changeSubscriptions(account, (subsites) => [subsite, ...subsites].slice(0, MAX_RECENT_SUBSCRIPTIONS)),
    ],
    Unsubscribed: ({ data: { account, subsite } }) => [
      changeSubscriptions(account, (subsites) => subsites.filter((one) => one !== subsite)),
    ],
  },
}
