import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf } from './event.ts'
import { AccountId, SubsiteId, secondPart } from './ids.ts'

const between = {
  account: field(AccountId, 'The subscriber.', 'party', { party: true }),
  subsite: field(SubsiteId, 'The subsite.', 'party'),
}
export const Subscribed = event('Subscribed', 'An account subscribed to a subsite.', between, { by: 'party' })
export const Unsubscribed = event('Unsubscribed', 'An account ended its subscription to a subsite.', between, { by: 'party' })
export const subscriptionEvents = [Subscribed, Unsubscribed] as const
export type SubscriptionEvent = OneOf<typeof subscriptionEvents>

export type Subscription = { readonly subscribed: boolean }

export const Subscription: Aggregate<Subscription, SubscriptionEvent> = {
  category: 'subscription',
  subsiteOf: secondPart,
  on: { Subscribed: () => ({ subscribed: true }), Unsubscribed: () => ({ subscribed: false }) },
  decidedByLast: true,
}

/** The most subsites that one account may be subscribed to. Its front page is made of all of them. */
export const MAX_SUBSCRIPTIONS_PER_ACCOUNT = 2_000

export const subscribe =
  (account: AccountId, subsite: SubsiteId): Decide<Subscription, SubscriptionEvent> =>
  (state) =>
    state?.subscribed ? noEvents : decideEvents(Subscribed({ account, subsite }))

export const unsubscribe =
  (account: AccountId, subsite: SubsiteId): Decide<Subscription, SubscriptionEvent> =>
  (state) =>
    state?.subscribed ? decideEvents(Unsubscribed({ account, subsite })) : refuse('NOT_FOUND', 'sr')
