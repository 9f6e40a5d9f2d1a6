import { Account, expireSuspension } from './account.ts'
import type { Aggregate, Decide } from './decision.ts'
import type { AnyEvent } from './event.ts'
import type { EventName, EventNamed } from './events.ts'
import { expireGold, Gold } from './gold.ts'
import { Relation, type SubsiteAccount } from './relation.ts'
import { expireBan, expireMute, expireWikiBan } from './restrictions.ts'

/** The days that a ban or a suspension can last. Without a number of days it is permanent. */
export const termDays = { min: 1, max: 999 } as const

/** Events that say when an effect ends: milliseconds since 1970, null: never. */
type TimedEventName = { [Name in EventName]: EventNamed<Name>['data'] extends { readonly until: number | null } ? Name : never }[EventName]

type TimedEffect = {
  readonly aggregate: Aggregate<unknown, AnyEvent>
  /** The events that replace the end. */
  readonly setBy: readonly TimedEventName[]
  readonly endedBy: readonly EventName[]
  /** Records the end, if it has come by `at`. `id` is that of the aggregate. */
  readonly expire: (id: string, at: number) => Decide<unknown, AnyEvent>
}

const timedEffect = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  setBy: readonly TimedEventName[],
  endedBy: readonly EventName[],
  expire: (id: string, at: number) => Decide<State, Event>,
): TimedEffect => ({ aggregate, setBy, endedBy, expire }) as unknown as TimedEffect

const pairOf = (id: string): SubsiteAccount => {
  const [subsite = '', account = ''] = id.split('.')
  return { subsite, account }
}

/**
 * Effects that expire. To add one: a line here, and its `dueAt` in `src/audit/rules/causes.ts` or `membership-causes.ts`. The events that
 * set it have `until` in their data and are in the same stream as its expiry. An effect must not be in force after `until`, however late
 * its expiry is recorded.
 */
export const timedEffects = {
  ban: timedEffect(Relation, ['UserBanned', 'BanChanged'], ['UserUnbanned', 'BanExpired'], (id, at) => expireBan(pairOf(id), at)),
  wikiBan: timedEffect(Relation, ['UserWikiBanned', 'WikiBanChanged'], ['UserWikiUnbanned', 'WikiBanExpired'], (id, at) =>
    expireWikiBan(pairOf(id), at),
  ),
  gold: timedEffect(Gold, ['GoldExtended'], ['GoldExpired'], expireGold),
  mute: timedEffect(Relation, ['UserMuted'], ['UserUnmuted', 'MuteExpired'], (id, at) => expireMute(pairOf(id), at)),
  suspension: timedEffect(Account, ['AccountSuspended'], ['AccountUnsuspended', 'AccountSuspensionExpired'], (_, at) =>
    expireSuspension(at),
  ),
} as const satisfies Readonly<Record<string, TimedEffect>>

export type TimedEffectName = keyof typeof timedEffects
