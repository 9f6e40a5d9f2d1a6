import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { Account, claimUsername, registerAccount, Username } from '../../src/domain/account.ts'
import { Comment, CommentPosted, deleteComment, editComment } from '../../src/domain/comment.ts'
import type { Aggregate, Decide } from '../../src/domain/decision.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { LinkFlair, noFlair, setLinkFlair, setUserFlair, showFlair, UserFlair } from '../../src/domain/flair.ts'
import { befriend, Contact, unfriend } from '../../src/domain/friends-and-blocks.ts'
import { InboxEntry, markRead, markUnread } from '../../src/domain/inbox-entry.ts'
import { deleteLink, editLink, Link, LinkSubmitted } from '../../src/domain/link.ts'
import { acceptInvitation, changeInvitation, inviteModerator, withdrawInvitation } from '../../src/domain/moderator-invitations.ts'
import {
  addModerator,
  changePermissions,
  foundModeration,
  leaveModeration,
  Moderators,
  removeModerator,
} from '../../src/domain/moderators.ts'
import {
  addContributor,
  addWikiContributor,
  leaveContributors,
  Relation,
  removeContributor,
  removeWikiContributor,
} from '../../src/domain/relation.ts'
import { Report, reportThing } from '../../src/domain/report.ts'
import {
  banUser,
  expireBan,
  expireMute,
  expireWikiBan,
  muteUser,
  unbanUser,
  unmuteUser,
  wikiBanUser,
  wikiUnbanUser,
} from '../../src/domain/restrictions.ts'
import { hideThing, putAway, Shelf, saveThing, unhideThing, unsaveThing } from '../../src/domain/shelf.ts'
import { Subscription, subscribe, unsubscribe } from '../../src/domain/subscription.ts'
import { changeSettings, claimSubsiteName, createSubsite, Subsite, SubsiteCreated, SubsiteName } from '../../src/domain/subsite.ts'
import {
  clearTemplates,
  configureFlair,
  FlairTemplateAdded,
  noSubsiteFlair,
  putTemplate,
  SubsiteFlair,
} from '../../src/domain/subsite-flair.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import {
  approveComment,
  approveLink,
  distinguishComment,
  distinguishLink,
  ignoreCommentReports,
  ignoreLinkReports,
  lockLink,
  removeComment,
  removeLink,
  unignoreCommentReports,
  unignoreLinkReports,
  unlockLink,
} from '../../src/domain/thing-moderation.ts'
import fc from '../support/properties.ts'
import { NOW, pastEvent, stateAfter } from '../support/specification.ts'

type Commands<State, Event extends AnyEvent> = Readonly<Record<string, Decide<State, Event>>>

/**
 * Whatever happened before: `settling` commands, made a second time, record nothing more. `moving` ones only make histories; each of
 * them is news.
 */
const settles = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  settling: Commands<State, Event>,
  moving: Commands<State, Event> = {},
  beginning: readonly Event[] = [],
) => {
  const all = { ...settling, ...moving }
  for (const [name, decide] of Object.entries(settling))
    test(`${aggregate.category}: ${name} repeated records at most one event, after any history`, (t) => {
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...Object.keys(all)), { maxLength: 10 }), (before) => {
          const past = beginning.map((event) => pastEvent(event, { at: NOW }))
          const make = (command: Decide<State, Event> | undefined) => {
            const decision = command?.(stateAfter(aggregate, past)) ?? E.right([])
            const events = E.isRight(decision) ? decision.right : []
            past.push(...events.map((event) => pastEvent(event, { at: NOW })))
            return events.length
          }
          for (const command of before) make(all[command])
          make(decide)
          return make(decide) === 0
        }),
        { numRuns: 50 },
      )
      t.pass()
    })
}

settles(Username, { claimUsername: claimUsername('t2_1', 'Ann') }, { byAnother: claimUsername('t2_2', 'ann') })
settles(Account, { registerAccount: registerAccount('t2_1', 'Ann') })

const creation = { subsite: 't4_1', name: 'Tea', creator: 't2_1', settings: defaultSettings }
const author = { admin: true, gold: true }
settles(SubsiteName, { claimSubsiteName: claimSubsiteName(creation) }, { another: claimSubsiteName({ ...creation, subsite: 't4_2' }) })
settles(
  Subsite,
  {
    createSubsite: createSubsite(creation),
    changeSettings: changeSettings(author, { title: 'Tea', over_18: true }),
    changeThemBack: changeSettings(author, { title: '', over_18: false, type: 'private' }),
  },
  {},
  [SubsiteCreated(creation)],
)

const ann = { subsite: 't4_1', account: 't2_ann' }
const bob = { subsite: 't4_1', account: 't2_bob' }
const byAnn = { actor: 't2_ann', admin: false }
settles(Moderators, {
  foundModeration: foundModeration(ann),
  addModerator: addModerator(bob, { ...byAnn, admin: true }, { banned: false, muted: false }, '+mail'),
  inviteModerator: inviteModerator(bob, byAnn, { banned: false, muted: false }, '+posts'),
  withdrawInvitation: withdrawInvitation(bob, byAnn),
  acceptInvitation: acceptInvitation(bob, { banned: false }),
  changePermissions: changePermissions(bob, byAnn, '+wiki'),
  changeInvitation: changeInvitation(bob, byAnn, '+flair'),
  removeModerator: removeModerator(bob, byAnn),
  leaveModeration: leaveModeration(bob),
})

