// Decision 73.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, refuse } from './decision.ts'
import { event, field, type OneOf } from './event.ts'
import { AccountId, LinkId, SubsiteId, ThingId } from './ids.ts'

const movement = {
  account: field(AccountId, 'Whose credits they are: who got or paid them.', 'party', { party: true }),
  csites: field(t.number, 'How many were added or spent; admins pay none.', 'party', { unit: 'credits' }),
  balance: field(t.number, 'How many the account has now.', 'party', { unit: 'credits' }),
}

export const CreditsGranted = event('CreditsGranted', 'An admin, or the operator of the service, gave an account gift credits.', movement, {
  by: 'admins',
})
export const ThingGilded = event(
  'ThingGilded',
  'An account gilded a link or comment, whose author gets a month of gold for it.',
  {
    ...movement,
    thing: field(ThingId, 'The link or comment.', 'public'),
    link: field(LinkId, 'The link itself, or the one that the comment stands under.', 'public'),
    subsite: field(SubsiteId, 'The subsite that it is in.', 'public'),
    author: field(AccountId, 'Who wrote it and gets the gold.', 'public'),
  },
  { by: 'party' },
)
export const GoldGiven = event(
  'GoldGiven',
  'An account gave another months of gold.',
  {
    ...movement,
    to: field(AccountId, 'Who gets them, and does not learn from whom.', 'party'),
    months: field(t.number, 'How many.', 'party', { unit: 'months of gold' }),
  },
  { by: 'party' },
)
export const creditsEvents = [CreditsGranted, ThingGilded, GoldGiven] as const
export type CreditsEvent = OneOf<typeof creditsEvents>

/** The gift credits of an account, on `credits-<account>`. */
export type Credits = { readonly balance: number }

const creditsAfter = (_: Credits | undefined, { balance }: { readonly balance: number }): Credits => ({ balance })

export const Credits: Aggregate<Credits, CreditsEvent> = {
  category: 'credits',
  subsiteOf: null,
  on: { CreditsGranted: creditsAfter, ThingGilded: creditsAfter, GoldGiven: creditsAfter },
  decidedByLast: true,
}

/** The most months of gold in one gift. */
export const MAX_GOLD_MONTHS_PER_GIFT = 36
/** The most credits in one grant, and the most that an account may hold. */
export const MAX_CREDITS_PER_GRANT = 1_000_000
export const MAX_CREDITS_PER_ACCOUNT = 1_000_000_000

export const grantCredits =
  (account: AccountId, csites: number): Decide<Credits, CreditsEvent> =>
  (credits) => {
    const balance = (credits?.balance ?? 0) + csites
    return csites < 1 || balance > MAX_CREDITS_PER_ACCOUNT
      ? refuse('BAD_NUMBER', 'csites')
      : decideEvents(CreditsGranted({ account, csites, balance }))
  }

/** The paying account. With `staff` the gift costs nothing. */
export type Payer = { readonly account: AccountId; readonly staff: boolean }

/** Returns the balance after a payment; undefined if there are too few credits. */
const payFrom = (credits: Credits | undefined, csites: number): { readonly csites: number; readonly balance: number } | undefined => {
  const balance = (credits?.balance ?? 0) - csites
  return balance < 0 ? undefined : { csites, balance }
}

type Gildable = {
  readonly id: ThingId
  readonly link: LinkId
  readonly subsite: SubsiteId
  readonly author: AccountId
  readonly deleted: boolean
}

/** Gilds a thing for one credit. A thing may be gilded several times, also by its author. */
export const gildThing =
  ({ account, staff }: Payer, { id: thing, link, subsite, author, deleted }: Gildable): Decide<Credits, CreditsEvent> =>
  (credits) => {
    if (deleted) return refuse('NO_THING_ID', 'fullname')
    const cost = payFrom(credits, staff ? 0 : 1)
    return cost ? decideEvents(ThingGilded({ account, ...cost, thing, link, subsite, author })) : refuse('INSUFFICIENT_CSITES')
  }

/** Gives gold for a credit a month. */
export const giveGold =
  ({ account, staff }: Payer, to: AccountId, months: number): Decide<Credits, CreditsEvent> =>
  (credits) => {
    const cost = payFrom(credits, staff ? 0 : months)
    return cost ? decideEvents(GoldGiven({ account, ...cost, to, months })) : refuse('INSUFFICIENT_CSITES', 'months')
  }
