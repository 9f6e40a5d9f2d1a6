import type { Aggregate } from './decision.ts'
import { type EventOf, event } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'

export const Subscribed = event('Subscribed', { account: AccountId, subsite: SubsiteId })
export const Unsubscribed = event('Unsubscribed', { account: AccountId, subsite: SubsiteId })
export type SubscriptionEvent = EventOf<typeof Subscribed> | EventOf<typeof Unsubscribed>

export type Subscription = { readonly subscribed: boolean }

export const Subscription: Aggregate<Subscription, SubscriptionEvent> = {
  category: 'subscription',
  on: { Subscribed: () => ({ subscribed: true }), Unsubscribed: () => ({ subscribed: false }) },
}
