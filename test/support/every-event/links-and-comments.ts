import { CommentApproved, CommentDeleted, CommentRemoved, CommentRepliesSet } from '../../../src/domain/comment.ts'
import { LinkApproved, LinkDeleted, LinkEdited, LinkLocked, LinkRemoved, LinkUnlocked } from '../../../src/domain/link.ts'
import {
  LinkContestModeSet,
  LinkContestModeUnset,
  LinkMarkedNsfw,
  LinkRepliesSet,
  LinkSortSuggested,
  LinkUnmarkedNsfw,
} from '../../../src/domain/link-options.ts'
import { LinkStickied, LinkUnstickied } from '../../../src/domain/stickies.ts'
import { VoteCast } from '../../../src/domain/vote.ts'
import { ann, bob, carol, dave, pot, praise, tea, thanks } from '../example-history.ts'
import { consequence, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { admin, aside, comment, cup, editedComment, kettle, late, leaf, link, mod, spam, target, words } from './terms.ts'

const none = { insightful: false, funny: false }
const insightful = { insightful: true, funny: false }
const funny = { insightful: false, funny: true }
const both = { insightful: true, funny: true }

const vote = (voter: string, thing: string, author: string, before: typeof none, after: typeof none, more: { rank?: number } = {}) =>
  inNameOf(voter)(VoteCast({ thing, link: pot, subsite: tea, author, voter, before, after, karma: voter !== author, ...more }))

export const onThings: readonly LoggedEvent[] = [
  mod(LinkUnlocked({ subsite: tea, target: target(pot, ann) })),
  link(kettle, bob, { text: 'Does it whistle?', sendReplies: true }),
  link(spam, dave, { url: 'http://WWW.tea.example/a?b#!c', filtered: true }),
  link(leaf, carol, { url: 'https://leaf.example/#top' }),
  link(cup, carol, { text: 'Of porcelain.' }),
  link('t5_rest', carol, { text: 'Nobody acts on it.' }),
  inNameOf(bob)(LinkEdited({ link: kettle, subsite: tea, author: bob, text: 'It does. '.repeat(20) })),
  mod(LinkUnstickied({ subsite: tea, target: target(pot, ann), slot: 1, reason: 'replaced' })),
  mod(LinkStickied({ subsite: tea, target: target(kettle, bob), slot: 1 })),
  mod(LinkStickied({ subsite: tea, target: target(pot, ann), slot: 1 })),
  vote(bob, pot, ann, funny, none),
  vote(carol, pot, ann, insightful, both),
  vote(dave, pot, ann, none, insightful),
  vote(ann, pot, ann, insightful, funny),
  vote(carol, kettle, bob, none, funny, { rank: 3 }),
  vote(ann, leaf, carol, none, funny),
  vote(bob, thanks, ann, none, both),
  vote(carol, praise, bob, none, funny),
  link('t5_lid', 't2_hal', { text: '' }),
  inNameOf('t2_hal')(LinkDeleted({ link: 't5_lid', subsite: tea, author: 't2_hal' })),
  comment('t1_ivy', 't2_ivy', {}),
  inNameOf(bob)(LinkDeleted({ link: kettle, subsite: tea, author: bob })),
  consequence(1, inNameOf(null)(LinkUnstickied({ subsite: tea, target: target(kettle, bob), slot: 2, reason: 'deleted' }))),
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
  editedComment(
    [
      { account: dave, reason: 'mention' },
      { account: carol, reason: 'mention' },
    ],
    [],
  ),
  editedComment([], [dave]),
  comment(late, dave, { filtered: true, notified: [{ account: ann, reason: 'post_reply' }], parent: praise }),
  comment(aside, carol, { notified: [{ account: bob, reason: 'mention' }] }),
  comment('t1_gone', bob, { notified: [{ account: ann, reason: 'post_reply' }] }),
  admin(CommentRemoved({ subsite: tea, target: words(aside, carol), link: pot, before: false, notified: [bob], spam: true })),
  inNameOf(bob)(CommentDeleted({ comment: 't1_gone', link: pot, subsite: tea, author: bob, notified: [ann] })),
  mod(CommentRemoved({ subsite: tea, target: words('t1_gone', bob), link: pot, before: false, notified: [ann], spam: false })),
  mod(CommentApproved({ subsite: tea, target: words('t1_gone', bob), link: pot, before: true, notified: [ann] })),
]

export const onOptions: readonly LoggedEvent[] = [
  mod(LinkUnmarkedNsfw({ subsite: tea, target: target(kettle, bob) })),
  inNameOf(carol)(LinkUnmarkedNsfw({ subsite: tea, target: target(leaf, carol) })),
  inNameOf(carol)(LinkMarkedNsfw({ subsite: tea, target: target(leaf, carol) })),
  admin(LinkMarkedNsfw({ subsite: tea, target: target(pot, ann) })),
  mod(LinkContestModeSet({ subsite: tea, target: target(leaf, carol) })),
  mod(LinkContestModeSet({ subsite: tea, target: target(cup, carol) })),
  mod(LinkContestModeUnset({ subsite: tea, target: target(cup, carol) })),
  mod(LinkSortSuggested({ subsite: tea, target: target(leaf, carol), before: '', after: 'qa' })),
  mod(LinkSortSuggested({ subsite: tea, target: target(leaf, carol), before: 'qa', after: 'blank' })),
  inNameOf(ann)(LinkRepliesSet({ link: pot, subsite: tea, author: ann, after: false })),
  inNameOf(carol)(LinkRepliesSet({ link: cup, subsite: tea, author: carol, after: true })),
  inNameOf(bob)(CommentRepliesSet({ comment: praise, link: pot, subsite: tea, author: bob, after: false })),
]
