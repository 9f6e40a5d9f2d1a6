import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record } from './decision.ts'
import { event, type OneOf } from './event.ts'
import { AccountId } from './ids.ts'
import { DAY } from './time.ts'

/** Of one month of gold. */
export const GOLD_MONTH_DAYS = 31

/** Follows from a payment: so many more days, until then (milliseconds since 1970). */
export const GoldExtended = event('GoldExtended', { account: AccountId, days: t.number, until: t.number })
/** Recorded by the service; gold ends at its time, however late this event is. */
export const GoldExpired = event('GoldExpired', { account: AccountId })
export const goldEvents = [GoldExtended, GoldExpired] as const
export type GoldEvent = OneOf<typeof goldEvents>

/** The end of an account's gold, on `gold-<account>`; 0: its expiry is recorded. */
export type Gold = { readonly until: number }

export const Gold: Aggregate<Gold, GoldEvent> = {
  category: 'gold',
  subsiteOf: null,
  on: {
    GoldExtended: (_, { until }) => ({ until }),
    GoldExpired: () => ({ until: 0 }),
  },
  decidedByLast: true,
}

export const hasGold = (gold: Gold | undefined, at: number): boolean => gold !== undefined && gold.until > at

/** Added to the current end, or to the present if there is none. */
export const extendGold =
  (account: AccountId, days: number, at: number): Decide<Gold, GoldEvent> =>
  (gold) =>
    record(GoldExtended({ account, days, until: Math.max(gold?.until ?? 0, at) + days * DAY }))

/** Unless it was extended in the meantime. */
export const expireGold =
  (account: AccountId, at: number): Decide<Gold, GoldEvent> =>
  (gold) =>
    gold && gold.until > 0 && gold.until <= at ? record(GoldExpired({ account })) : nothing
