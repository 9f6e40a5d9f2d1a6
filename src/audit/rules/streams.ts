import type { EventName, EventNamed, Logged } from '../../domain/events.ts'

// Each event names what it concerns; its stream is that of the same. Elsewhere it counts, but no decision sees it.

type Place = { readonly [Name in EventName]: (data: EventNamed<Name>['data']) => string }

const ofName = ({ name }: { readonly name: string }) => name.toLowerCase()
const ofLink = ({ link }: { readonly link: string }) => `link-${link}`
const ofTarget = ({ target }: { readonly target: { readonly id: string } }) => `link-${target.id}`
const ofComment = ({ comment }: { readonly comment: string }) => `comment-${comment}`
const ofTargetComment = ({ target }: { readonly target: { readonly id: string } }) => `comment-${target.id}`
const ofMessage = ({ message }: { readonly message: string }) => `message-${message}`
const ofModerators = ({ subsite }: { readonly subsite: string }) => `moderators-${subsite}`
const ofStickies = ({ subsite }: { readonly subsite: string }) => `stickies-${subsite}`
const ofSubsite = ({ subsite }: { readonly subsite: string }) => `subsite-${subsite}`
const ofContact = ({ account, other }: { readonly account: string; readonly other: string }) => `contact-${account}.${other}`

type Member = { readonly subsite: string; readonly account: string }
const ofRelation = ({ subsite, account }: Member) => `relation-${subsite}.${account}`
const ofSubscription = ({ subsite, account }: Member) => `subscription-${account}.${subsite}`

type Kept = { readonly account: string; readonly thing: string }
const ofShelf = ({ account, thing }: Kept) => `shelf-${account}.${thing}`
const ofEntry = ({ account, thing }: Kept) => `inbox-${account}.${thing}`

const streams: Place = {
  UsernameClaimed: (data) => `username-${ofName(data)}`,
  AccountRegistered: ({ account }) => `account-${account}`,
  SubsiteNameClaimed: (data) => `subsitename-${ofName(data)}`,
  SubsiteCreated: ofSubsite,
  SubsiteSettingChanged: ofSubsite,
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
  LinkStickied: ofStickies,
  LinkUnstickied: ofStickies,
  CommentPosted: ofComment,
  CommentEdited: ofComment,
  CommentDeleted: ofComment,
  CommentRemoved: ofTargetComment,
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
  ContributorAdded: ofRelation,
  ContributorRemoved: ofRelation,
  MessageSent: ofMessage,
  MessageRemoved: ofMessage,
  MessageApproved: ofMessage,
  ModmailRead: ofMessage,
  ModmailUnread: ofMessage,
  InboxEntryRead: ofEntry,
  InboxEntryUnread: ofEntry,
  InboxCleared: ({ account }) => `mailbox-${account}`,
}

/** What is wrong with where an event stands, in words. */
export const problemOfStream = ({ type, data, stream }: Logged): string | undefined => {
  const own = (streams[type] as (data: object) => string)(data)
  return stream === own ? undefined : `it belongs into the stream ${own}`
}
