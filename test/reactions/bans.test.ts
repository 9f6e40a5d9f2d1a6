import test from 'ava'
import { acceptInvitation, inviteModerator } from '../../src/domain/moderator-invitations.ts'
import { Moderators } from '../../src/domain/moderators.ts'
import { Relation } from '../../src/domain/relation.ts'
import { unbanUser } from '../../src/domain/restrictions.ts'
import { ban, between, byAnn, messages, moderatorOf, react, readAllOpened, type Site, site } from '../support/reaction-site.ts'
import { openRestricting } from '../support/restricting.ts'

test('a ban and its changes notify accounts that took part in the subsite, and no others', async (t) => {
  const side = await site(t)
  await ban(side, 3, 'Too much\ncoffee.')
  await ban(side, 30)
  await ban(side, null)
  await react(side)
  const told = (await messages(side)).map(({ data }) => data)
  t.deepEqual(
    told.map(({ subject }) => subject),
    ["you've been temporarily banned from participating in /s/Tea", 'your ban from /s/Tea has changed', 'your ban from /s/Tea has changed'],
  )
  t.true(told[0]?.body.includes('for 3 days') && told[0].body.includes('> Too much\n> coffee.'))
  t.true(told[1]?.body.includes('30 days'))
  t.true(told[2]?.body.includes('permanent'))
  side.participants.clear()
  await openRestricting(side).ban({ ...between, account: 't2_cat' }, moderatorOf(side))
  await react(side)
  t.is((await messages(side)).length, 3)
})

const invite = inviteModerator(between, byAnn, { banned: false, muted: false }, '+posts')
const seats = async (side: Site) => (await side.load(Moderators, 't4_1'))?.moderators.map(({ account }) => account)
const relationSeen = async (side: Site, command: ReturnType<Site['by']>) => {
  await side.load(Relation, 't4_1.t2_bob', command)
  return command
}

test('a ban withdraws a pending invitation, by the same moderator and caused by the ban', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', invite, moderatorOf(side))
  await openRestricting(side).ban(between, side.by('t2_cat', 'moderator'))
  await react(side)
  const events = await readAllOpened(side)
  const cause = events.find(({ type }) => type === 'UserBanned')
  const withdrawn = events.find(({ type }) => type === 'ModeratorInvitationWithdrawn')
  t.like(withdrawn, { by: { account: 't2_cat', as: 'moderator' }, at: cause?.at, data: between })
  t.is(withdrawn?.meta.causationId, cause?.id)
})

test('a ban does not withdraw an invitation made after its end', async (t) => {
  const side = await site(t)
  await ban(side, null)
  await side.run(Relation, 't4_1.t2_bob', unbanUser(between, Date.now()), moderatorOf(side))
  await side.run(Moderators, 't4_1', invite, moderatorOf(side))
  await react(side)
  t.is((await side.load(Moderators, 't4_1'))?.invitations.length, 1)
})

test('an invitation concurrent with a ban is withdrawn', async (t) => {
  const side = await site(t)
  const command = await relationSeen(side, moderatorOf(side))
  await ban(side, null)
  await react(side)
  await side.run(Moderators, 't4_1', invite, command)
  await react(side)
  t.deepEqual((await side.load(Moderators, 't4_1'))?.invitations, [])
})

test('an acceptance concurrent with a ban is undone by the service', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', invite, moderatorOf(side))
  const command = await relationSeen(side, side.by('t2_bob'))
  await ban(side, null)
  await side.run(Moderators, 't4_1', acceptInvitation(between, { banned: false }), command)
  await react(side)
  t.deepEqual(await seats(side), ['t2_ann'])
  t.like(
    (await readAllOpened(side)).find(({ type }) => type === 'ModeratorRemoved'),
    { by: { account: null, as: 'system' }, data: { left: false } },
  )
})

test('a seat accepted without a check for bans is kept', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', invite, moderatorOf(side))
  await ban(side, null)
  await side.run(Moderators, 't4_1', acceptInvitation(between, { banned: false }), side.by('t2_bob'))
  await react(side)
  t.deepEqual(await seats(side), ['t2_ann', 't2_bob'])
})
