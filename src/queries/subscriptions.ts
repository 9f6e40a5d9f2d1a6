import { type SubscriptionDocument, subscriptions } from '../../projections/subscriptions.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { everything } from './everything.ts'

/** All that an account is subscribed to, oldest first. */
export const subscriptionsOf = (documents: DocumentStore, account: AccountId): Promise<readonly SubscriptionDocument[]> =>
  everything(documents, subscriptions, { account }, ['since', 'id'])

/** How many subscriptions an account has, counting no further than `most`. */
export const countSubscribed = (documents: DocumentStore, account: AccountId, most: number): Promise<number> =>
  documents.count(subscriptions, { account }, most)
