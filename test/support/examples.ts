import * as account from '../../src/domain/account.ts'
import * as comment from '../../src/domain/comment.ts'
import * as contact from '../../src/domain/contact.ts'
import type { EventName, EventNamed } from '../../src/domain/events.ts'
import * as inbox from '../../src/domain/inbox-entry.ts'
import * as link from '../../src/domain/link.ts'
import * as message from '../../src/domain/message.ts'
import * as moderators from '../../src/domain/moderators.ts'
import * as relation from '../../src/domain/relation.ts'
import * as report from '../../src/domain/report.ts'
import * as shelf from '../../src/domain/shelf.ts'
import * as stickies from '../../src/domain/stickies.ts'
import * as subscription from '../../src/domain/subscription.ts'
import * as subsite from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import * as vote from '../../src/domain/vote.ts'

const ann = 't2_1a'
const bob = 't2_1b'
const place = { subsite: 't4_1' }
const member = { ...place, account: bob }
const thing = { comment: 't1_7', link: 't5_9k', ...place, author: ann }
const linkTarget = { id: 't5_9k', author: ann, title: 'Tea & cake', excerpt: 'The first 500 characters …' }
const commentTarget = { id: 't1_7', author: ann, excerpt: 'I prefer coffee. 😀', link: 't5_9k' }
const pair = { account: ann, other: bob }
const kept = { account: ann, thing: 't5_9k', ...place }
const ban = { ...member, until: 1_772_000_000_000, days: 3, note: 'spam: again', message: 'No more tea.' }
const settings = { ...defaultSettings, title: 'Tea' }

