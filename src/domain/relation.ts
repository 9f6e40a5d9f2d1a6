import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type EventOf, event, optional, sealed } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'

const between = { subsite: SubsiteId, account: AccountId }
/** Milliseconds since 1970; null: permanent. */
const Until = t.union([t.number, t.null])
/** `message`: what the moderator tells the one banned. */
const ban = { ...between, until: Until, days: Until, note: optional(sealed('@by')), message: optional(sealed('@by')) }

export const UserBanned = event('UserBanned', ban)
/** Another end than before: a log entry. */
export const BanChanged = event('BanChanged', { ...ban, previousUntil: Until })
/** Only the note changed: a log entry too. */
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

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
/** A new end this close to the old one is the same ban. */
const SAME_END = 6 * HOUR

type Between = { readonly subsite: SubsiteId; readonly account: AccountId }
type Term = {
  /** Null: permanent. */
  readonly days: number | null
  readonly note: string
  readonly message: string
}

const hasRunOut = ({ until }: Ban, at: number) => until !== null && until <= at

/** What is recorded of a ban whose time has run out. */
const expiryOf = (between: Between, ban: Ban | undefined, at: number): readonly RelationEvent[] =>
  ban && ban.by !== null && hasRunOut(ban, at) ? [BanExpired({ ...between, bannedBy: ban.by })] : []

/** Ban, or change the ban there is. A permanent ban made again, or one with nearly the same end, only takes the note. */
export const banUser =
  (
    between: Between,
    { moderator, at }: { readonly moderator: boolean; readonly at: number },
    { days, note, message }: Term,
  ): Decide<Relation, RelationEvent> =>
  (state = none) => {
    if (moderator) return refuse('CANT_RESTRICT_MODERATOR', 'name')
    const noted = note === '' ? {} : { note }
    const until = days === null ? null : at + days * DAY
    const ban = { ...between, until, days, ...noted, ...(message === '' ? {} : { message }) }
    const standing = state.ban
    if (!standing || hasRunOut(standing, at)) return record(...expiryOf(between, standing, at), UserBanned(ban))
    const isSame = until === null || standing.until === null ? until === standing.until : Math.abs(until - standing.until) < SAME_END
    if (!isSame) return record(BanChanged({ ...ban, previousUntil: standing.until }))
    return note === standing.note ? nothing : record(BanNoteChanged({ ...between, ...noted }))
  }

/** A ban that has run out already is not lifted: its expiry is on its way. */
export const unbanUser =
  (between: Between, at: number): Decide<Relation, RelationEvent> =>
  (state) =>
    isBanned(state, at) ? record(UserUnbanned(between)) : nothing

export const expireBan =
  (between: Between, at: number): Decide<Relation, RelationEvent> =>
  (state) =>
    record(...expiryOf(between, state?.ban, at))

export const addContributor =
  (between: Between, { founder, at }: { readonly founder: boolean; readonly at: number }): Decide<Relation, RelationEvent> =>
  (state) => {
    if (isBanned(state, at)) return refuse('BANNED_FROM_SUBSITE', 'name')
    return state?.contributor ? nothing : record(ContributorAdded({ ...between, founder }))
  }

export const removeContributor =
  (between: Between): Decide<Relation, RelationEvent> =>
  (state) =>
    state?.contributor ? record(ContributorRemoved({ ...between, left: false })) : nothing

/** By own wish. */
export const leaveContributors =
  (between: Between): Decide<Relation, RelationEvent> =>
  (state) =>
    state?.contributor ? record(ContributorRemoved({ ...between, left: true })) : nothing
