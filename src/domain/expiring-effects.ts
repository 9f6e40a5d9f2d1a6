import { Account, expireSuspension } from './account.ts'
import type { Aggregate, Decide } from './decision.ts'
import type { AnyEvent } from './event.ts'
import type { EventName, EventNamed } from './events.ts'
import { expireGold, Gold } from './gold.ts'
import { Relation, type SubsiteAccount } from './relation.ts'
import { expireBan, expireMute, expireWikiBan } from './restrictions.ts'

/** Events that say when an effect ends: milliseconds since 1970, null: never. */
type ExpiringEventName = {
  [Name in EventName]: EventNamed<Name>['data'] extends { readonly until: number | null } ? Name : never
}[EventName]

type ExpiringEffect = {
  readonly aggregate: Aggregate<unknown, AnyEvent>
  /** The events that replace the end. */
  readonly setBy: readonly ExpiringEventName[]
  readonly endedBy: readonly EventName[]
  /** Records the end, if it has come by `at`. `id` is that of the aggregate. */
  readonly expire: (id: string, at: number) => Decide<unknown, AnyEvent>
}

const expiringEffect = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  setBy: readonly ExpiringEventName[],
  endedBy: readonly EventName[],
  expire: (id: string, at: number) => Decide<State, Event>,
): ExpiringEffect => ({ aggregate, setBy, endedBy, expire }) as unknown as ExpiringEffect

const pairOf = (id: string): SubsiteAccount => {
  const [subsite = '', account = ''] = id.split('.')
  return { subsite, account }
}

/**
 * Effects that expire. To add one: a line here, and its `dueAt` in `src/audit/rules/causes.ts` or `membership-causes.ts`. The events that
 * set it have `until` in their data and are in the same stream as its expiry. An effect must not be in force after `until`, however late
 * its expiry is recorded.
 */
export const expiringEffects = {
  ban: expiringEffect(Relation, ['UserBanned', 'BanChanged'], ['UserUnbanned', 'BanExpired'], (id, at) => expireBan(pairOf(id), at)),
  wikiBan: expiringEffect(Relation, ['UserWikiBanned', 'WikiBanChanged'], ['UserWikiUnbanned', 'WikiBanExpired'], (id, at) =>
    expireWikiBan(pairOf(id), at),
  ),
  gold: expiringEffect(Gold, ['GoldExtended'], ['GoldExpired'], expireGold),
  mute: expiringEffect(Relation, ['UserMuted'], ['UserUnmuted', 'MuteExpired'], (id, at) => expireMute(pairOf(id), at)),
  suspension: expiringEffect(Account, ['AccountSuspended'], ['AccountUnsuspended', 'AccountSuspensionExpired'], (_, at) =>
    expireSuspension(at),
  ),
} as const satisfies Readonly<Record<string, ExpiringEffect>>

export type ExpiringEffectName = keyof typeof expiringEffects
