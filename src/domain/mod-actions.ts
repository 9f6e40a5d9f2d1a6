import type { EventName } from './events.ts'

/** Every kind of act that the interface names in the moderation log. */
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

/** Acts whose events do not exist yet; an act is either here or in the table below. */
export const notYet = [
  'editflair',
  'marknsfw',
  'wikibanned',
  'wikicontributor',
  'wikiunbanned',
  'wikipagelisted',
  'removewikicontributor',
  'wikipermlevel',
  'setsuggestedsort',
  'setcontestmode',
  'unsetcontestmode',
  'muteuser',
  'unmuteuser',
  'createrule',
  'editrule',
  'deleterule',
] as const satisfies readonly ModActionName[]

export type ModAction = Exclude<ModActionName, (typeof notYet)[number]>

/** The events that make each kind of entry. */
export const modActions = {
  banuser: ['UserBanned', 'BanChanged', 'BanNoteChanged'],
  unbanuser: ['UserUnbanned', 'BanExpired'],
  removelink: ['LinkRemoved'],
  approvelink: ['LinkApproved'],
  removecomment: ['CommentRemoved'],
  approvecomment: ['CommentApproved'],
  addmoderator: ['ModeratorAdded'],
  invitemoderator: ['ModeratorInvited'],
  uninvitemoderator: ['ModeratorInvitationWithdrawn'],
  acceptmoderatorinvite: ['ModeratorInvitationAccepted'],
  removemoderator: ['ModeratorRemoved'],
  addcontributor: ['ContributorAdded'],
  removecontributor: ['ContributorRemoved'],
  editsettings: ['SubsiteSettingChanged'],
  wikirevise: ['SubsiteSettingChanged'],
  setpermissions: ['ModeratorPermissionsChanged'],
  sticky: ['LinkStickied'],
  unsticky: ['LinkUnstickied'],
  lock: ['LinkLocked'],
  unlock: ['LinkUnlocked'],
  distinguish: ['LinkDistinguished', 'CommentDistinguished'],
  ignorereports: ['LinkReportsIgnored', 'CommentReportsIgnored'],
  unignorereports: ['LinkReportsUnignored', 'CommentReportsUnignored'],
} as const satisfies { readonly [Action in ModAction]: readonly EventName[] }

/** The events that are acts of moderation. */
export type ModEvent = (typeof modActions)[ModAction][number]
/** The kinds of entry that an event may make. */
export type ActionOf<Event extends ModEvent> = {
  [Action in ModAction]: Event extends (typeof modActions)[Action][number] ? Action : never
}[ModAction]
