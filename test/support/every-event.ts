import {
  CommentApproved,
  CommentDeleted,
  CommentDistinguished,
  CommentEdited,
  CommentPosted,
  CommentRemoved,
  CommentReportsIgnored,
  CommentReportsUnignored,
} from '../../src/domain/comment.ts'
import { Friended, FriendNoteChanged, Unfriended } from '../../src/domain/contact.ts'
import { InboxCleared, InboxEntryRead, InboxEntryUnread } from '../../src/domain/inbox-entry.ts'
import {
  LinkApproved,
  LinkDeleted,
  LinkDistinguished,
  LinkEdited,
  LinkLocked,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkSubmitted,
  LinkUnlocked,
} from '../../src/domain/link.ts'
import { MessageApproved, MessageRemoved, MessageSent, ModmailRead, ModmailUnread } from '../../src/domain/message.ts'
import {
  ModeratorAdded,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
} from '../../src/domain/moderators.ts'
import {
  BanChanged,
  BanExpired,
  BanNoteChanged,
  ContributorAdded,
  ContributorRemoved,
  UserBanned,
  UserUnbanned,
} from '../../src/domain/relation.ts'
import { MessageReported, ThingReported } from '../../src/domain/report.ts'
import { ThingHidden, ThingSaved, ThingUnhidden, ThingUnsaved } from '../../src/domain/shelf.ts'
import { LinkStickied, LinkUnstickied } from '../../src/domain/stickies.ts'
import { Subscribed, Unsubscribed } from '../../src/domain/subscription.ts'
import { SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import { VoteCast } from '../../src/domain/vote.ts'
import { ann, bob, carol, dave, pot, praise, tea, thanks, told } from './story.ts'
import { by, loggedFrom, type Told } from './tell.ts'

// The story goes on until every event there is has happened, and things stand in every way they can.

const kettle = 't5_kettle'
const spam = 't5_spam'
const leaf = 't5_leaf'
const cup = 't5_cup'
const late = 't1_late'
const aside = 't1_aside'
const root = 't2_root'
const until = Date.UTC(2026, 2, 20)

const none = { insightful: false, funny: false }
const insightful = { insightful: true, funny: false }
const funny = { insightful: false, funny: true }
const both = { insightful: true, funny: true }

const link = (id: string, author: string, more: object) =>
  by(author)(
    LinkSubmitted({ link: id, subsite: tea, author, title: `About ${id}`, over18: true, sendReplies: false, filtered: false, ...more }),
  )
const target = (id: string, author: string) => ({ id, author, title: `About ${id}`, excerpt: 'as it was' })
const words = (id: string, author: string) => ({ id, author, excerpt: 'as it was', link: pot })
const vote = (voter: string, thing: string, author: string, before: typeof none, after: typeof none) =>
  by(voter)(VoteCast({ thing, link: pot, subsite: tea, author, voter, before, after, karma: voter !== author }))
const comment = (id: string, author: string, more: object) =>
  by(author)(
    CommentPosted({
      comment: id,
      link: pot,
      subsite: tea,
      author,
      linkAuthor: ann,
      parent: null,
      body: `words of ${author}`,
      filtered: false,
      notified: [],
      ...more,
    }),
  )
const edited = (notified: readonly { account: string; reason: 'mention' }[], withdrawn: readonly string[]) =>
  by(bob)(CommentEdited({ comment: praise, link: pot, subsite: tea, author: bob, body: 'What a pot, /u/Dave!', notified, withdrawn }))
const message = (id: string, author: string | null, more: object) =>
  by(author)(
    MessageSent({
      message: id,
      author,
      to: null,
      subsite: tea,
      fromSubsite: false,
      parent: null,
      root: id,
      subject: 'About tea',
      body: 'x'.repeat(100),
      inboxes: [],
      modmail: true,
      distinguished: null,
      ...more,
    }),
  )
const mod = by(carol, 'moderator')
const admin = by(root, 'admin')
const pair = (account: string) => ({ subsite: tea, account })

const onThings: readonly Told[] = [
  mod(LinkUnlocked({ subsite: tea, target: target(pot, ann) })),
  link(kettle, bob, { text: 'Does it whistle?', sendReplies: true }),
  link(spam, dave, { url: 'http://WWW.tea.example/a?b#!c', filtered: true }),
  link(leaf, carol, { url: 'https://leaf.example/#top' }),
  link(cup, carol, { text: 'Of porcelain.' }),
  by(bob)(LinkEdited({ link: kettle, subsite: tea, author: bob, text: 'It does. '.repeat(20) })),
  mod(LinkUnstickied({ subsite: tea, target: target(pot, ann), slot: 1, reason: 'replaced' })),
  mod(LinkStickied({ subsite: tea, target: target(kettle, bob), slot: 1 })),
  mod(LinkStickied({ subsite: tea, target: target(pot, ann), slot: 1 })),
  vote(bob, pot, ann, funny, none),
  vote(carol, pot, ann, insightful, both),
  vote(dave, pot, ann, none, insightful),
  vote(ann, pot, ann, insightful, funny),
  vote(carol, kettle, bob, none, funny),
  vote(ann, leaf, carol, none, funny),
  vote(bob, thanks, ann, none, both),
  vote(carol, praise, bob, none, funny),
  link('t5_lid', 't2_hal', { text: '' }),
  by('t2_hal')(LinkDeleted({ link: 't5_lid', subsite: tea, author: 't2_hal' })),
  comment('t1_ivy', 't2_ivy', {}),
  by(bob)(LinkDeleted({ link: kettle, subsite: tea, author: bob })),
  by(null)(LinkUnstickied({ subsite: tea, target: target(kettle, bob), slot: 2, reason: 'deleted' })),
  mod(LinkStickied({ subsite: tea, target: target(leaf, carol), slot: 2 })),
  mod(LinkUnstickied({ subsite: tea, target: target(pot, ann), slot: 1, reason: 'asked' })),
  mod(LinkApproved({ subsite: tea, target: target(spam, dave), before: true })),
  mod(LinkStickied({ subsite: tea, target: target(spam, dave), slot: 2 })),
  mod(LinkUnstickied({ subsite: tea, target: target(leaf, carol), slot: 1, reason: 'replaced' })),
  mod(LinkStickied({ subsite: tea, target: target(cup, carol), slot: 1 })),
  mod(LinkApproved({ subsite: tea, target: target(pot, ann), before: false })),
  mod(LinkRemoved({ subsite: tea, target: target(pot, ann), spam: true, before: false })),
  mod(LinkLocked({ subsite: tea, target: target(leaf, carol) })),
  admin(LinkRemoved({ subsite: tea, target: target(kettle, bob), spam: true, before: true })),
  mod(LinkApproved({ subsite: tea, target: target(kettle, bob), before: true })),
  mod(LinkApproved({ subsite: tea, target: target(leaf, carol), before: false })),
  mod(CommentApproved({ subsite: tea, target: words(praise, bob), link: pot, before: true, notified: [ann] })),
  edited(
    [
      { account: dave, reason: 'mention' },
      { account: carol, reason: 'mention' },
    ],
    [],
  ),
  edited([], [dave]),
  comment(late, dave, { filtered: true, notified: [{ account: ann, reason: 'post_reply' }], parent: praise }),
  comment(aside, carol, { notified: [{ account: bob, reason: 'mention' }] }),
  comment('t1_gone', bob, { notified: [{ account: ann, reason: 'post_reply' }] }),
  admin(CommentRemoved({ subsite: tea, target: words(aside, carol), link: pot, before: false, notified: [bob], spam: true })),
  by(bob)(CommentDeleted({ comment: 't1_gone', link: pot, subsite: tea, author: bob, notified: [ann] })),
  mod(CommentRemoved({ subsite: tea, target: words('t1_gone', bob), link: pot, before: false, notified: [ann], spam: false })),
  mod(CommentApproved({ subsite: tea, target: words('t1_gone', bob), link: pot, before: true, notified: [ann] })),
]

const report = (account: string, thing: string, author: string, reason: string, moderator = false) =>
  by(account)(ThingReported({ account, thing, subsite: tea, author, moderator, reason }))
const ignored = { subsite: tea, target: words(praise, bob) }

const distinguishing = (before: 'moderator' | 'admin' | null, after: 'moderator' | 'admin' | null) => ({ subsite: tea, before, after })

const onReports: readonly Told[] = [
  mod(LinkDistinguished({ ...distinguishing(null, 'moderator'), target: target(leaf, carol) })),
  mod(LinkDistinguished({ ...distinguishing('moderator', null), target: target(leaf, carol) })),
  admin(LinkDistinguished({ ...distinguishing(null, 'admin'), target: target(cup, carol) })),
  mod(
    CommentDistinguished({
      ...distinguishing(null, 'moderator'),
      target: words(aside, carol),
      notified: [{ account: ann, reason: 'post_reply' }],
      removed: true,
    }),
  ),
  mod(CommentDistinguished({ ...distinguishing('admin', 'moderator'), target: words(late, dave), notified: [], removed: true })),
  mod(CommentDistinguished({ ...distinguishing('moderator', null), target: words(aside, carol), notified: [], removed: true })),
  report(bob, leaf, carol, 'off topic'),
  report(ann, leaf, carol, 'rude'),
  report(dave, leaf, carol, 'rude'),
  report('t2_eve', leaf, carol, ''),
  report(carol, leaf, carol, 'a moderator’s '.repeat(7), true),
  mod(LinkReportsIgnored({ subsite: tea, target: target(cup, carol) })),
  report(bob, cup, carol, 'unheard'),
  report(bob, spam, dave, 'too late'),
  mod(LinkRemoved({ subsite: tea, target: target(spam, dave), spam: true, before: false })),
  report(ann, spam, dave, 'removed'),
  mod(LinkReportsIgnored({ subsite: tea, target: target(spam, dave) })),
  mod(LinkReportsUnignored({ subsite: tea, target: target(spam, dave) })),
  mod(CommentReportsIgnored(ignored)),
  report(carol, praise, bob, 'unheard', true),
  mod(CommentReportsUnignored(ignored)),
  report(dave, praise, bob, 'heard'),
  mod(CommentReportsIgnored(ignored)),
  edited([], []),
  report('t2_eve', 't1_ivy', 't2_ivy', 'x'.repeat(100)),
  report(ann, 't1_ivy', 't2_ivy', 'y'),
  mod(CommentApproved({ subsite: tea, target: words('t1_ivy', 't2_ivy'), link: pot, before: false, notified: [] })),
  report(bob, 't1_gone', bob, 'of what is gone'),
  comment('t1_mint', dave, {}),
  report(ann, 't1_mint', dave, 'rude'),
  by(dave)(CommentDeleted({ comment: 't1_mint', link: pot, subsite: tea, author: dave, notified: [] })),
]

const onMail: readonly Told[] = [
  by(ann)(InboxEntryRead({ account: ann, thing: praise })),
  by(ann)(InboxEntryUnread({ account: ann, thing: praise })),
  by(carol)(InboxEntryRead({ account: carol, thing: praise })),
  by(ann)(InboxCleared({ account: ann, things: [praise] })),
  message('t6_ask', bob, {}),
  message('t6_asked', 't2_lou', {}),
  message('t6_told', root, { to: dave, fromSubsite: true, inboxes: [dave], distinguished: 'moderator' }),
  message('t6_own', ann, { to: ann, subsite: null, modmail: false, inboxes: [ann] }),
  message('t6_system', null, {}),
  message('t6_back', dave, { inboxes: [bob, ann] }),
  by(ann)(InboxEntryRead({ account: ann, thing: 't6_own' })),
  by(ann)(InboxEntryUnread({ account: ann, thing: 't6_own' })),
  mod(MessageRemoved({ message: 't6_told', subsite: tea, inboxes: [dave], spam: false })),
  mod(MessageRemoved({ message: 't6_back', subsite: tea, inboxes: [bob, ann], spam: false })),
  mod(MessageApproved({ message: 't6_back', subsite: tea, inboxes: [bob, ann] })),
  by(carol)(ModmailRead({ message: 't6_ask', subsite: tea })),
  by(carol)(ModmailRead({ message: 't6_back', subsite: tea })),
  by(carol)(ModmailUnread({ message: 't6_back', subsite: tea })),
  by(bob)(MessageReported({ account: bob, message: 't6_back', subsite: tea, reason: 'rude' })),
  by(carol)(MessageReported({ account: carol, message: 't6_back', subsite: tea, reason: 'rude' })),
]

const ban = { days: 3, until, note: 'rude', message: 'Be kind.' }
const onPeople: readonly Told[] = [
  by(bob)(ThingSaved({ account: bob, thing: praise, subsite: tea, category: null })),
  by(bob)(ThingSaved({ account: bob, thing: pot, subsite: tea, category: null })),
  by(ann)(ThingSaved({ account: ann, thing: kettle, subsite: tea, category: 'kitchen' })),
  by(ann)(ThingUnsaved({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(ThingHidden({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(ThingUnhidden({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(FriendNoteChanged({ account: ann, other: bob, note: 'knows all about tea' })),
  by(bob)(Friended({ account: bob, other: ann, note: 'x' })),
  by(bob)(Unfriended({ account: bob, other: ann })),
  by(bob)(Unsubscribed({ account: bob, subsite: tea })),
  by(dave)(Subscribed({ account: dave, subsite: tea })),
  by('t2_jon')(Subscribed({ account: 't2_jon', subsite: tea })),
  by('t2_jon')(Unsubscribed({ account: 't2_jon', subsite: tea })),
  by('t2_jon')(Subscribed({ account: 't2_jon', subsite: tea })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'title', before: 'All about tea', after: 'Tea' })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'public_description', before: '', after: 'leaves '.repeat(30) })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'description', before: '', after: 'water' })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'submit_text', before: '', after: 'Go on.' })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'allow_top', before: true, after: false })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'type', before: 'public', after: 'restricted' })),
  mod(ModeratorInvited({ ...pair(dave), permissions: '+mail' })),
  mod(ModeratorPermissionsChanged({ ...pair(dave), invitation: true, before: '+mail', after: '+wiki' })),
  mod(ModeratorInvited({ ...pair(root), permissions: '' })),
  mod(ModeratorInvitationWithdrawn(pair(root))),
  mod(ModeratorInvited({ ...pair('t2_kim'), permissions: '+mail' })),
  mod(ModeratorInvitationWithdrawn(pair('t2_kim'))),
  mod(ModeratorPermissionsChanged({ ...pair(ann), invitation: false, before: '+posts', after: '+posts,+wiki' })),
  admin(ModeratorAdded({ ...pair(bob), permissions: '+all', founder: false })),
  admin(ModeratorRemoved({ ...pair(bob), left: false, permissions: '+all' })),
  admin(ModeratorAdded({ ...pair(root), permissions: '+all', founder: false })),
  by(root, 'moderator')(ModeratorRemoved({ ...pair(root), left: true, permissions: '+all' })),
  mod(UserUnbanned(pair(dave))),
  mod(UserBanned({ ...pair(bob), ...ban })),
  mod(BanNoteChanged({ ...pair(bob), note: 'very rude' })),
  mod(UserBanned({ ...pair(ann), days: null, until: null })),
  mod(BanChanged({ ...pair(ann), ...ban, previousUntil: null })),
  mod(UserBanned({ ...pair('t2_eve'), ...ban })),
  mod(BanChanged({ ...pair('t2_eve'), days: null, until: null, previousUntil: until })),
  mod(UserBanned({ ...pair('t2_gus'), ...ban })),
  by(null)(BanExpired({ ...pair('t2_gus'), bannedBy: carol })),
  by(carol)(ContributorAdded({ ...pair(carol), founder: true })),
  mod(ContributorAdded({ ...pair(bob), founder: false })),
  mod(ContributorAdded({ ...pair(dave), founder: false })),
  mod(ContributorRemoved({ ...pair(dave), left: false })),
  by(bob)(ContributorRemoved({ ...pair(bob), left: true })),
]

/** Every event there is, in a history that is consistent in itself. */
export const everyEvent = loggedFrom([...told, ...onThings, ...onReports, ...onMail, ...onPeople])
