import { type SubscriptionDocument, subscriptions } from '../../projections/subscriptions.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { countBy, listingIndex } from '../ports/indexed.ts'
import { readAll } from './read-all.ts'

/** Finds the subscriptions of an account, the oldest first. */
export const SUBSCRIPTIONS_OF_ACCOUNT = listingIndex(subscriptions, ['account'], ['since', 'id'])

/** Returns all subscriptions of an account, oldest first. */
export const subscriptionsOf = (documents: DocumentStore, account: AccountId): Promise<readonly SubscriptionDocument[]> =>
  readAll(documents, SUBSCRIPTIONS_OF_ACCOUNT, { account })

/** Counts the subscriptions of an account, no further than `most`. */
export const countSubscribed = (documents: DocumentStore, account: AccountId, most: number): Promise<number> =>
  countBy(documents, SUBSCRIPTIONS_OF_ACCOUNT, { account }, most)
