// Decision 115.

import type { Actor } from './event.ts'
import type { EventName } from './events.ts'

/**
 * The acts of admins, and of the service in their place, on the whole site. They are entries of the site's log. Acts of admins in a subsite
 * are in the log of the subsite.
 */
export const siteActions = {
  suspenduser: ['AccountSuspended'],
  unsuspenduser: ['AccountUnsuspended', 'AccountSuspensionExpired'],
  eraseuser: ['AccountErased'],
  erasemessage: ['MessageErased'],
  grantcredits: ['CreditsGranted'],
  givegold: ['GoldGiven', 'ThingGilded'],
  addadmin: ['AdminGranted'],
  removeadmin: ['AdminRevoked'],
} as const satisfies Readonly<Record<string, readonly EventName[]>>

export type SiteAction = keyof typeof siteActions
export type SiteActEvent = (typeof siteActions)[SiteAction][number]

export const siteActionNames = Object.keys(siteActions) as readonly SiteAction[]

export const siteActionOf = Object.fromEntries(
  Object.entries(siteActions).flatMap(([action, events]) => events.map((event) => [event, action])),
) as Readonly<Record<SiteActEvent, SiteAction>>

/** Acts that accounts also do for themselves. */
const onlyByAdmins: ReadonlySet<string> = new Set(['AccountErased', 'GoldGiven', 'ThingGilded'] satisfies SiteActEvent[])

/** Tells whether an event is an entry of the site's log. This is fixed for ever, as for moderation logs. */
export const isSiteAct = ({ type, by }: { readonly type: string; readonly by: Actor }): boolean =>
  Object.hasOwn(siteActionOf, type) && (by.as === 'admin' || !onlyByAdmins.has(type))
