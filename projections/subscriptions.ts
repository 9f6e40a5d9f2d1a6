import { Subscription } from '../src/domain/subscription.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, putDocument, remove } from './engine/projection.ts'

export type SubscriptionDocument = Document & { readonly account: string; readonly subsite: string; readonly since: number }

export const subscriptions = collection<SubscriptionDocument>({
  name: 'subscriptions',
  version: 2,
  indexes: [{ fields: ['account', 'since', 'id'] }, { fields: ['subsite', '-since', '-id'] }],
})

export const subscriptionId = (account: string, subsite: string): string => `${account}.${subsite}`

export const subscriptionsProjection: Projection<SubscriptionDocument> = {
  collection: subscriptions,
  follows: [Subscription],
  on: {
    Subscribed: ({ data: { account, subsite }, at }) => [
      putDocument({ id: subscriptionId(account, subsite), account, subsite, since: at }),
    ],
    Unsubscribed: ({ data }) => [remove(subscriptionId(data.account, data.subsite))],
  },
}
