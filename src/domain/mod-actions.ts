import type { EventName } from './events.ts'

/** Every action that the interface names in the moderation log. */
export const modActionNames = [
  'banuser',
  'unbanuser',
  'removelink',
  'approvelink',
  'removecomment',
  'approvecomment',
  'addmoderator',
  'invitemoderator',
  'uninvitemoderator',
  'acceptmoderatorinvite',
  'removemoderator',
  'addcontributor',
  'removecontributor',
  'editsettings',
  'editflair',
  'distinguish',
  'marknsfw',
  'wikibanned',
  'wikicontributor',
  'wikiunbanned',
  'wikipagelisted',
  'removewikicontributor',
  'wikirevise',
  'wikipermlevel',
  'ignorereports',
  'unignorereports',
  'setpermissions',
  'setsuggestedsort',
  'sticky',
  'unsticky',
  'setcontestmode',
  'unsetcontestmode',
  'lock',
  'unlock',
  'muteuser',
  'unmuteuser',
  'createrule',
  'editrule',
  'deleterule',
] as const
export type ModActionName = (typeof modActionNames)[number]

/** Actions whose events do not exist yet; an action is either here or in the table below. */
export const notYet = [] as const satisfies readonly ModActionName[]

export type ModAction = Exclude<ModActionName, (typeof notYet)[number]>

/** The events that make each kind of entry. */
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
  wikibanned: ['UserWikiBanned', 'WikiBanChanged', 'WikiBanNoteChanged'],
  wikiunbanned: ['UserWikiUnbanned', 'WikiBanExpired'],
  wikicontributor: ['WikiContributorAdded'],
  removewikicontributor: ['WikiContributorRemoved'],
  editflair: [
    'UserFlairChanged',
    'LinkFlairChanged',
    'FlairSettingChanged',
    'FlairTemplateAdded',
    'FlairTemplateChanged',
    'FlairTemplateDeleted',
    'FlairTemplatesCleared',
  ],
  muteuser: ['UserMuted', 'MuteNoteChanged'],
  unmuteuser: ['UserUnmuted', 'MuteExpired'],
  editsettings: ['SubsiteSettingChanged', 'ImageUploaded', 'ImageDeleted', 'ImageErased'],
  wikirevise: [
    'SubsiteSettingChanged',
    'StylesheetSaved',
    'WikiPageRevised',
    'WikiRevisionHidden',
    'WikiRevisionUnhidden',
    'WikiRevisionErased',
  ],
  wikipagelisted: ['WikiPageListingChanged'],
  wikipermlevel: ['WikiPagePermlevelChanged', 'WikiEditorAdded', 'WikiEditorRemoved'],
  setpermissions: ['ModeratorPermissionsChanged'],
  sticky: ['LinkStickied', 'CommentStickied'],
  unsticky: ['LinkUnstickied', 'CommentUnstickied'],
  marknsfw: ['LinkMarkedNsfw', 'LinkUnmarkedNsfw'],
  setsuggestedsort: ['LinkSortSuggested'],
  setcontestmode: ['LinkContestModeSet'],
  unsetcontestmode: ['LinkContestModeUnset'],
  lock: ['LinkLocked'],
  unlock: ['LinkUnlocked'],
  distinguish: ['LinkDistinguished', 'CommentDistinguished'],
  createrule: ['RuleCreated'],
  editrule: ['RuleEdited', 'RulesReordered'],
  deleterule: ['RuleDeleted'],
  ignorereports: ['LinkReportsIgnored', 'CommentReportsIgnored'],
  unignorereports: ['LinkReportsUnignored', 'CommentReportsUnignored'],
} as const satisfies { readonly [Action in ModAction]: readonly EventName[] }

/** The events that are moderation actions. */
export type ModEvent = (typeof modActions)[ModAction][number]
/** The kinds of entry that an event may make. */
export type ActionOf<Event extends ModEvent> = {
  [Action in ModAction]: Event extends (typeof modActions)[Action][number] ? Action : never
}[ModAction]
