import {
  AccountDeleted,
  AccountErased,
  AccountRegistered,
  AccountSuspended,
  AccountSuspensionExpired,
  AccountTextsErased,
  AccountUnsuspended,
} from '../../src/domain/account.ts'
import { SubsiteBlocked, SubsiteMuted, SubsiteUnblocked, SubsiteUnmuted } from '../../src/domain/avoidance.ts'
import {
  CommentApproved,
  CommentDeleted,
  CommentDistinguished,
  CommentEdited,
  CommentPosted,
  CommentRemoved,
  CommentRepliesSet,
  CommentReportsIgnored,
  CommentReportsUnignored,
} from '../../src/domain/comment.ts'
import { AccountBlocked, AccountUnblocked, Friended, FriendNoteChanged, Unfriended } from '../../src/domain/contact.ts'
import { CreditsGranted, GoldGiven, ThingGilded } from '../../src/domain/credits.ts'
import { LinkFlairChanged, UserFlairChanged, UserFlairSwitched } from '../../src/domain/flair.ts'
import { GoldExpired, GoldExtended } from '../../src/domain/gold.ts'
import { ImageDeleted, ImageUploaded } from '../../src/domain/images.ts'
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
import {
  LinkContestModeSet,
  LinkContestModeUnset,
  LinkMarkedNsfw,
  LinkRepliesSet,
  LinkSortSuggested,
  LinkUnmarkedNsfw,
} from '../../src/domain/link-options.ts'
import {
  MessageApproved,
  MessageCollapsed,
  MessageDeleted,
  MessageDistinguished,
  MessageRemoved,
  MessageSent,
  MessageUncollapsed,
  ModmailRead,
  ModmailUnread,
} from '../../src/domain/message.ts'
import {
  ModeratorAdded,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
} from '../../src/domain/moderators.ts'
import { defaultContent, MultiCreated, MultiDeleted, MultiEdited } from '../../src/domain/multi.ts'
import { PreferencesChanged } from '../../src/domain/preferences.ts'
import {
  BanChanged,
  BanExpired,
  BanNoteChanged,
  ContributorAdded,
  ContributorRemoved,
  MuteExpired,
  MuteNoteChanged,
  UserBanned,
  UserMuted,
  UserUnbanned,
  UserUnmuted,
  UserWikiBanned,
  UserWikiUnbanned,
  WikiBanChanged,
  WikiBanExpired,
  WikiBanNoteChanged,
  WikiContributorAdded,
  WikiContributorRemoved,
} from '../../src/domain/relation.ts'
import { MessageReported, ThingReported } from '../../src/domain/report.ts'
import { RuleCreated, RuleDeleted, RuleEdited } from '../../src/domain/rules.ts'
import { ThingHidden, ThingSaved, ThingUnhidden, ThingUnsaved } from '../../src/domain/shelf.ts'
import { LinkStickied, LinkUnstickied } from '../../src/domain/stickies.ts'
import { CommentStickied, CommentUnstickied } from '../../src/domain/sticky-comment.ts'
import { StylesheetSaved } from '../../src/domain/stylesheet.ts'
import { Subscribed, Unsubscribed } from '../../src/domain/subscription.ts'
import { SubsiteCreated, SubsiteNameClaimed, SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import {
  FlairSettingChanged,
  FlairTemplateAdded,
  FlairTemplateChanged,
  FlairTemplateDeleted,
  FlairTemplatesCleared,
} from '../../src/domain/subsite-flair.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { VoteCast } from '../../src/domain/vote.ts'
import {
  WikiEditorAdded,
  WikiEditorRemoved,
  WikiPageListingChanged,
  WikiPagePermlevelChanged,
  WikiPageRevised,
} from '../../src/domain/wiki-page.ts'
import { WikiRevisionHidden, WikiRevisionUnhidden } from '../../src/domain/wiki-revision.ts'
import { ann, bob, carol, dave, pot, praise, tea, thanks, told } from './example-history.ts'
import { by, DAWN, loggedFrom, MINUTE, type Told } from './logged-events.ts'

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
const message = (id: string, author: string | null, more: object, sender = by(author)) =>
  sender(
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
const picture = (digit: string) => ({ hash: digit.repeat(64), format: 'png', width: 256, height: 256, bytes: 9 }) as const
const mod = by(carol, 'moderator')
const admin = by(root, 'admin')
const pair = (account: string) => ({ subsite: tea, account })

const onThings: readonly Told[] = [
  mod(LinkUnlocked({ subsite: tea, target: target(pot, ann) })),
  link(kettle, bob, { text: 'Does it whistle?', sendReplies: true }),
  link(spam, dave, { url: 'http://WWW.tea.example/a?b#!c', filtered: true }),
  link(leaf, carol, { url: 'https://leaf.example/#top' }),
  link(cup, carol, { text: 'Of porcelain.' }),
  link('t5_rest', carol, { text: 'Nobody acts on it.' }),
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
  mod(LinkRemoved({ subsite: tea, target: target(kettle, bob), spam: false, before: false })),
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

const onOptions: readonly Told[] = [
  mod(LinkUnmarkedNsfw({ subsite: tea, target: target(kettle, bob) })),
  by(carol)(LinkUnmarkedNsfw({ subsite: tea, target: target(leaf, carol) })),
  by(carol)(LinkMarkedNsfw({ subsite: tea, target: target(leaf, carol) })),
  admin(LinkMarkedNsfw({ subsite: tea, target: target(pot, ann) })),
  mod(LinkContestModeSet({ subsite: tea, target: target(leaf, carol) })),
  mod(LinkContestModeSet({ subsite: tea, target: target(cup, carol) })),
  mod(LinkContestModeUnset({ subsite: tea, target: target(cup, carol) })),
  mod(LinkSortSuggested({ subsite: tea, target: target(leaf, carol), before: '', after: 'qa' })),
  mod(LinkSortSuggested({ subsite: tea, target: target(leaf, carol), before: 'qa', after: 'blank' })),
  by(ann)(LinkRepliesSet({ link: pot, subsite: tea, author: ann, after: false })),
  by(carol)(LinkRepliesSet({ link: cup, subsite: tea, author: carol, after: true })),
  by(bob)(CommentRepliesSet({ comment: praise, link: pot, subsite: tea, author: bob, after: false })),
]

const report = (account: string, thing: string, author: string, reason: string, moderator = false) =>
  by(account)(ThingReported({ account, thing, subsite: tea, author, moderator, reason }))
const ignored = { subsite: tea, target: words(praise, bob) }

const distinguishing = (before: 'moderator' | 'admin' | null, after: 'moderator' | 'admin' | null) => ({ subsite: tea, before, after })

const leading = { subsite: tea, link: pot }
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
  admin(CommentDistinguished({ ...distinguishing(null, 'admin'), target: words(late, dave), notified: [], removed: true })),
  mod(CommentDistinguished({ ...distinguishing('admin', 'moderator'), target: words(late, dave), notified: [], removed: true })),
  mod(CommentDistinguished({ ...distinguishing('moderator', null), target: words(aside, carol), notified: [], removed: true })),
  mod(CommentStickied({ ...leading, target: words(late, dave) })),
  mod(CommentUnstickied({ ...leading, target: words(late, dave), reason: 'replaced' })),
  mod(CommentStickied({ ...leading, target: words(aside, carol) })),
  by(null)(CommentUnstickied({ ...leading, target: words(aside, carol), reason: 'deleted' })),
  admin(CommentStickied({ ...leading, link: leaf, target: { ...words(praise, bob), link: leaf } })),
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
  mod(CommentReportsIgnored({ subsite: tea, target: words('t1_ivy', 't2_ivy') })),
  comment('t1_fern', dave, {}),
  mod(CommentReportsIgnored({ subsite: tea, target: words('t1_fern', dave) })),
  report(ann, 't1_fern', dave, 'unheard'),
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
  message('t6_told', root, { to: dave, fromSubsite: true, inboxes: [dave], distinguished: 'admin' }, admin),
  message('t6_own', ann, { to: ann, subsite: null, modmail: false, inboxes: [ann] }),
  message('t6_system', null, {}),
  message('t6_back', dave, { inboxes: [bob, ann] }),
  by(ann)(InboxEntryRead({ account: ann, thing: 't6_own' })),
  by(ann)(InboxEntryUnread({ account: ann, thing: 't6_own' })),
  mod(MessageRemoved({ message: 't6_told', subsite: tea, inboxes: [dave], spam: false })),
  mod(MessageRemoved({ message: 't6_back', subsite: tea, inboxes: [bob, ann], spam: false })),
  mod(MessageApproved({ message: 't6_back', subsite: tea, inboxes: [bob, ann] })),
  message('t6_stay', dave, { inboxes: [ann] }),
  mod(MessageRemoved({ message: 't6_stay', subsite: tea, inboxes: [ann], spam: true })),
  by(carol)(ModmailRead({ message: 't6_ask', subsite: tea })),
  by(carol)(ModmailRead({ message: 't6_back', subsite: tea })),
  by(carol)(ModmailUnread({ message: 't6_back', subsite: tea })),
  admin(MessageDistinguished({ message: 't6_told', before: 'admin', after: 'special' })),
  by(carol)(MessageCollapsed({ message: 't6_ask', side: 'recipient' })),
  by(bob)(MessageCollapsed({ message: 't6_ask', side: 'author' })),
  by(dave)(MessageUncollapsed({ message: 't6_back', side: 'author' })),
  by(carol)(MessageUncollapsed({ message: 't6_ask', side: 'recipient' })),
  by(dave)(MessageDeleted({ message: 't6_told', account: dave })),
  by(bob)(MessageReported({ account: bob, message: 't6_back', subsite: tea, reason: 'rude' })),
  by(carol)(MessageReported({ account: carol, message: 't6_back', subsite: tea, reason: 'rude' })),
]

const multi = (name: string, more: object = {}) => ({
  ...defaultContent,
  ...{ account: bob, kind: 'm' as const, name, displayName: 'Drinks', subsites: [tea], created: 1, copiedFrom: null },
  ...more,
})
const onMultis: readonly Told[] = [
  by(bob)(MultiCreated(multi('drinks', { description: 'hot and cold '.repeat(10) }))),
  by(bob)(MultiEdited(multi('drinks', { subsites: [], visibility: 'public', copiedFrom: { account: ann, name: 'drinks' } }))),
  by(bob)(MultiCreated({ ...multi('cups'), renamed: { from: 'mugs', revision: 0 } })),
  by(bob)(MultiCreated(multi('gone'))),
  by(bob)(MultiDeleted({ account: bob, kind: 'm', name: 'gone' })),
]

const template = (id: string, more: object = {}) => ({
  subsite: tea,
  kind: 'user' as const,
  template: id,
  text: 'Brewer',
  css: 'brown',
  editable: false,
  ...more,
})
const onFlair: readonly Told[] = [
  mod(
    UserFlairChanged({ ...pair(bob), text: 'Brewer', css: 'brown', shown: true, csv: false, before: { account: bob, text: '', css: '' } }),
  ),
  by(bob)(UserFlairSwitched({ ...pair(bob), text: 'Brewer', css: 'brown', shown: false })),
  mod(UserFlairChanged({ ...pair(dave), text: 'b'.repeat(64), css: 'c'.repeat(100), shown: true, csv: true })),
  mod(
    UserFlairChanged({
      ...pair(dave),
      text: '',
      css: '',
      shown: true,
      csv: true,
      before: { account: dave, text: 'b'.repeat(64), css: 'c'.repeat(100) },
    }),
  ),
  by(ann)(UserFlairChanged({ ...pair(ann), text: '', css: 'brown', shown: true, csv: false })),
  mod(
    LinkFlairChanged({
      subsite: tea,
      target: target(leaf, carol),
      author: carol,
      text: 'Leaves',
      css: '',
      before: { account: carol, text: '', css: '' },
    }),
  ),
  mod(
    LinkFlairChanged({
      subsite: tea,
      target: target(leaf, carol),
      author: carol,
      text: 'Question',
      css: 'blue',
      before: { account: carol, text: 'Leaves', css: '' },
    }),
  ),
  by(carol)(LinkFlairChanged({ subsite: tea, target: target(cup, carol), author: carol, text: 'q'.repeat(64), css: '' })),
  mod(FlairSettingChanged({ subsite: tea, setting: 'link_flair_position', before: '', after: 'left' })),
  mod(FlairSettingChanged({ subsite: tea, setting: 'flair_self_enabled', before: false, after: true })),
  mod(FlairTemplateAdded(template('a'))),
  mod(FlairTemplateAdded(template('b', { text: 'b'.repeat(64) }))),
  mod(FlairTemplateAdded(template('c'))),
  mod(
    FlairTemplateChanged({
      ...template('b', { css: '', editable: true }),
      before: { text: 'b'.repeat(64), css: 'brown', editable: false },
    }),
  ),
  mod(FlairTemplateDeleted({ subsite: tea, kind: 'user', template: 'a', before: { text: 'Brewer', css: 'brown', editable: false } })),
  mod(FlairTemplateAdded(template('d', { kind: 'link' }))),
  mod(FlairTemplatesCleared({ subsite: tea, kind: 'link', templates: ['d'] })),
]

const ban = { days: 3, until, note: 'rude', message: 'Be kind.' }
const preferring = (preference: string, before: boolean | number, after: boolean | number) => ({
  account: bob,
  changes: [{ preference, before, after }],
  preferences: after === 25 ? [] : [{ preference, value: after }],
})
const onPeople: readonly Told[] = [
  by(bob)(PreferencesChanged(preferring('numsites', 25, 50))),
  by(bob)(PreferencesChanged(preferring('numsites', 50, 25))),
  by(bob)(PreferencesChanged(preferring('hide_ups', false, true))),
  by(bob)(ThingSaved({ account: bob, thing: praise, subsite: tea })),
  by(bob)(ThingSaved({ account: bob, thing: pot, subsite: tea })),
  by(ann)(ThingSaved({ account: ann, thing: kettle, subsite: tea, sealedCategory: 'kitchen' })),
  by(ann)(ThingUnsaved({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(ThingHidden({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(ThingUnhidden({ account: ann, thing: kettle, subsite: tea })),
  by(ann)(FriendNoteChanged({ account: ann, other: bob, note: 'knows all about tea' })),
  by(bob)(Friended({ account: bob, other: ann, note: 'x' })),
  by(bob)(Unfriended({ account: bob, other: ann })),
  by(ann)(AccountBlocked({ account: ann, other: bob })),
  by(bob)(AccountBlocked({ account: bob, other: dave })),
  by(bob)(AccountUnblocked({ account: bob, other: dave })),
  by(ann)(SubsiteMuted({ account: ann, subsite: tea })),
  by(bob)(SubsiteMuted({ account: bob, subsite: tea })),
  by(bob)(SubsiteUnmuted({ account: bob, subsite: tea })),
  by(ann)(SubsiteBlocked({ account: ann, subsite: tea })),
  by(bob)(SubsiteBlocked({ account: bob, subsite: tea })),
  by(bob)(SubsiteUnblocked({ account: bob, subsite: tea })),
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
  mod(ImageUploaded({ subsite: tea, use: 'img', name: 'pot', ...picture('a') })),
  mod(ImageUploaded({ subsite: tea, use: 'img', name: 'lid', ...picture('b') })),
  mod(ImageUploaded({ subsite: tea, use: 'img', name: 'pot', ...picture('c'), before: 'a'.repeat(64) })),
  mod(ImageUploaded({ subsite: tea, use: 'header', name: '', ...picture('d'), before: null })),
  mod(ImageUploaded({ subsite: tea, use: 'icon', name: '', ...picture('e') })),
  mod(ImageUploaded({ subsite: tea, use: 'banner', name: '', ...picture('f') })),
  mod(
    StylesheetSaved({
      ...{ subsite: tea, author: carol, source: 'a { }', reason: '', css: 'c'.repeat(64), images: [`${'a'.repeat(64)}.png`] },
      ...{ previous: null, before: null },
    }),
  ),
  mod(ImageDeleted({ subsite: tea, use: 'img', name: 'lid', hash: 'b'.repeat(64) })),
  mod(ImageDeleted({ subsite: tea, use: 'header', name: '', hash: 'd'.repeat(64) })),
  mod(RuleCreated({ subsite: tea, name: 'Be kind', description: 'kind '.repeat(40), kind: 'all' })),
  mod(RuleCreated({ subsite: tea, name: 'On water', description: '', kind: 'link' })),
  mod(RuleCreated({ subsite: tea, name: 'On milk', description: '', kind: 'comment' })),
  mod(
    RuleEdited({
      subsite: tea,
      before: 'On water',
      name: 'Soft water',
      description: 'Please.',
      kind: 'comment',
      previousDescription: '',
      previousKind: 'link',
    }),
  ),
  mod(RuleDeleted({ subsite: tea, name: 'Be kind', before: { description: 'kind '.repeat(40), kind: 'all' } })),
  mod(ModeratorInvited({ ...pair(dave), permissions: '+mail' })),
  mod(ModeratorPermissionsChanged({ ...pair(dave), invitation: true, before: '+mail', after: '+wiki' })),
  mod(ModeratorInvited({ ...pair(root), permissions: '' })),
  mod(ModeratorInvitationWithdrawn(pair(root))),
  mod(ModeratorInvited({ ...pair('t2_kim'), permissions: '+mail' })),
  mod(ModeratorInvitationWithdrawn({ ...pair('t2_kim'), permissions: '+mail' })),
  mod(ModeratorPermissionsChanged({ ...pair(ann), invitation: false, before: '+posts', after: '+posts,+wiki' })),
  admin(ModeratorAdded({ ...pair(bob), permissions: '+all', founder: false })),
  admin(ModeratorRemoved({ ...pair(bob), left: false, permissions: '+all' })),
  admin(ModeratorAdded({ ...pair(root), permissions: '+all', founder: false })),
  by(root, 'moderator')(ModeratorRemoved({ ...pair(root), left: true, permissions: '+all' })),
  mod(UserUnbanned({ ...pair(dave), before: { until: Date.UTC(2026, 2, 8), by: carol, note: 'advertising', noteBy: carol } })),
  mod(UserBanned({ ...pair(bob), ...ban })),
  admin(BanNoteChanged({ ...pair(bob), note: 'very rude', before: { until, by: carol, note: ban.note, noteBy: carol } })),
  mod(UserBanned({ ...pair(ann), days: null, until: null })),
  mod(BanChanged({ ...pair(ann), ...ban, previousUntil: null })),
  mod(UserBanned({ ...pair('t2_eve'), ...ban })),
  mod(
    BanChanged({
      ...pair('t2_eve'),
      days: null,
      until: null,
      previousUntil: until,
      before: { until, by: carol, note: ban.note, noteBy: carol },
    }),
  ),
  mod(UserBanned({ ...pair('t2_gus'), ...ban })),
  by(null)(BanExpired({ ...pair('t2_gus'), bannedBy: carol, before: { until, by: carol, note: ban.note, noteBy: carol } })),
  mod(UserWikiBanned({ ...pair(bob), days: 3, until, note: 'edit war' })),
  mod(
    WikiBanChanged({
      ...pair(bob),
      days: null,
      until: null,
      previousUntil: until,
      before: { until, by: carol, note: 'edit war', noteBy: carol },
    }),
  ),
  mod(WikiBanNoteChanged({ ...pair(bob), note: 'edit war again', before: { until: null, by: carol } })),
  mod(UserWikiBanned({ ...pair(dave), days: 3, until, note: 'edit war' })),
  mod(UserWikiBanned({ ...pair('t2_eve'), days: null, until: null })),
  mod(UserWikiUnbanned({ ...pair('t2_eve'), before: { until: null, by: carol } })),
  mod(UserWikiBanned({ ...pair('t2_gus'), days: 3, until })),
  by(null)(WikiBanExpired({ ...pair('t2_gus'), bannedBy: carol, before: { until, by: carol } })),
  mod(UserMuted({ ...pair(bob), until, note: 'rude mail', over: 't6_ask' })),
  mod(MuteNoteChanged({ ...pair(bob), note: 'very rude mail', before: { until, by: carol, note: 'rude mail', noteBy: carol } })),
  mod(UserMuted({ ...pair(dave), until })),
  mod(UserUnmuted({ ...pair(dave), before: { until, by: carol } })),
  mod(UserMuted({ ...pair('t2_gus'), until })),
  by(null)(MuteExpired({ ...pair('t2_gus'), before: { until, by: carol } })),
  mod(WikiContributorAdded(pair(carol))),
  mod(WikiContributorAdded(pair(dave))),
  mod(WikiContributorRemoved(pair(dave))),
  by(carol)(ContributorAdded({ ...pair(carol), founder: true })),
  mod(ContributorAdded({ ...pair(bob), founder: false })),
  mod(ContributorAdded({ ...pair(dave), founder: false })),
  mod(ContributorRemoved({ ...pair(dave), left: false })),
  by(bob)(ContributorRemoved({ ...pair(bob), left: true })),
]

const zoe = 't2_zoe'
const yan = 't2_yan'
const registered = (account: string, name: string) => by(account)(AccountRegistered({ account, name }))
/** A place whose text an erasure deletes itself, even if the log could still be read. */
const erasedPlaces = [
  { kind: 'report', id: 't5_jug' },
  { kind: 'flair', id: `${tea}.${yan}` },
  { kind: 'link-flair', id: leaf },
] as const
const onJug = { thing: 't5_jug', subsite: tea, author: carol, moderator: false } as const
const onAccounts: readonly Told[] = [
  registered(zoe, 'Zoe'),
  registered(yan, 'Yan'),
  registered(root, 'Root'),
  admin(AccountSuspended({ account: zoe, until, days: 3, note: 'rude' })),
  by(null)(AccountSuspensionExpired({ account: zoe, before: { until, by: root, note: 'rude', noteBy: root } })),
  admin(AccountSuspended({ account: yan, until, days: 3 })),
  admin(AccountSuspended({ account: yan, until: null, days: null, note: 'rude', before: { until, by: root } })),
  admin(AccountUnsuspended({ account: yan, before: { until: null, by: root, note: 'rude', noteBy: root } })),
  admin(AccountSuspended({ account: root, until, days: 3 })),
  by(zoe)(AccountDeleted({ account: zoe, seats: [] })),
  by(yan)(ThingReported({ ...onJug, account: yan, reason: 'rude' })),
  by(zoe)(ThingReported({ ...onJug, account: zoe, reason: 'rude' })),
  by(root)(ThingReported({ ...onJug, account: root, reason: 'stolen' })),
  mod(UserFlairChanged({ subsite: tea, account: yan, text: 'Glazer', css: '', shown: true, csv: false })),
  admin(AccountErased({ account: yan, seats: [] })),
  by(null)(
    AccountTextsErased({ account: yan, things: [], entries: [], contacts: [], multis: [], places: erasedPlaces, next: null, pass: 1 }),
  ),
]

const wiki = { subsite: tea, page: 'leaves/green' }
const special = { subsite: tea, page: 'config/automoderator' }
const revision = (n: number) => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`
const beforeWiki: readonly Told[] = [
  ...told,
  ...onThings,
  ...onOptions,
  ...onReports,
  ...onMail,
  ...onFlair,
  ...onPeople,
  ...onMultis,
  ...onAccounts,
]
const before = beforeWiki.length
/** The first revision of the page, and the one of the sidebar: the events here are counted on from those before. */
const first = { ...wiki, revision: revision(before + 1) }
const onWiki: readonly Told[] = [
  by(bob)(WikiPageRevised({ ...wiki, author: bob, content: 'Leaves.', previous: null })),
  mod(WikiPageRevised({ ...wiki, author: carol, content: 'Green leaves.', reason: 'said more', previous: first.revision })),
  mod(
    WikiPageRevised({
      ...wiki,
      author: carol,
      content: 'Leaves.',
      reason: 'r'.repeat(100),
      previous: revision(before + 2),
      reverts: first.revision,
    }),
  ),
  by(bob)(WikiPageRevised({ ...special, author: bob, content: 'type: link', previous: null })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'description', before: 'water', after: 'hot water', reason: 'too cold' })),
  mod(WikiRevisionHidden({ subsite: tea, page: 'config/sidebar', revision: revision(before + 5) })),
  mod(WikiRevisionHidden(first)),
  mod(WikiRevisionUnhidden(first)),
  mod(WikiEditorAdded({ subsite: tea, page: 'unwritten', account: bob })),
  mod(WikiEditorAdded({ ...wiki, account: bob })),
  mod(WikiEditorAdded({ ...wiki, account: dave })),
  mod(WikiEditorRemoved({ ...wiki, account: bob })),
  mod(WikiPagePermlevelChanged({ ...wiki, before: 0, after: 2 })),
  mod(WikiPageListingChanged({ ...wiki, listed: false })),
  mod(WikiPageListingChanged({ ...special, listed: false })),
  mod(WikiPageListingChanged({ ...wiki, listed: true })),
  mod(WikiPageListingChanged({ ...wiki, listed: false })),
]

const gilded = (thing: string, author: string, csites: number, balance: number) =>
  (csites === 0 ? admin : by(bob))(
    ThingGilded({ account: csites === 0 ? root : bob, csites, balance, thing, link: pot, subsite: tea, author }),
  )
const system = by(null)
const onGold: readonly Told[] = [
  admin(CreditsGranted({ account: bob, csites: 5, balance: 5 })),
  gilded(leaf, carol, 1, 4),
  gilded(leaf, carol, 1, 3),
  gilded(praise, bob, 0, 0),
  by(bob)(GoldGiven({ account: bob, csites: 2, balance: 1, to: dave, months: 2 })),
]

const beforeExpiry: readonly Told[] = [...beforeWiki, ...onWiki, ...onGold]
const DAY = 86_400_000
/** When something happens that is the `n`th after all that. */
const timeAfter = (n: number) => DAWN + (beforeExpiry.length + n) * MINUTE
const onExpiry: readonly Told[] = [
  system(GoldExtended({ account: carol, days: 31, until: timeAfter(0) + 31 * DAY })),
  system(GoldExtended({ account: carol, days: 31, until: timeAfter(0) + 62 * DAY })),
  system(GoldExtended({ account: dave, days: 0, until: timeAfter(2) })),
  system(GoldExpired({ account: dave })),
]

const xan = 't2_xan'
const milk = { subsite: 't4_milk', name: 'Milk', creator: dave, settings: defaultSettings }
const beforeErasure: readonly Told[] = [...beforeExpiry, ...onExpiry]
/** The entries of the moderation log that an erasure names: the last two events before the note, and the note. */
const [onComment, onLink, onNote] = [7, 8, 9].map((n) => revision(beforeErasure.length + n)) as [string, string, string]
const onErasure: readonly Told[] = [
  registered(xan, 'Xan'),
  by(dave)(SubsiteNameClaimed(milk)),
  by(dave)(SubsiteCreated(milk)),
  link('t5_xan', xan, { text: 'Mine.' }),
  comment('t1_xan', xan, {}),
  message('t6_xan', xan, { to: ann, subsite: null, modmail: false, inboxes: [ann] }),
  mod(CommentRemoved({ subsite: tea, target: words('t1_xan', xan), link: pot, before: false, notified: [], spam: false })),
  mod(LinkLocked({ subsite: tea, target: target('t5_xan', xan) })),
  by(xan, 'moderator')(UserBanned({ ...pair('t2_wim'), days: null, until: null, note: 'rude' })),
  admin(AccountErased({ account: xan, seats: [] })),
  by(null)(
    AccountTextsErased({
      account: xan,
      things: ['t5_xan', 't1_xan', 't6_xan'],
      entries: [onComment, onLink],
      contacts: [],
      multis: [],
      places: [
        { kind: 'note', id: `${tea}.t2_wim.banned` },
        { kind: 'entry', id: onNote },
      ],
      next: null,
      pass: 1,
    }),
  ),
]

/** Every event there is, in a history that is consistent in itself. */
export const everyEvent = loggedFrom([...beforeErasure, ...onErasure])
