import { Account, expireSuspension } from './account.ts'
import type { Aggregate, Decide } from './decision.ts'
import type { AnyEvent } from './event.ts'
import type { EventName, EventNamed } from './events.ts'
import { expireGold, Gold } from './gold.ts'
import { Relation, type SubsiteAccount } from './relation.ts'
import { expireBan, expireMute, expireWikiBan } from './restrictions.ts'

/** Days that a ban or a suspension can last; without a number of days it is permanent. */
export const termDays = { min: 1, max: 999 } as const

/** Events that say when an effect ends: milliseconds since 1970, null: never. */
type TimedEventName = { [Name in EventName]: EventNamed<Name>['data'] extends { readonly until: number | null } ? Name : never }[EventName]

type TimedEffect = {
  readonly aggregate: Aggregate<unknown, AnyEvent>
  /** They replace its end. */
  readonly setBy: readonly TimedEventName[]
  readonly endedBy: readonly EventName[]
  /** Records the end, if it has come by `at`; `id` is that of the aggregate. */
  readonly expire: (id: string, at: number) => Decide<unknown, AnyEvent>
}

const timed = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  setBy: readonly TimedEventName[],
  endedBy: readonly EventName[],
  expire: (id: string, at: number) => Decide<State, Event>,
): TimedEffect => ({ aggregate, setBy, endedBy, expire }) as unknown as TimedEffect

const between = (id: string): SubsiteAccount => {
  const [subsite = '', account = ''] = id.split('.')
  return { subsite, account }
}

/**
 * Effects that expire. To add one: a line here, and a line in `src/audit/rules/timers.ts`. The events that set it have `until` in their
 * data and are in the same stream as its expiry. An effect must not be in force after `until`, however late its expiry is recorded.
 */
export const timedEffects = {
  ban: timed(Relation, ['UserBanned', 'BanChanged'], ['UserUnbanned', 'BanExpired'], (id, at) => expireBan(between(id), at)),
  wikiBan: timed(Relation, ['UserWikiBanned', 'WikiBanChanged'], ['UserWikiUnbanned', 'WikiBanExpired'], (id, at) =>
    expireWikiBan(between(id), at),
  ),
  gold: timed(Gold, ['GoldExtended'], ['GoldExpired'], expireGold),
  mute: timed(Relation, ['UserMuted'], ['UserUnmuted', 'MuteExpired'], (id, at) => expireMute(between(id), at)),
  suspension: timed(Account, ['AccountSuspended'], ['AccountUnsuspended', 'AccountSuspensionExpired'], (_, at) => expireSuspension(at)),
} as const satisfies Readonly<Record<string, TimedEffect>>

export type TimedEffectName = keyof typeof timedEffects
