// Decision 49.

import type { DomainEvent, EventName, EventNamed, Logged } from '../../domain/events.ts'
import { multiOf } from './due.ts'

// Checks that each event is in the stream of its subject. In another stream it would count, but no decision would see it.

type StreamNames = { readonly [Name in EventName]: (data: EventNamed<Name>['data']) => string }

const ofName = ({ name }: { readonly name: string }) => name.toLowerCase()
const ofLink = ({ link }: { readonly link: string }) => `link-${link}`
const ofTarget = ({ target }: { readonly target: { readonly id: string } }) => `link-${target.id}`
const ofComment = ({ comment }: { readonly comment: string }) => `comment-${comment}`
const ofTargetComment = ({ target }: { readonly target: { readonly id: string } }) => `comment-${target.id}`
const ofAccount = ({ account }: { readonly account: string }) => `account-${account}`
const ofMessage = ({ message }: { readonly message: string }) => `message-${message}`
const ofModerators = ({ subsite }: { readonly subsite: string }) => `moderators-${subsite}`
const ofStickies = ({ subsite }: { readonly subsite: string }) => `stickies-${subsite}`
const ofThread = ({ link }: { readonly link: string }) => `stickycomment-${link}`
const ofRules = ({ subsite }: { readonly subsite: string }) => `rules-${subsite}`
const ofSubsite = ({ subsite }: { readonly subsite: string }) => `subsite-${subsite}`
const ofContact = ({ account, other }: { readonly account: string; readonly other: string }) => `contact-${account}.${other}`

type Member = { readonly subsite: string; readonly account: string }
const ofRelation = ({ subsite, account }: Member) => `relation-${subsite}.${account}`
const ofFlair = ({ subsite, account }: Member) => `flair-${subsite}.${account}`
const ofTemplates = ({ subsite }: { readonly subsite: string }) => `flairtemplates-${subsite}`
const ofSubscription = ({ subsite, account }: Member) => `subscription-${account}.${subsite}`

const ofAvoidance = ({ subsite, account }: Member) => `avoidance-${account}.${subsite}`

type AccountThing = { readonly account: string; readonly thing: string }
const ofShelf = ({ account, thing }: AccountThing) => `shelf-${account}.${thing}`
const ofEntry = ({ account, thing }: AccountThing) => `inbox-${account}.${thing}`

const ofMulti = (multi: Parameters<typeof multiOf>[0]) => `multi-${multiOf(multi)}`
type InWiki = { readonly subsite: string; readonly page: string }
const ofWikiPage = ({ subsite, page }: InWiki) => `wikipage-${subsite}.${page}`
const ofWikiRevision = ({ subsite, revision }: InWiki & { readonly revision: string }) => `wikirevision-${subsite}.${revision}`

