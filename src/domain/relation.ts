import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, foldInParts, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, sealedText } from './event.ts'
import { FormerRestriction, type Restriction, Until } from './former-restriction.ts'
import { AccountId, firstPart, MessageId, SubsiteId } from './ids.ts'
import type { Approval, RestrictionType } from './relation-types.ts'

const between = {
  subsite: field(SubsiteId, 'The subsite.', 'public'),
  account: field(AccountId, 'The account that is banned, muted or approved, or was.', 'public', { party: true }),
}
const note = field(optional(sealedText('@by')), 'What the moderator notes about it, for other moderators; absent: nothing.', 'subsite')
const before = field(
  optional(FormerRestriction),
  'What it was before; absent: nothing, or in events of earlier versions not recorded.',
  'subsite',
)
const inMilliseconds = { unit: 'milliseconds since 1970' } as const
const previousUntil = field(Until, 'When it was to end before; null: never.', 'public', inMilliseconds)
const termFields = {
  ...between,
  until: field(Until, 'When it ends by itself; null: never.', 'public', inMilliseconds),
  days: field(Until, 'How long it lasts from now; null: for good.', 'public', { unit: 'days' }),
  note,
}
const banFields = {
  ...termFields,
  message: field(optional(sealedText('@by')), 'The message of the moderator to the account; absent: none.', 'party'),
}
const noteFields = { ...between, note, before }
const endFields = { ...between, before }
const expiryFields = { ...endFields, bannedBy: field(AccountId, 'The moderator who had banned it.', 'subsite') }

export const UserBanned = event('UserBanned', 'A moderator banned an account from posting in a subsite.', banFields, { by: 'public' })
export const BanChanged = event(
  'BanChanged',
  'A moderator changed the end of a ban.',
  { ...banFields, previousUntil, before },
  { by: 'public' },
)
export const BanNoteChanged = event('BanNoteChanged', 'A moderator changed only the note of a ban.', noteFields, { by: 'public' })
export const UserUnbanned = event('UserUnbanned', 'A moderator ended a ban before its time.', endFields, { by: 'public' })
export const BanExpired = event(
  'BanExpired',
  'The service recorded that a ban had ended by itself: at `before.until`, not at the time of this event.',
  expiryFields,
  { by: 'public' },
)
export const UserWikiBanned = event('UserWikiBanned', 'A moderator banned an account from editing the wiki of a subsite.', termFields, {
  by: 'public',
})
export const WikiBanChanged = event(
  'WikiBanChanged',
  'A moderator changed the end of a ban from the wiki.',
  { ...termFields, previousUntil, before },
  { by: 'public' },
)
export const WikiBanNoteChanged = event('WikiBanNoteChanged', 'A moderator changed only the note of a ban from the wiki.', noteFields, {
  by: 'public',
})
export const UserWikiUnbanned = event('UserWikiUnbanned', 'A moderator ended a ban from the wiki before its time.', endFields, {
  by: 'public',
})
export const WikiBanExpired = event(
  'WikiBanExpired',
  'The service recorded that a ban from the wiki had ended by itself: at `before.until`, not at the time of this event.',
  expiryFields,
  { by: 'public' },
)
export const UserMuted = event(
  'UserMuted',
  'A moderator muted an account: it cannot write to the moderators of the subsite until then.',
  {
    ...between,
    until: field(t.number, 'When it ends by itself.', 'public', inMilliseconds),
    note,
    over: field(optional(MessageId), 'The message to the moderators for which its author was muted.', 'subsite'),
  },
  { by: 'public' },
)
export const MuteNoteChanged = event('MuteNoteChanged', 'A moderator changed the note of a mute.', noteFields, { by: 'public' })
export const UserUnmuted = event('UserUnmuted', 'A moderator ended a mute before its time.', endFields, { by: 'public' })
export const MuteExpired = event(
  'MuteExpired',
  'The service recorded that a mute had ended by itself: at `before.until`, not at the time of this event.',
  endFields,
  { by: 'public' },
)
export const ContributorAdded = event(
  'ContributorAdded',
  'An account may post in a restricted or private subsite from now on: a moderator approved it, or it founded the subsite.',
  { ...between, founder: field(t.boolean, 'Whether it founded the subsite, which is no act of moderation.', 'public') },
  { by: 'public' },
)
export const ContributorRemoved = event(
  'ContributorRemoved',
  'An account is no longer approved to post: a moderator decided it, or the account resigned.',
  { ...between, left: field(t.boolean, 'Whether it resigned, which is no act of moderation.', 'public') },
  { by: 'public' },
)
export const WikiContributorAdded = event(
  'WikiContributorAdded',
  'A moderator approved an account to edit the wiki where that needs approval.',
  between,
  { by: 'public' },
)
export const WikiContributorRemoved = event(
  'WikiContributorRemoved',
  'A moderator withdrew the approval of an account to edit the wiki.',
  between,
  { by: 'public' },
)
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

