import { AccountRegistered, UsernameClaimed } from '../../src/domain/account.ts'
import { CommentPosted, CommentRemoved } from '../../src/domain/comment.ts'
import { Friended } from '../../src/domain/friends-and-blocks.ts'
import { InboxEntryRead } from '../../src/domain/inbox-entry.ts'
import { LinkLocked, LinkSubmitted } from '../../src/domain/link.ts'
import { MessageSent } from '../../src/domain/message.ts'
import { ModeratorAdded, ModeratorInvitationAccepted, ModeratorInvited } from '../../src/domain/moderators.ts'
import { UserBanned } from '../../src/domain/relation.ts'
import { ThingHidden, ThingSaved } from '../../src/domain/shelf.ts'
import { LinkStickied } from '../../src/domain/stickies.ts'
import { Subscribed } from '../../src/domain/subscription.ts'
import { SubsiteCreated, SubsiteNameClaimed, SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { VoteCast } from '../../src/domain/vote.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from './logged-events.ts'

export const ann = 't2_ann'
export const bob = 't2_bob'
export const carol = 't2_carol'
export const dave = 't2_dave'
export const tea = 't4_tea'
export const pot = 't5_pot' // ann's link about a pot
export const praise = 't1_praise' // bob's comment under it
export const thanks = 't1_thanks' // ann's reply to that
export const hello = 't6_hello' // bob's message to ann

const none = { insightful: false, funny: false }
const insightful = { insightful: true, funny: false }
const funny = { insightful: false, funny: true }

const registration = (account: string, name: string): readonly LoggedEvent[] => [
  inNameOf(account)(UsernameClaimed({ account, name })),
  inNameOf(account)(AccountRegistered({ account, name })),
]

const founding = { subsite: tea, name: 'Tea', creator: carol, settings: { ...defaultSettings, title: 'All about tea' } }
const potTarget = { id: pot, author: ann, title: 'A good pot', excerpt: '' }
const praiseTarget = { id: praise, author: bob, excerpt: 'What a pot!', link: pot }

/** Ann submits, bob finds it funny, carol locks it, and what else happens in a young subsite. */
export const told: readonly LoggedEvent[] = [
  ...registration(ann, 'Ann'),
  ...registration(bob, 'Bob'),
  ...registration(carol, 'Carol'),
  ...registration(dave, 'Dave'),
  inNameOf(carol)(SubsiteNameClaimed(founding)),
  inNameOf(carol)(SubsiteCreated(founding)),
  inNameOf(carol)(ModeratorAdded({ subsite: tea, account: carol, permissions: '+all', founder: true })),
  inNameOf(ann)(Subscribed({ account: ann, subsite: tea })),
  inNameOf(bob)(Subscribed({ account: bob, subsite: tea })),
  inNameOf(ann)(
    LinkSubmitted({
      link: pot,
      subsite: tea,
      author: ann,
      title: 'A good pot',
      url: 'https://www.Example.org/Pot#lid',
      over18: false,
      sendReplies: true,
      filtered: false,
    }),
  ),
  inNameOf(bob)(VoteCast({ thing: pot, link: pot, subsite: tea, author: ann, voter: bob, before: none, after: funny, karma: true })),
  inNameOf(carol)(
    VoteCast({ thing: pot, link: pot, subsite: tea, author: ann, voter: carol, before: none, after: insightful, karma: true }),
  ),
  inNameOf(bob)(
    CommentPosted({
      comment: praise,
      link: pot,
      subsite: tea,
      author: bob,
      linkAuthor: ann,
      parent: null,
      body: 'What a pot!',
      filtered: false,
      notified: [{ account: ann, reason: 'post_reply' }],
    }),
  ),
  inNameOf(ann)(
    CommentPosted({
      comment: thanks,
      link: pot,
      subsite: tea,
      author: ann,
      linkAuthor: ann,
      parent: praise,
      body: 'Thank you.',
      filtered: false,
      notified: [{ account: bob, reason: 'comment_reply' }],
    }),
  ),
  inNameOf(ann)(
    VoteCast({ thing: praise, link: pot, subsite: tea, author: bob, voter: ann, before: none, after: insightful, karma: true }),
  ),
  inNameOf(bob)(InboxEntryRead({ account: bob, thing: thanks })),
  inNameOf(bob)(ThingSaved({ account: bob, thing: pot, subsite: tea, sealedCategory: 'kitchen' })),
  inNameOf(dave)(ThingHidden({ account: dave, thing: pot, subsite: tea })),
  inNameOf(ann)(Friended({ account: ann, other: bob, note: 'knows tea' })),
  inNameOf(bob)(
    MessageSent({
      message: hello,
      author: bob,
      to: ann,
      subsite: null,
      fromSubsite: false,
      parent: null,
      root: hello,
      subject: 'Hello',
      body: 'Where is it from?',
      inboxes: [ann],
      modmail: false,
      distinguished: null,
    }),
  ),
  inNameOf(carol, 'moderator')(SubsiteSettingChanged({ subsite: tea, setting: 'over_18', before: false, after: true })),
  inNameOf(carol, 'moderator')(ModeratorInvited({ subsite: tea, account: ann, permissions: '+posts' })),
  inNameOf(ann, 'moderator')(ModeratorInvitationAccepted({ subsite: tea, account: ann, permissions: '+posts' })),
  inNameOf(carol, 'moderator')(LinkStickied({ subsite: tea, target: potTarget, slot: 1 })),
  inNameOf(carol, 'moderator')(LinkLocked({ subsite: tea, target: potTarget })),
  inNameOf(
    carol,
    'moderator',
  )(CommentRemoved({ subsite: tea, target: praiseTarget, link: pot, before: false, notified: [ann], spam: false })),
  inNameOf(carol, 'moderator')(UserBanned({ subsite: tea, account: dave, until: Date.UTC(2026, 2, 8), days: 7, note: 'advertising' })),
]

export const story = loggedFrom(told)
