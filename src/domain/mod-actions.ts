// Decisions 12 and 30.

import type { AnyEvent } from './event.ts'
import type { EventName } from './events.ts'

/** Every action that the interface names in the moderation log, and the events that make each. */
export const modActions = {
  banuser: ['UserBanned', 'BanChanged', 'BanNoteChanged'],
  unbanuser: ['UserUnbanned', 'BanExpired'],
  removelink: ['LinkRemoved', 'LinkErased'],
  approvelink: ['LinkApproved'],
  removecomment: ['CommentRemoved', 'CommentErased'],
  approvecomment: ['CommentApproved'],
  addmoderator: ['ModeratorAdded'],
  invitemoderator: ['ModeratorInvited'],
  uninvitemoderator: ['ModeratorInvitationWithdrawn'],
  acceptmoderatorinvite: ['ModeratorInvitationAccepted'],
  removemoderator: ['ModeratorRemoved'],
  addcontributor: ['ContributorAdded'],
  removecontributor: ['ContributorRemoved'],
  editsettings: ['SubsiteSettingChanged', 'ImageUploaded', 'ImageDeleted', 'ImageErased'],
  editflair: [
    'UserFlairChanged',
    'LinkFlairChanged',
    'FlairSettingChanged',
    'FlairTemplateAdded',
    'FlairTemplateChanged',
    'FlairTemplateDeleted',
    'FlairTemplatesCleared',
  ],
  distinguish: ['LinkDistinguished', 'CommentDistinguished'],
  marknsfw: ['LinkMarkedNsfw', 'LinkUnmarkedNsfw'],
  wikibanned: ['UserWikiBanned', 'WikiBanChanged', 'WikiBanNoteChanged'],
  wikicontributor: ['WikiContributorAdded'],
  wikiunbanned: ['UserWikiUnbanned', 'WikiBanExpired'],
  wikipagelisted: ['WikiPageListingChanged'],
  removewikicontributor: ['WikiContributorRemoved'],
  wikirevise: [
    'SubsiteSettingChanged',
    'StylesheetSaved',
    'WikiPageRevised',
    'WikiRevisionHidden',
    'WikiRevisionUnhidden',
    'WikiRevisionErased',
  ],
  wikipermlevel: ['WikiPagePermlevelChanged', 'WikiEditorAdded', 'WikiEditorRemoved'],
  ignorereports: ['LinkReportsIgnored', 'CommentReportsIgnored'],
  unignorereports: ['LinkReportsUnignored', 'CommentReportsUnignored'],
  setpermissions: ['ModeratorPermissionsChanged'],
  setsuggestedsort: ['LinkSortSuggested'],
  sticky: ['LinkStickied', 'CommentStickied'],
  unsticky: ['LinkUnstickied', 'CommentUnstickied'],
  setcontestmode: ['LinkContestModeSet'],
  unsetcontestmode: ['LinkContestModeUnset'],
  lock: ['LinkLocked'],
  unlock: ['LinkUnlocked'],
  muteuser: ['UserMuted', 'MuteNoteChanged'],
  unmuteuser: ['UserUnmuted', 'MuteExpired'],
  createrule: ['RuleCreated'],
  editrule: ['RuleEdited', 'RulesReordered'],
  deleterule: ['RuleDeleted'],
} as const satisfies Readonly<Record<string, readonly EventName[]>>

export type ModAction = keyof typeof modActions

export const modActionNames = Object.keys(modActions) as readonly ModAction[]

/** The events that are moderation actions. */
export type ModEvent = (typeof modActions)[ModAction][number]

/** The action of each event. An event that several actions list has the first of them. */
export const actionOf = Object.fromEntries(
  Object.entries(modActions)
    .toReversed()
    .flatMap(([action, events]) => events.map((event) => [event, action])),
) as Readonly<Record<ModEvent, ModAction>>

/** Tells whether events of a type may be entries of a subsite's moderation log. */
export const isModEvent = (type: string): type is ModEvent => Object.hasOwn(actionOf, type)

/** The actions of moderators on mail, which have no entry in the moderation log. */
const mailActions: Readonly<Record<string, string>> = {
  MessageRemoved: 'removemessage',
  MessageErased: 'removemessage',
  MessageApproved: 'approvemessage',
}

/**
 * Returns the action that an event is, if its target is this thing, or if it has no target and concerns this account; otherwise undefined.
 * Mail is the target of its `message`.
 */
export const decisionAbout = (thing: string, { type, data }: AnyEvent): string | undefined => {
  if (isModEvent(type)) return (Reflect.get(data, 'target')?.id ?? Reflect.get(data, 'account')) === thing ? actionOf[type] : undefined
  return Reflect.get(data, 'message') === thing ? mailActions[type] : undefined
}