/** Returns the folds of the steps of a restriction. */
const restrictionFolds = (type: RestrictionType) => {
  const impose = (state: Relation = {}, { until, note = '' }: RestrictionTerm, { by: { account } }: WithActor): Relation => ({
    ...state,
    [type]: { until, by: account, note, noteBy: account },
  })
  const changeNote = (state: Relation = {}, { note = '' }: Pick<RestrictionTerm, 'note'>, { by: { account } }: WithActor): Relation => ({
    ...state,
    [type]: state[type] && { ...state[type], note, noteBy: account },
  })
  const lift = (state: Relation = {}): Relation => ({ ...state, [type]: undefined })
  return {
    imposed: { of: type, anew: true, fold: impose },
    noted: { of: type, anew: false, fold: changeNote },
    ended: { of: type, anew: true, fold: lift },
  } as const
}
const onBan = restrictionFolds('banned')
const onWikiBan = restrictionFolds('wikibanned')
const onMute = restrictionFolds('muted')

const approvalFolds = (type: Approval) => {
  const setApproval = (approved: boolean) => ({
    of: type,
    anew: true,
    fold: (state: Relation = {}): Relation => ({ ...state, [type]: approved }),
  })
  return { added: setApproval(true), removed: setApproval(false) }
}
const onContributor = approvalFolds('contributor')
const onWikiContributor = approvalFolds('wikicontributor')

export const Relation: Aggregate<Relation, RelationEvent> = {
  category: 'relation',
  subsiteOf: firstPart,
  ...foldInParts<Relation, RelationEvent>({
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

/** Returns the refusal of an approval, if the account is banned or muted. */
export const refusalToRestricted = ({ banned, muted }: { readonly banned: boolean; readonly muted: boolean }) => {
  if (banned) return refuse('BANNED_FROM_SUBSITE', 'name')
  return muted ? refuse('MUTED_FROM_SUBSITE', 'name') : undefined
}

/** The time of the decision, and whether the account is banned from the whole site, which is not in this stream. */
type Circumstances = { readonly at: number; readonly bannedFromSite?: boolean }

const restrictionRefusal = (state: Relation | undefined, { at, bannedFromSite = false }: Circumstances) =>
  refusalToRestricted({ banned: bannedFromSite || isBanned(state, at), muted: isMuted(state, at) })

export const addContributor =
  (
    between: SubsiteAccount,
    { founder, ...circumstances }: Circumstances & { readonly founder: boolean },
  ): Decide<Relation, RelationEvent> =>
  (state) =>
    restrictionRefusal(state, circumstances) ?? (state?.contributor ? noEvents : decideEvents(ContributorAdded({ ...between, founder })))

const endContribution =
  (left: boolean) =>
  (between: SubsiteAccount): Decide<Relation, RelationEvent> =>
  (state) =>
    state?.contributor ? decideEvents(ContributorRemoved({ ...between, left })) : noEvents

export const removeContributor = endContribution(false)
/** Lets the account resign. */
export const leaveContributors = endContribution(true)

export const addWikiContributor =
  (between: SubsiteAccount, circumstances: Circumstances): Decide<Relation, RelationEvent> =>
  (state) =>
    restrictionRefusal(state, circumstances) ?? (state?.wikicontributor ? noEvents : decideEvents(WikiContributorAdded(between)))

export const removeWikiContributor =
  (between: SubsiteAccount): Decide<Relation, RelationEvent> =>
  (state) =>
    state?.wikicontributor ? decideEvents(WikiContributorRemoved(between)) : noEvents
