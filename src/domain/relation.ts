import * as t from 'io-ts'
import type { Aggregate } from './decision.ts'
import { type EventOf, event, optional, sealed } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'

const between = { subsite: SubsiteId, account: AccountId }
/** Milliseconds since 1970; null: for good. */
const Until = t.union([t.number, t.null])
const ban = { ...between, until: Until, days: Until, note: optional(sealed('@by')) }

export const UserBanned = event('UserBanned', ban)
/** Another end than before: a log entry. */
export const BanChanged = event('BanChanged', { ...ban, previousUntil: Until })
/** Only the note changed: no log entry. */
export const BanNoteChanged = event('BanNoteChanged', { ...between, note: optional(sealed('@by')) })
export const UserUnbanned = event('UserUnbanned', between)
/** Time ran out; the log names who had banned. */
export const BanExpired = event('BanExpired', { ...between, bannedBy: AccountId })
/** `founder`: the creator of the subsite, no log entry. */
export const ContributorAdded = event('ContributorAdded', { ...between, founder: t.boolean })
/** `left`: by own wish, no log entry. */
export const ContributorRemoved = event('ContributorRemoved', { ...between, left: t.boolean })
export type RelationEvent =
  | EventOf<typeof UserBanned>
  | EventOf<typeof BanChanged>
  | EventOf<typeof BanNoteChanged>
  | EventOf<typeof UserUnbanned>
  | EventOf<typeof BanExpired>
  | EventOf<typeof ContributorAdded>
  | EventOf<typeof ContributorRemoved>

export type Ban = { readonly until: number | null; readonly note: string; readonly by: AccountId | null }

/** How an account stands in a subsite, moderation apart. A ban whose `until` has passed does not bind, however late its expiry is recorded. */
export type Relation = { readonly ban: Ban | undefined; readonly contributor: boolean }

const none: Relation = { ban: undefined, contributor: false }

export const Relation: Aggregate<Relation, RelationEvent> = {
  category: 'relation',
  on: {
    UserBanned: (state = none, { until, note = '' }, { by }) => ({ ...state, ban: { until, note, by: by.account } }),
    BanChanged: (state = none, { until, note = '' }, { by }) => ({ ...state, ban: { until, note, by: by.account } }),
    BanNoteChanged: (state = none, { note = '' }) => ({ ...state, ban: state.ban && { ...state.ban, note } }),
    UserUnbanned: (state = none) => ({ ...state, ban: undefined }),
    BanExpired: (state = none) => ({ ...state, ban: undefined }),
    ContributorAdded: (state = none) => ({ ...state, contributor: true }),
    ContributorRemoved: (state = none) => ({ ...state, contributor: false }),
  },
}

export const isBanned = (relation: Relation | undefined, now: number): boolean =>
  relation?.ban !== undefined && (relation.ban.until === null || relation.ban.until > now)