const streams: StreamNames = {
  UsernameClaimed: (data) => `username-${ofName(data)}`,
  AdminGranted: () => 'admins-site',
  AdminRevoked: () => 'admins-site',
  PreferencesChanged: ({ account }) => `preferences-${account}`,
  AccountRegistered: ofAccount,
  AccountDeleted: ofAccount,
  AccountErased: ofAccount,
  AccountTextsErased: ofAccount,
  AccountSuspended: ofAccount,
  AccountUnsuspended: ofAccount,
  AccountSuspensionExpired: ofAccount,
  SubsiteNameClaimed: (data) => `subsitename-${ofName(data)}`,
  SubsiteCreated: ofSubsite,
  SubsiteSettingChanged: ofSubsite,
  AudienceApplied: ({ subsite }) => `audience-${subsite}`,
  LinkSubmitted: ofLink,
  LinkEdited: ofLink,
  LinkDeleted: ofLink,
  LinkRemoved: ofTarget,
  LinkApproved: ofTarget,
  LinkLocked: ofTarget,
  LinkUnlocked: ofTarget,
  LinkReportsIgnored: ofTarget,
  LinkDistinguished: ofTarget,
  LinkReportsUnignored: ofTarget,
  LinkMarkedNsfw: ofTarget,
  LinkUnmarkedNsfw: ofTarget,
  LinkContestModeSet: ofTarget,
  LinkContestModeUnset: ofTarget,
  LinkSortSuggested: ofTarget,
  LinkErased: ofTarget,
  LinkRepliesSet: ofLink,
  LinkStickied: ofStickies,
  LinkUnstickied: ofStickies,
  CommentStickied: ofThread,
  CommentUnstickied: ofThread,
  RuleCreated: ofRules,
  RuleEdited: ofRules,
  RuleDeleted: ofRules,
  RulesReordered: ofRules,
  ImageUploaded: ({ subsite }) => `images-${subsite}`,
  ImageDeleted: ({ subsite }) => `images-${subsite}`,
  ImageErased: ({ subsite }) => `images-${subsite}`,
  StylesheetSaved: ({ subsite }) => `stylesheet-${subsite}`,
  CommentPosted: ofComment,
  CommentEdited: ofComment,
  CommentDeleted: ofComment,
  CommentRepliesSet: ofComment,
  CommentRemoved: ofTargetComment,
  CommentErased: ofTargetComment,
  CommentApproved: ofTargetComment,
  CommentReportsIgnored: ofTargetComment,
  CommentDistinguished: ofTargetComment,
  CommentReportsUnignored: ofTargetComment,
  VoteCast: ({ voter, thing }) => `vote-${voter}.${thing}`,
  ThingSaved: ofShelf,
  ThingUnsaved: ofShelf,
  ThingHidden: ofShelf,
  ThingUnhidden: ofShelf,
  ThingReported: ({ account, thing }) => `report-${account}.${thing}`,
  MessageReported: ({ account, message }) => `report-${account}.${message}`,
  Subscribed: ofSubscription,
  Unsubscribed: ofSubscription,
  Friended: ofContact,
  FriendNoteChanged: ofContact,
  Unfriended: ofContact,
  AccountBlocked: ofContact,
  AccountUnblocked: ofContact,
  SubsiteMuted: ofAvoidance,
  SubsiteUnmuted: ofAvoidance,
  SubsiteBlocked: ofAvoidance,
  SubsiteUnblocked: ofAvoidance,
  ModeratorAdded: ofModerators,
  ModeratorInvited: ofModerators,
  ModeratorInvitationWithdrawn: ofModerators,
  ModeratorInvitationAccepted: ofModerators,
  ModeratorPermissionsChanged: ofModerators,
  ModeratorRemoved: ofModerators,
  UserBanned: ofRelation,
  BanChanged: ofRelation,
  BanNoteChanged: ofRelation,
  UserUnbanned: ofRelation,
  BanExpired: ofRelation,
  UserWikiBanned: ofRelation,
  WikiBanChanged: ofRelation,
  WikiBanNoteChanged: ofRelation,
  UserWikiUnbanned: ofRelation,
  WikiBanExpired: ofRelation,
  UserMuted: ofRelation,
  MuteNoteChanged: ofRelation,
  UserUnmuted: ofRelation,
  MuteExpired: ofRelation,
  ContributorAdded: ofRelation,
  ContributorRemoved: ofRelation,
  WikiContributorAdded: ofRelation,
  WikiContributorRemoved: ofRelation,
  UserFlairChanged: ofFlair,
  UserFlairSwitched: ofFlair,
  LinkFlairChanged: ({ target }) => `linkflair-${target.id}`,
  FlairSettingChanged: ofTemplates,
  FlairTemplateAdded: ofTemplates,
  FlairTemplateChanged: ofTemplates,
  FlairTemplateDeleted: ofTemplates,
  FlairTemplatesCleared: ofTemplates,
  MessageSent: ofMessage,
  MessageRemoved: ofMessage,
  MessageApproved: ofMessage,
  ModmailRead: ofMessage,
  ModmailUnread: ofMessage,
  MessageDistinguished: ofMessage,
  MessageCollapsed: ofMessage,
  MessageUncollapsed: ofMessage,
  MessageDeleted: ofMessage,
  MessageErased: ofMessage,
  InboxEntryRead: ofEntry,
  InboxEntryUnread: ofEntry,
  MultiCreated: ofMulti,
  MultiEdited: ofMulti,
  MultiDeleted: ofMulti,
  WikiPageRevised: ofWikiPage,
  WikiPageListingChanged: ofWikiPage,
  WikiPagePermlevelChanged: ofWikiPage,
  WikiEditorAdded: ofWikiPage,
  WikiEditorRemoved: ofWikiPage,
  WikiRevisionHidden: ofWikiRevision,
  WikiRevisionUnhidden: ofWikiRevision,
  WikiRevisionErased: ofWikiRevision,
  CreditsGranted: ({ account }) => `credits-${account}`,
  ThingGilded: ({ account }) => `credits-${account}`,
  GoldGiven: ({ account }) => `credits-${account}`,
  GoldExtended: ({ account }) => `gold-${account}`,
  GoldExpired: ({ account }) => `gold-${account}`,
  InboxCleared: ({ account }) => `mailbox-${account}`,
}

/** Returns the stream on which an event belongs. */
export const streamOf = ({ type, data }: DomainEvent): string => (streams[type] as (data: object) => string)(data)

/** Returns the problem of an event's stream, in words. */
export const problemOfStream = (event: Logged): string | undefined => {
  const expected = streamOf(event)
  return event.stream === expected ? undefined : `it belongs into the stream ${expected}`
}
