import * as t from 'io-ts'
import { type Aggregate, type Decide, inParts, nothing, record, refuse } from './decision.ts'
import { event, type OneOf, optional, sealed } from './event.ts'
import { AccountId, firstPart, MessageId, SubsiteId } from './ids.ts'
import type { Approval, RestrictionType } from './relation-types.ts'
import { FormerRestriction, type Restriction, Until } from './restriction.ts'

const between = { subsite: SubsiteId, account: AccountId }
const note = optional(sealed('@by'))
/** The restriction that was changed or ended; earlier versions did not record it. */
const before = optional(FormerRestriction)
const term = { ...between, until: Until, days: Until, note }
/** `message`: the moderator's message to the banned account. */
const ban = { ...term, message: optional(sealed('@by')) }

export const UserBanned = event('UserBanned', ban)
/** The end changed: an entry in the moderation log. */
export const BanChanged = event('BanChanged', { ...ban, previousUntil: Until, before })
/** Only the note changed: also an entry in the moderation log. */
export const BanNoteChanged = event('BanNoteChanged', { ...between, note, before })
export const UserUnbanned = event('UserUnbanned', { ...between, before })
/** The ban expired, without an act of anybody; `bannedBy` is the moderator who banned. */
export const BanExpired = event('BanExpired', { ...between, bannedBy: AccountId, before })
/** May not edit the wiki; the same events as of a ban. */
export const UserWikiBanned = event('UserWikiBanned', term)
export const WikiBanChanged = event('WikiBanChanged', { ...term, previousUntil: Until, before })
export const WikiBanNoteChanged = event('WikiBanNoteChanged', { ...between, note, before })
export const UserWikiUnbanned = event('UserWikiUnbanned', { ...between, before })
export const WikiBanExpired = event('WikiBanExpired', { ...between, bannedBy: AccountId, before })
/** May not write to the moderators. `over`: the modmail message whose author was muted for it. */
export const UserMuted = event('UserMuted', { ...between, until: t.number, note, over: optional(MessageId) })
export const MuteNoteChanged = event('MuteNoteChanged', { ...between, note, before })
export const UserUnmuted = event('UserUnmuted', { ...between, before })
/** Time ran out. */
export const MuteExpired = event('MuteExpired', { ...between, before })
/** `founder`: the creator of the subsite, no log entry. */
export const ContributorAdded = event('ContributorAdded', { ...between, founder: t.boolean })
/** `left`: the account resigned; no entry in the moderation log. */
export const ContributorRemoved = event('ContributorRemoved', { ...between, left: t.boolean })
/** May edit the wiki where that needs approval. */
export const WikiContributorAdded = event('WikiContributorAdded', between)
export const WikiContributorRemoved = event('WikiContributorRemoved', between)
export const relationEvents = [
  UserBanned,
  BanChanged,
  BanNoteChanged,
  UserUnbanned,
  BanExpired,
  UserWikiBanned,
  WikiBanChanged,
  WikiBanNoteChanged,
  UserWikiUnbanned,
  WikiBanExpired,
  UserMuted,
  MuteNoteChanged,
  UserUnmuted,
  MuteExpired,
  ContributorAdded,
  ContributorRemoved,
  WikiContributorAdded,
  WikiContributorRemoved,
] as const
export type RelationEvent = OneOf<typeof relationEvents>

/** An account's relationships with a subsite, except moderation. */
export type Relation = { readonly [Type in RestrictionType]?: Restriction | undefined } & { readonly [Type in Approval]?: boolean }

type RestrictionTerm = { readonly until: number | null; readonly note?: string }
type WithActor = { readonly by: { readonly account: AccountId | null } }

/** What each step does to a restriction. */
const restricting = (type: RestrictionType) => {
  const imposed = (state: Relation = {}, { until, note = '' }: RestrictionTerm, { by: { account } }: WithActor): Relation => ({
    ...state,
    [type]: { until, by: account, note, noteBy: account },
  })
  const noted = (state: Relation = {}, { note = '' }: Pick<RestrictionTerm, 'note'>, { by: { account } }: WithActor): Relation => ({
    ...state,
    [type]: state[type] && { ...state[type], note, noteBy: account },
  })
  const ended = (state: Relation = {}): Relation => ({ ...state, [type]: undefined })
  return {
    imposed: { of: type, anew: true, fold: imposed },
    noted: { of: type, anew: false, fold: noted },
    ended: { of: type, anew: true, fold: ended },
  } as const
}
const onBan = restricting('banned')
const onWikiBan = restricting('wikibanned')
const onMute = restricting('muted')

