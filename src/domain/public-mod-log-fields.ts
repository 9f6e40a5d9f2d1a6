// Decision 111.

import type { EventNamed } from './events.ts'
import type { ModEvent } from './mod-actions.ts'

type FieldsOf<Name extends ModEvent> = readonly (keyof EventNamed<Name>['data'])[]

const ofThing = ['subsite', 'target'] as const
const ofAccount = ['subsite', 'account'] as const
const ofTerm = ['subsite', 'account', 'until', 'days'] as const
const ofChangedTerm = [...ofTerm, 'previousUntil'] as const
const ofSeat = ['subsite', 'account', 'permissions'] as const
const ofTemplate = ['subsite', 'kind', 'template', 'text', 'css', 'editable'] as const
const ofRule = ['subsite', 'name', 'description', 'kind'] as const

/**
 * The fields of an act's data that everybody who may read the log may read, with texts sealed. Acts on a page are only for those who may
 * read the page.
 */
export const publicFields: { readonly [Name in ModEvent]: FieldsOf<Name> } = {
  LinkRemoved: [...ofThing, 'spam', 'before'],
  LinkApproved: [...ofThing, 'before'],
  LinkErased: [...ofThing, 'reason'],
  LinkLocked: ofThing,
  LinkUnlocked: ofThing,
  LinkMarkedNsfw: ofThing,
  LinkUnmarkedNsfw: ofThing,
  LinkContestModeSet: ofThing,
  LinkContestModeUnset: ofThing,
  LinkSortSuggested: [...ofThing, 'before', 'after'],
  LinkReportsIgnored: ofThing,
  LinkReportsUnignored: ofThing,
  LinkDistinguished: [...ofThing, 'before', 'after'],
  LinkStickied: [...ofThing, 'slot'],
  LinkUnstickied: [...ofThing, 'slot', 'reason'],
  LinkFlairChanged: [...ofThing, 'author', 'text', 'css', 'template'],
  CommentRemoved: [...ofThing, 'link', 'spam', 'before'],
  CommentApproved: [...ofThing, 'link', 'before'],
  CommentErased: [...ofThing, 'reason'],
  CommentReportsIgnored: ofThing,
  CommentReportsUnignored: ofThing,
  CommentDistinguished: [...ofThing, 'before', 'after'],
  CommentStickied: [...ofThing, 'link'],
  CommentUnstickied: [...ofThing, 'link', 'reason'],
  SubsiteSettingChanged: ['subsite', 'setting', 'reason'],
  FlairSettingChanged: ['subsite', 'setting', 'before', 'after'],
  FlairTemplateAdded: ofTemplate,
  FlairTemplateChanged: [...ofTemplate, 'before'],
  FlairTemplateDeleted: ['subsite', 'kind', 'template', 'before'],
  FlairTemplatesCleared: ['subsite', 'kind', 'templates'],
  UserFlairChanged: [...ofAccount, 'text', 'css', 'csv', 'cleared'],
  RuleCreated: ofRule,
  RuleEdited: [...ofRule, 'before', 'previousDescription', 'previousKind'],
  RulesReordered: ['subsite', 'before', 'after'],
  RuleDeleted: ['subsite', 'name', 'before'],
  ImageUploaded: ['subsite', 'use', 'name'],
  ImageDeleted: ['subsite', 'use', 'name'],
  ImageErased: ['subsite', 'reason'],
  StylesheetSaved: ['subsite', 'reason'],
  WikiPageRevised: ['subsite', 'page', 'reason', 'reverts'],
  WikiRevisionHidden: ['subsite', 'page', 'revision'],
  WikiRevisionUnhidden: ['subsite', 'page', 'revision'],
  WikiRevisionErased: ['subsite', 'page', 'revision', 'reason'],
  WikiPageListingChanged: ['subsite', 'page', 'listed'],
  WikiPagePermlevelChanged: ['subsite', 'page', 'before', 'after'],
  WikiEditorAdded: [...ofAccount, 'page'],
  WikiEditorRemoved: [...ofAccount, 'page'],
  ModeratorAdded: [...ofSeat, 'invitation'],
  ModeratorInvited: ofSeat,
  ModeratorInvitationWithdrawn: ofSeat,
  ModeratorInvitationAccepted: ofSeat,
  ModeratorPermissionsChanged: [...ofAccount, 'invitation', 'before', 'after'],
  ModeratorRemoved: [...ofSeat, 'left'],
  UserBanned: ofTerm,
  BanChanged: ofChangedTerm,
  BanNoteChanged: ofAccount,
  UserUnbanned: ofAccount,
  BanExpired: ofAccount,
  UserWikiBanned: ofTerm,
  WikiBanChanged: ofChangedTerm,
  WikiBanNoteChanged: ofAccount,
  UserWikiUnbanned: ofAccount,
  WikiBanExpired: ofAccount,
  UserMuted: [...ofAccount, 'until'],
  MuteNoteChanged: ofAccount,
  UserUnmuted: ofAccount,
  MuteExpired: ofAccount,
  WikiContributorAdded: ofAccount,
  WikiContributorRemoved: ofAccount,
  ContributorAdded: ofAccount,
  ContributorRemoved: ofAccount,
}
