import { v5 } from 'uuid'
import { subscriptions } from '../../projections/subscriptions.ts'
import type { SubsiteDocument } from '../../projections/subsites.ts'
import type { App } from '../app.ts'
import type { AccountId } from '../domain/ids.ts'
import { Subscription, subscribe } from '../domain/subscription.ts'
import { subsitesNamed } from '../queries/subsites.ts'
import type { Command } from '../runtime/command.ts'

type Parts = Pick<App, 'config' | 'documents' | 'load' | 'run'>

/** What people without subscriptions see. */
export const defaultSubsites = async ({ config, documents }: Pick<Parts, 'config' | 'documents'>): Promise<readonly SubsiteDocument[]> =>
  (await subsitesNamed(documents, config.defaultSubsites)).filter(({ allowTop }) => allowTop)

/**
 * Whether an account ever subscribed to anything or left it. The first time, it is subscribed to all that people without
 * subscriptions see; so whoever has no history with any of these, and no subscription, never chose.
 */
export const hasChosen = async ({ config, documents, load }: Omit<Parts, 'run'>, account: AccountId): Promise<boolean> => {
  if ((await documents.count(subscriptions, { account }, 1)) > 0) return true
  const defaults = await subsitesNamed(documents, config.defaultSubsites)
  const states = await Promise.all(defaults.map(({ id }) => load(Subscription, `${account}.${id}`)))
  return states.some((state) => state !== undefined)
}

/** Makes real subscriptions of what an account that never chose sees. */
export const takeDefaults = async (parts: Parts, account: AccountId, command: Command): Promise<void> => {
  // a command of its own: the one it goes with may act on the same streams
  const own: Command = { ...command, id: v5('default subscriptions', command.id), seen: new Map() }
  const defaults = await defaultSubsites(parts)
  await Promise.all(defaults.map(({ id }) => parts.run(Subscription, `${account}.${id}`, subscribe(account, id), own)))
}
