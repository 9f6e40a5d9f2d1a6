// Decision 73.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents } from './decision.ts'
import { event, field, type OneOf } from './event.ts'
import { AccountId } from './ids.ts'
import { DAY } from './time.ts'

/** The length of one month of gold. */
export const GOLD_MONTH_DAYS = 31

const account = field(AccountId, 'The account.', 'public', { party: true })
export const GoldExtended = event(
  'GoldExtended',
  'An account has gold for some time longer, as somebody paid for it.',
  {
    account,
    days: field(t.number, 'How much longer.', 'party', { unit: 'days' }),
    until: field(t.number, 'When it ends now.', 'party', { unit: 'milliseconds since 1970' }),
  },
  { by: 'public' },
)
export const GoldExpired = event(
  'GoldExpired',
  'The service recorded that the gold of an account had ended: at `until` of the last `GoldExtended`, not at the time of this event.',
  { account },
  { by: 'public' },
)
export const goldEvents = [GoldExtended, GoldExpired] as const
export type GoldEvent = OneOf<typeof goldEvents>

/** The end of an account's gold, on `gold-<account>`; 0 once its expiry is recorded. */
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

/** Extends gold from its current end, or from now if there is none. */
export const extendGold =
  (account: AccountId, days: number, at: number): Decide<Gold, GoldEvent> =>
  (gold) =>
    decideEvents(GoldExtended({ account, days, until: Math.max(gold?.until ?? 0, at) + days * DAY }))

/** Records the end of gold, unless it was extended in the meantime. */
export const expireGold =
  (account: AccountId, at: number): Decide<Gold, GoldEvent> =>
  (gold) =>
    gold && gold.until > 0 && gold.until <= at ? decideEvents(GoldExpired({ account })) : noEvents
