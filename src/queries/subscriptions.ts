import { type SubscriptionDocument, subscriptions } from '../../projections/subscriptions.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { countBy, indexed } from '../ports/indexed.ts'
import { everything } from './everything.ts'

/** The subscriptions of an account, the oldest first. */
export const SUBSCRIPTIONS_OF_ACCOUNT = indexed(subscriptions, ['account'], ['since', 'id'])

/** All that an account is subscribed to, oldest first. */
export const subscriptionsOf = (documents: DocumentStore, account: AccountId): Promise<readonly SubscriptionDocument[]> =>
  everything(documents, SUBSCRIPTIONS_OF_ACCOUNT, { account })

/** How many subscriptions an account has, counting no further than `most`. */
export const countSubscribed = (documents: DocumentStore, account: AccountId, most: number): Promise<number> =>
  countBy(documents, SUBSCRIPTIONS_OF_ACCOUNT, { account }, most)
