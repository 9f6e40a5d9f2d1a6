// Decisions 76 and 92.

import { type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { byService } from './event.ts'
import { asItWas, type Restriction } from './former-restriction.ts'
import type { AccountId, MessageId } from './ids.ts'
import {
  BanChanged,
  BanExpired,
  BanNoteChanged,
  isBanned,
  isMuted,
  isWikiBanned,
  MuteExpired,
  MuteNoteChanged,
  type Relation,
  type RelationEvent,
  type SubsiteAccount,
  UserBanned,
  UserMuted,
  UserUnbanned,
  UserUnmuted,
  UserWikiBanned,
  UserWikiUnbanned,
  WikiBanChanged,
  WikiBanExpired,
  WikiBanNoteChanged,
} from './relation.ts'
import { DAY, HOUR } from './time.ts'

/** A new end this close to the old one makes no other ban. */
const SAME_END_MS = 6 * HOUR
/** The days that a ban or a suspension can last. Without a number of days it is permanent. */
export const termDays = { min: 1, max: 999 } as const
/** The length of a mute. */
export const MUTE_HOURS = 72

type Decider = Decide<Relation, RelationEvent>

type Term = {
  /** Null: permanent. */
  readonly days: number | null
  readonly note: string
}
type Former = { readonly before: ReturnType<typeof asItWas> }
type RestrictionData = SubsiteAccount & { readonly until: number | null; readonly days: number | null; readonly note?: string }

/** A restriction that expires or is permanent: its part of the state, and its events. */
type RestrictionRules = {
  readonly of: (state: Relation) => Restriction | undefined
  readonly makeImposed: (data: RestrictionData) => RelationEvent
  readonly makeChanged: (data: RestrictionData & { readonly previousUntil: number | null } & Former) => RelationEvent
  readonly makeNoted: (data: SubsiteAccount & { readonly note?: string } & Former) => RelationEvent
  readonly makeExpired: (data: SubsiteAccount & { readonly bannedBy: AccountId } & Former) => RelationEvent
}

const hasRunOut = ({ until }: Restriction, at: number) => until !== null && until <= at

const noteField = (note: string) => (note === '' ? {} : { note })

/** Returns the expiry event of a ban that has run out. */
const expiryOf = (
  { of, makeExpired: expired }: RestrictionRules,
  between: SubsiteAccount,
  state: Relation,
  at: number,
): readonly RelationEvent[] => {
  const standing = of(state)
  if (!standing || standing.by === null || !hasRunOut(standing, at)) return []
  return [expired({ ...between, bannedBy: standing.by, before: asItWas(standing) })]
}

/** Imposes a restriction or changes it. A permanent one imposed again, or one with nearly the same end, changes only the note. */
const impose =
  (kind: RestrictionRules, between: SubsiteAccount, at: number, { days, note }: Term): Decider =>
  (state = {}) => {
    const until = days === null ? null : at + days * DAY
    const ban = { ...between, until, days, ...noteField(note) }
    const standing = kind.of(state)
    if (!standing || hasRunOut(standing, at))
      return decideEvents(...expiryOf(kind, between, state, at).map(byService), kind.makeImposed(ban))
    const isSame = until === null || standing.until === null ? until === standing.until : Math.abs(until - standing.until) < SAME_END_MS
    const before = asItWas(standing)
    if (!isSame) return decideEvents(kind.makeChanged({ ...ban, previousUntil: standing.until, before }))
    return note === standing.note ? noEvents : decideEvents(kind.makeNoted({ ...between, ...noteField(note), before }))
  }

const banWith = (message: string): RestrictionRules => {
  const withMessage = message === '' ? {} : { message }
  return {
    of: ({ banned }) => banned,
    makeImposed: (ban) => UserBanned({ ...ban, ...withMessage }),
    makeChanged: (ban) => BanChanged({ ...ban, ...withMessage }),
    makeNoted: BanNoteChanged,
    makeExpired: BanExpired,
  }
}
const silentBan = banWith('')
const wikiBan: RestrictionRules = {
  of: ({ wikibanned }) => wikibanned,
  makeImposed: UserWikiBanned,
  makeChanged: WikiBanChanged,
  makeNoted: WikiBanNoteChanged,
  makeExpired: WikiBanExpired,
}

type Facts = { readonly moderator: boolean; readonly at: number }

/** Bans an account that does not moderate here, or changes its ban. `message` goes to the banned account. */
export const banUser =
  (between: SubsiteAccount, { moderator, at }: Facts, { message, ...term }: Term & { readonly message: string }): Decider =>
  (state) =>
    moderator ? refuse('CANT_RESTRICT_MODERATOR', 'name') : impose(banWith(message), between, at, term)(state)

/** Lifts a restriction that is in force. An expired one cannot be lifted: its expiry event follows. */
const liftRestriction =
  (
    of: RestrictionRules['of'],
    isInForce: (state: Relation | undefined, at: number) => boolean,
    lift: (data: SubsiteAccount & Former) => RelationEvent,
  ) =>
  (between: SubsiteAccount, at: number): Decider =>
  (state = {}) => {
    const standing = of(state)
    return standing && isInForce(state, at) ? decideEvents(lift({ ...between, before: asItWas(standing) })) : noEvents
  }

const expireRestriction =
  (kind: RestrictionRules) =>
  (between: SubsiteAccount, at: number): Decider =>
  (state = {}) =>
    decideEvents(...expiryOf(kind, between, state, at))

export const unbanUser = liftRestriction(silentBan.of, isBanned, UserUnbanned)
export const expireBan = expireRestriction(silentBan)

/** Bans an account from editing the wiki, or changes such a ban. Moderators can be banned, too. */
export const wikiBanUser = (between: SubsiteAccount, at: number, term: Term): Decider => impose(wikiBan, between, at, term)

export const wikiUnbanUser = liftRestriction(wikiBan.of, isWikiBanned, UserWikiUnbanned)
export const expireWikiBan = expireRestriction(wikiBan)

type MuteData = {
  readonly note: string
  /** The message that its author is muted for. An existing mute stays unchanged; without a message the mute gets the note. */
  readonly over?: MessageId
}

/** Mutes an account that does not moderate here for `MUTE_HOURS`. Muting again does not prolong it. */
export const muteUser =
  (between: SubsiteAccount, { moderator, at }: Facts, { note, over }: MuteData): Decider =>
  (state) => {
    if (moderator) return refuse('CANT_RESTRICT_MODERATOR', 'name')
    const standing = state?.muted
    const before = standing && asItWas(standing)
    if (before && isMuted(state, at))
      return over !== undefined || note === standing?.note
        ? noEvents
        : decideEvents(MuteNoteChanged({ ...between, ...noteField(note), before }))
    const mute = { ...between, until: at + MUTE_HOURS * HOUR, ...noteField(note), ...(over !== undefined && { over }) }
    return decideEvents<RelationEvent>(...(before ? [byService(MuteExpired({ ...between, before }))] : []), UserMuted(mute))
  }

export const unmuteUser = liftRestriction(({ muted }) => muted, isMuted, UserUnmuted)

export const expireMute =
  (between: SubsiteAccount, at: number): Decider =>
  (state) =>
    state?.muted && hasRunOut(state.muted, at) ? decideEvents(MuteExpired({ ...between, before: asItWas(state.muted) })) : noEvents