const approving = (type: Approval) => {
  const be = (approved: boolean) => ({ of: type, anew: true, fold: (state: Relation = {}): Relation => ({ ...state, [type]: approved }) })
  return { added: be(true), removed: be(false) }
}
const onContributor = approving('contributor')
const onWikiContributor = approving('wikicontributor')

export const Relation: Aggregate<Relation, RelationEvent> = {
  category: 'relation',
  subsiteOf: firstPart,
  ...inParts<Relation, RelationEvent>({
    UserBanned: onBan.imposed,
    BanChanged: onBan.imposed,
    BanNoteChanged: onBan.noted,
    UserUnbanned: onBan.ended,
    BanExpired: onBan.ended,
    UserWikiBanned: onWikiBan.imposed,
    WikiBanChanged: onWikiBan.imposed,
    WikiBanNoteChanged: onWikiBan.noted,
    UserWikiUnbanned: onWikiBan.ended,
    WikiBanExpired: onWikiBan.ended,
    UserMuted: onMute.imposed,
    MuteNoteChanged: onMute.noted,
    UserUnmuted: onMute.ended,
    MuteExpired: onMute.ended,
    ContributorAdded: onContributor.added,
    ContributorRemoved: onContributor.removed,
    WikiContributorAdded: onWikiContributor.added,
    WikiContributorRemoved: onWikiContributor.removed,
  }),
}

const binds = (restriction: Restriction | undefined, now: number): boolean =>
  restriction !== undefined && (restriction.until === null || restriction.until > now)

export const isBanned = (relation: Relation | undefined, now: number): boolean => binds(relation?.banned, now)
export const isMuted = (relation: Relation | undefined, now: number): boolean => binds(relation?.muted, now)
export const isWikiBanned = (relation: Relation | undefined, now: number): boolean => binds(relation?.wikibanned, now)
export const isWikiContributor = (relation: Relation | undefined): boolean => relation?.wikicontributor ?? false

export type SubsiteAccount = { readonly subsite: SubsiteId; readonly account: AccountId }

/** A banned or muted account is not approved. */
export const refusalToRestricted = ({ banned, muted }: { readonly banned: boolean; readonly muted: boolean }) => {
  if (banned) return refuse('BANNED_FROM_SUBSITE', 'name')
  return muted ? refuse('MUTED_FROM_SUBSITE', 'name') : undefined
}

/** When it is decided, and whether the account is banned from the whole site, which is not in this stream. */
type Circumstances = { readonly at: number; readonly bannedFromSite?: boolean }

const restrictedIn = (state: Relation | undefined, { at, bannedFromSite = false }: Circumstances) =>
  refusalToRestricted({ banned: bannedFromSite || isBanned(state, at), muted: isMuted(state, at) })

export const addContributor =
  (
    between: SubsiteAccount,
    { founder, ...circumstances }: Circumstances & { readonly founder: boolean },
  ): Decide<Relation, RelationEvent> =>
  (state) =>
    restrictedIn(state, circumstances) ?? (state?.contributor ? nothing : record(ContributorAdded({ ...between, founder })))

const endingContribution =
  (left: boolean) =>
  (between: SubsiteAccount): Decide<Relation, RelationEvent> =>
  (state) =>
    state?.contributor ? record(ContributorRemoved({ ...between, left })) : nothing

export const removeContributor = endingContribution(false)
/** The account resigns. */
export const leaveContributors = endingContribution(true)

export const addWikiContributor =
  (between: SubsiteAccount, circumstances: Circumstances): Decide<Relation, RelationEvent> =>
  (state) =>
    restrictedIn(state, circumstances) ?? (state?.wikicontributor ? nothing : record(WikiContributorAdded(between)))

export const removeWikiContributor =
  (between: SubsiteAccount): Decide<Relation, RelationEvent> =>
  (state) =>
    state?.wikicontributor ? record(WikiContributorRemoved(between)) : nothing
