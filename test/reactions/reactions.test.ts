import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { InboxCleared, InboxClearing } from '../../src/domain/inbox-clearing.ts'
import { InboxEntry, markRead, markUnread } from '../../src/domain/inbox-entry.ts'
import { Link } from '../../src/domain/link.ts'
import { acceptInvitation, inviteModerator } from '../../src/domain/moderator-invitations.ts'
import { addModerator, leaveModeration, Moderators, removeModerator } from '../../src/domain/moderators.ts'
import { addContributor, Relation } from '../../src/domain/relation.ts'
import { Stickies, stickyLink } from '../../src/domain/stickies.ts'
import { removeLink } from '../../src/domain/thing-moderation.ts'
import { ban, between, byAnn, messages, moderatorOf, react, type Site, site } from '../support/reaction-site.ts'

const sticky = async (side: Site, id: string) => {
  const link = await side.load(Link, id)
  if (!link) throw new Error('it was submitted')
  return side.run(Stickies, 't4_1', stickyLink(link), moderatorOf(side))
}
test('entries marked as unread after the inbox was cleared stay unread when the clearing is processed again', async (t) => {
  const side = await site(t)
  const clearing = InboxCleared({ account: 't2_ann', things: ['t6_1', 't6_2'] })
  await side.run(InboxEntry, 't2_ann.t6_1', markRead('t2_ann', 't6_1'), side.by('t2_ann'))
  await side.run(InboxClearing, 't2_ann', () => E.right([clearing]), side.by('t2_ann'))
  await react(side)
  for (const entry of ['t6_1', 't6_2'] as const)
    await side.run(InboxEntry, `t2_ann.${entry}`, markUnread('t2_ann', entry), side.by('t2_ann'))
  const head = await side.events.head()
  await react(side)
  t.is(await side.events.head(), head)
})

test('each reaction has its effect once, however often and wherever it runs', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', removeLink(true), moderatorOf(side))
  await side.run(Moderators, 't4_1', inviteModerator(between, byAnn, { banned: false, muted: false }, '+posts'), moderatorOf(side))
  await ban(side, 3)
  await Promise.all([react(side), react(side), react(side)])
  const head = await side.events.head()
  await react(side)
  t.is(await side.events.head(), head)
  t.is((await messages(side)).length, 3)
})

test('an invited account is notified by the subsite, its moderators by the service', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', inviteModerator(between, byAnn, { banned: false, muted: false }, '+posts'), moderatorOf(side))
  await react(side)
  const [invitation, notice] = await messages(side)
  t.like(invitation?.data, { author: 't2_ann', to: 't2_bob', subsite: 't4_1', fromSubsite: true, modmail: true, inboxes: ['t2_bob'] })
  t.is(invitation?.data.subject, 'invitation to moderate /s/Tea')
  t.like(notice?.data, {
    author: null,
    to: null,
    subsite: 't4_1',
    modmail: true,
    inboxes: [],
    body: '/u/Bob has been invited by /u/Ann to moderate /s/Tea.',
  })
  t.not(invitation?.data.message, notice?.data.message)
})

test('bans, mutes and other acts send a message to the account concerned', async (t) => {
  const side = await site(t)
  const { run, by } = side
  await run(Moderators, 't4_1', inviteModerator(between, byAnn, { banned: false, muted: false }, '+posts'), moderatorOf(side))
  await run(Moderators, 't4_1', acceptInvitation(between, { banned: false }), by('t2_bob'))
  await run(Moderators, 't4_1', removeModerator(between, { actor: 't2_ann', admin: false }), moderatorOf(side))
  await run(
    Moderators,
    't4_1',
    addModerator(between, { actor: 't2_root', admin: true }, { banned: false, muted: false }, '+all'),
    by('t2_root', 'admin'),
  )
  await run(Moderators, 't4_1', leaveModeration(between), by('t2_bob'))
  await run(Relation, 't4_1.t2_bob', addContributor(between, { founder: false, at: 0 }), moderatorOf(side))
  await run(Relation, 't4_1.t2_ann', addContributor({ ...between, account: 't2_ann' }, { founder: true, at: 0 }), by('t2_ann'))
  await react(side)
  t.deepEqual(
    (await messages(side)).map(({ data: { author, to, distinguished, subject } }) => [author, to, distinguished, subject]),
    [
      ['t2_ann', 't2_bob', 'moderator', 'invitation to moderate /s/Tea'],
      [null, null, null, 'moderator invited'],
      ['t2_bob', null, 'moderator', 'moderator added'],
      ['t2_ann', 't2_bob', 'moderator', 'you have been removed as a moderator of /s/Tea'],
      ['t2_root', 't2_bob', 'admin', 'you are a moderator'],
      ['t2_ann', 't2_bob', 'moderator', 'you are an approved submitter of /s/Tea'],
    ],
  )
})