/** One of each event, with every field that it may have. */
export const examples: { readonly [Name in EventName]: EventNamed<Name> } = {
  UsernameClaimed: account.UsernameClaimed({ account: ann, name: 'Ann' }),
  AccountRegistered: account.AccountRegistered({ account: ann, name: 'Ann' }),
  SubsiteNameClaimed: subsite.SubsiteNameClaimed({ ...place, name: 'Tea', creator: ann, settings }),
  SubsiteCreated: subsite.SubsiteCreated({ ...place, name: 'Tea', creator: ann, settings }),
  SubsiteSettingChanged: subsite.SubsiteSettingChanged({ ...place, setting: 'over_18', before: false, after: true }),
  ModeratorAdded: moderators.ModeratorAdded({ ...member, permissions: '+all', founder: true }),
  ModeratorInvited: moderators.ModeratorInvited({ ...member, permissions: '+mail,+posts' }),
  ModeratorInvitationWithdrawn: moderators.ModeratorInvitationWithdrawn(member),
  ModeratorInvitationAccepted: moderators.ModeratorInvitationAccepted({ ...member, permissions: '+mail,+posts' }),
  ModeratorPermissionsChanged: moderators.ModeratorPermissionsChanged({ ...member, invitation: false, before: '+all', after: '' }),
  ModeratorRemoved: moderators.ModeratorRemoved({ ...member, left: false, permissions: '+all' }),
  LinkStickied: stickies.LinkStickied({ ...place, target: linkTarget, slot: 1 }),
  LinkUnstickied: stickies.LinkUnstickied({ ...place, target: linkTarget, slot: 1, reason: 'replaced' }),
  UserBanned: relation.UserBanned(ban),
  BanChanged: relation.BanChanged({ ...ban, previousUntil: null }),
  BanNoteChanged: relation.BanNoteChanged({ ...member, note: 'spam: again' }),
  UserUnbanned: relation.UserUnbanned(member),
  BanExpired: relation.BanExpired({ ...member, bannedBy: ann }),
  ContributorAdded: relation.ContributorAdded({ ...member, founder: false }),
  ContributorRemoved: relation.ContributorRemoved({ ...member, left: true }),
  Friended: contact.Friended({ ...pair, note: 'met at tea' }),
  FriendNoteChanged: contact.FriendNoteChanged({ ...pair, note: '' }),
  Unfriended: contact.Unfriended(pair),
  Subscribed: subscription.Subscribed({ account: ann, ...place }),
  Unsubscribed: subscription.Unsubscribed({ account: ann, ...place }),
  LinkSubmitted: link.LinkSubmitted({
    link: 't5_9k',
    ...place,
    author: ann,
    title: 'Tea & cake',
    url: 'http://tea.example/?cake#now',
    text: 'Leaves, then water.\n\nNever the other way round. 😀',
    over18: false,
    sendReplies: true,
    filtered: false,
  }),
  LinkEdited: link.LinkEdited({ link: 't5_9k', ...place, author: ann, text: 'Water, then leaves.' }),
  LinkDeleted: link.LinkDeleted({ link: 't5_9k', ...place, author: ann }),
  LinkRemoved: link.LinkRemoved({ ...place, target: linkTarget, spam: true, before: false }),
  LinkApproved: link.LinkApproved({ ...place, target: linkTarget, before: true }),
  LinkLocked: link.LinkLocked({ ...place, target: linkTarget }),
  LinkUnlocked: link.LinkUnlocked({ ...place, target: linkTarget }),
  LinkDistinguished: link.LinkDistinguished({ ...place, target: linkTarget, before: null, after: 'moderator' }),
  CommentDistinguished: comment.CommentDistinguished({
    ...place,
    target: commentTarget,
    before: 'admin',
    after: null,
    notified: [{ account: bob, reason: 'post_reply' }],
    removed: false,
  }),
  LinkReportsIgnored: link.LinkReportsIgnored({ ...place, target: linkTarget }),
  LinkReportsUnignored: link.LinkReportsUnignored({ ...place, target: linkTarget }),
  CommentReportsIgnored: comment.CommentReportsIgnored({ ...place, target: commentTarget }),
  CommentReportsUnignored: comment.CommentReportsUnignored({ ...place, target: commentTarget }),
  CommentPosted: comment.CommentPosted({
    ...thing,
    linkAuthor: bob,
    parent: 't1_6',
    body: 'I prefer coffee. 😀',
    filtered: false,
    notified: [{ account: bob, reason: 'comment_reply' }],
  }),
  CommentEdited: comment.CommentEdited({
    ...thing,
    body: 'I prefer tea.',
    notified: [{ account: bob, reason: 'mention' }],
    withdrawn: ['t2_1c'],
  }),
  CommentDeleted: comment.CommentDeleted({ ...thing, notified: [bob] }),
  CommentRemoved: comment.CommentRemoved({
    ...place,
    target: commentTarget,
    link: 't5_9k',
    before: false,
    notified: [bob],
    spam: false,
  }),
  CommentApproved: comment.CommentApproved({ ...place, target: commentTarget, link: 't5_9k', before: true, notified: [bob] }),
  VoteCast: vote.VoteCast({
    thing: 't1_7',
    link: 't5_9k',
    ...place,
    author: ann,
    voter: bob,
    before: { insightful: false, funny: true },
    after: { insightful: true, funny: true },
    karma: true,
    rank: 3,
  }),
  MessageSent: message.MessageSent({
    message: 't6_3',
    author: ann,
    to: bob,
    ...place,
    fromSubsite: true,
    parent: 't6_2',
    root: 't6_1',
    subject: 're: tea',
    body: 'At five.',
    inboxes: [bob],
    modmail: true,
    distinguished: 'moderator',
  }),
  InboxEntryRead: inbox.InboxEntryRead({ account: ann, thing: 't6_3' }),
  InboxEntryUnread: inbox.InboxEntryUnread({ account: ann, thing: 't1_7' }),
  InboxCleared: inbox.InboxCleared({ account: ann, things: ['t6_3', 't1_7'] }),
  MessageRemoved: message.MessageRemoved({ message: 't6_3', ...place, inboxes: [bob], spam: true }),
  MessageApproved: message.MessageApproved({ message: 't6_3', ...place, inboxes: [bob] }),
  ModmailRead: message.ModmailRead({ message: 't6_3', ...place }),
  ModmailUnread: message.ModmailUnread({ message: 't6_3', ...place }),
  ThingReported: report.ThingReported({ account: bob, thing: 't5_9k', ...place, author: ann, moderator: false, reason: 'not about tea' }),
  MessageReported: report.MessageReported({ account: bob, message: 't6_4f', subsite: null, reason: 'rude' }),
  ThingSaved: shelf.ThingSaved({ ...kept, category: 'to read' }),
  ThingUnsaved: shelf.ThingUnsaved(kept),
  ThingHidden: shelf.ThingHidden(kept),
  ThingUnhidden: shelf.ThingUnhidden(kept),
}
