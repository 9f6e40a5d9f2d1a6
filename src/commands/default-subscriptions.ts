// Decision 35.

import * as E from 'fp-ts/lib/Either.js'
import { v5 } from 'uuid'
import { recentSubscriptions } from '../../projections/recent-subscriptions.ts'
import type { AccountId } from '../domain/ids.ts'
import { Subscription, type SubscriptionEvent, subscribe, unsubscribe } from '../domain/subscription.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { subscriptionsOf } from '../queries/subscriptions.ts'
import { defaultSubsites, subsitesNamed } from '../queries/subsites.ts'
import type { Command } from '../runtime/command.ts'
import type { Load } from '../runtime/load.ts'
import type { Run } from '../runtime/run.ts'

type SubscriptionPorts = {
  readonly config: { readonly defaultSubsites: readonly string[] }
  readonly documents: DocumentStore
  readonly load: Load
  readonly run: Run
}

/**
 * Tells whether an account ever subscribed to a subsite or left one, even if it left all of them. The first time, it is subscribed to all
 * default subsites, whose streams show a choice that the read models do not show yet.
 */
export const hasChosen = async ({ config, documents, load }: Omit<SubscriptionPorts, 'run'>, account: AccountId): Promise<boolean> => {
  if (await getOne(documents, recentSubscriptions, account)) return true
  const defaults = await subsitesNamed(documents, config.defaultSubsites)
  const states = await Promise.all(defaults.map(({ id }) => load(Subscription, `${account}.${id}`)))
  return states.some((state) => state !== undefined)
}

/** Subscribes an account that never chose to the default subsites, which it saw so far. */
export const takeDefaults = async (parts: SubscriptionPorts, account: AccountId, command: Command): Promise<void> => {
  // uses a separate command: the one that caused it may act on the same streams
  const id = v5('default subscriptions', command.id)
  const separate: Command = { ...command, id, causationId: id, seen: new Map() }
  const defaults = await defaultSubsites(parts)
  await Promise.all(defaults.map(({ id }) => parts.run(Subscription, `${account}.${id}`, subscribe(account, id), separate)))
}

/** The number of subscriptions that are ended at once. */
const ENDED_AT_ONCE = 50

/** Leaves everything but the default subsites, and subscribes to those. Returns the recorded events. */
export const resetSubscriptions = async (
  parts: SubscriptionPorts,
  account: AccountId,
  command: Command,
): Promise<readonly SubscriptionEvent[]> => {
  const [subscriptions, defaults] = await Promise.all([subscriptionsOf(parts.documents, account), defaultSubsites(parts)])
  const defaultIds = new Set(defaults.map(({ id }) => id))
  const unwanted = subscriptions.map(({ subsite }) => subsite).filter((id) => !defaultIds.has(id))
  const recorded: SubscriptionEvent[] = []
  for (let from = 0; from < unwanted.length; from += ENDED_AT_ONCE) {
    const slice = unwanted.slice(from, from + ENDED_AT_ONCE)
    const outcomes = await Promise.all(slice.map((id) => parts.run(Subscription, `${account}.${id}`, unsubscribe(account, id), command)))
    // a subscription that was ended meanwhile is refused, as intended
    for (const outcome of outcomes) if (E.isRight(outcome)) recorded.push(...outcome.right.events)
  }
  for (const outcome of await Promise.all(
    [...defaultIds].map((id) => parts.run(Subscription, `${account}.${id}`, subscribe(account, id), command)),
  ))
    if (E.isRight(outcome)) recorded.push(...outcome.right.events)
  return recorded
}