const term = { note: 'why', message: '' }
const facts = { moderator: false, at: NOW }
settles(Relation, {
  banForGood: banUser(bob, facts, { ...term, days: null }),
  banForDays: banUser(bob, facts, { ...term, days: 3 }),
  banLater: banUser(bob, { ...facts, at: NOW + 10 * 86_400_000 }, { ...term, days: 1 }),
  unbanUser: unbanUser(bob, NOW),
  expireBan: expireBan(bob, NOW + 5 * 86_400_000),
  addContributor: addContributor(bob, { founder: false, at: NOW }),
  removeContributor: removeContributor(bob),
  leaveContributors: leaveContributors(bob),
  muteUser: muteUser(bob, facts, { note: 'why' }),
  unmuteUser: unmuteUser(bob, NOW),
  expireMute: expireMute(bob, NOW + 5 * 86_400_000),
  wikiBanUser: wikiBanUser(bob, NOW, { note: 'why', days: 3 }),
  wikiUnbanUser: wikiUnbanUser(bob, NOW),
  expireWikiBan: expireWikiBan(bob, NOW + 5 * 86_400_000),
  addWikiContributor: addWikiContributor(bob, { at: NOW }),
  removeWikiContributor: removeWikiContributor(bob),
})

const flair = { text: 'brewer', css: 'brown' }
settles(UserFlair, {
  setUserFlair: setUserFlair(bob, flair),
  clear: setUserFlair(bob, noFlair),
  hide: showFlair(bob, false),
  show: showFlair(bob, true),
})
settles(LinkFlair, { setLinkFlair: setLinkFlair({ subsite: 't4_1', erased: false }, { id: 't5_1', author: 't2_bob' }, flair) })
const offered = { settings: { ...noSubsiteFlair.settings, flair_position: 'left' as const } }
settles(
  SubsiteFlair,
  {
    configureFlair: configureFlair('t4_1', offered.settings),
    configureBack: configureFlair('t4_1', noSubsiteFlair.settings),
    clearTemplates: clearTemplates('t4_1', 'user'),
  },
  { changeTemplate: putTemplate('t4_1', 'user', { id: 'a', ...flair, editable: true }, 'b') },
  [FlairTemplateAdded({ subsite: 't4_1', kind: 'user', template: 'a', text: '', css: '', editable: false })],
)

const pair = { account: 't2_ann', other: 't2_bob' }
settles(Contact, { befriend: befriend(pair), withNote: befriend(pair, 'tea'), unfriend: unfriend(pair) })
settles(Subscription, { subscribe: subscribe('t2_ann', 't4_1'), unsubscribe: unsubscribe('t2_ann', 't4_1') })
settles(InboxEntry, { markRead: markRead('t2_ann', 't6_1'), markUnread: markUnread('t2_ann', 't6_1') })

const place = { account: 't2_ann', thing: 't5_1', subsite: 't4_1' }
const reporter = { account: 't2_ann', moderator: false, banned: false }
const reported = { id: 't5_1', subsite: 't4_1', author: 't2_bob', deleted: false }
settles(Report, { reportThing: reportThing(reporter, reported, 'rude'), again: reportThing(reporter, reported, 'late') })

settles(
  Shelf,
  { unsaveThing: unsaveThing(place), unhideThing: unhideThing(place), putAway: putAway(place) },
  { saveThing: saveThing(place, null), hideThing: hideThing(place) },
)

settles(
  Link,
  {
    lockLink: lockLink(NOW),
    unlockLink: unlockLink(NOW),
    deleteLink: deleteLink('t2_ann'),
    ignoreLinkReports,
    unignoreLinkReports,
    distinguish: distinguishLink('t2_ann', 'moderator'),
    undistinguish: distinguishLink('t2_ann', null),
  },
  { removeLink: removeLink(true), approveLink, editLink: editLink({ account: 't2_ann', admin: false }, 'text') },
  [
    LinkSubmitted({
      link: 't5_1',
      subsite: 't4_1',
      author: 't2_ann',
      title: 'Tea',
      text: '',
      over18: false,
      sendReplies: true,
      filtered: false,
    }),
  ],
)
settles(
  Comment,
  {
    deleteComment: deleteComment('t2_ann'),
    distinguish: distinguishComment('t2_ann', { deleted: false }, { after: 'moderator' }),
    undistinguish: distinguishComment('t2_ann', { deleted: false }, { after: null }),
    ignoreCommentReports,
    unignoreCommentReports,
  },
  {
    removeComment: removeComment(false),
    approveComment,
    editComment: editComment({ account: 't2_ann', mentioned: [], audience: 'everybody' }, 'text'),
  },
  [
    CommentPosted({
      comment: 't1_1',
      link: 't5_1',
      subsite: 't4_1',
      author: 't2_ann',
      linkAuthor: 't2_bob',
      parent: null,
      body: 'nice',
      filtered: false,
      notified: [],
    }),
  ],
)
