import test from 'ava'
import { acceptInvitation, changeInvitation, inviteModerator, withdrawInvitation } from '../../src/domain/moderator-invitations.ts'
import {
  addModerator,
  changePermissions,
  foundModeration,
  leaveModeration,
  ModeratorAdded,
  ModeratorInvitationAccepted,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
  Moderators,
  outranks,
  removeModerator,
} from '../../src/domain/moderators.ts'
import { NOW, pastEvent, specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Moderators)
const subsite = 't4_1'
const ann = { subsite, account: 't2_ann' }
const bob = { subsite, account: 't2_bob' }
const cat = { subsite, account: 't2_cat' }
const free = { banned: false, muted: false }
const byAnn = { actor: 't2_ann', admin: false }
const byBob = { actor: 't2_bob', admin: false }
const byCat = { actor: 't2_cat', admin: false }
const byAdmin = { actor: 't2_root', admin: true }

const founded = ModeratorAdded({ ...ann, permissions: '+all', founder: true })
const invited = ModeratorInvited({ ...bob, permissions: '+posts' })
const accepted = ModeratorInvitationAccepted({ ...bob, permissions: '+posts' })
const later = { at: NOW + 1 }
const bobUnlimited = pastEvent(ModeratorAdded({ ...bob, permissions: '+all', founder: false }), later)
const catJoined = pastEvent(ModeratorAdded({ ...cat, permissions: '+posts', founder: false }), { at: NOW + 2 })

test('the founder of a subsite has all permissions', given().when(foundModeration(ann)).records(founded))
test('founding a subsite again changes nothing', given(founded).when(foundModeration(ann)).recordsNothing)

test(
  'an admin can add a moderator',
  given()
    .when(addModerator(bob, byAdmin, free, '+all'))
    .records(ModeratorAdded({ ...bob, permissions: '+all', founder: false })),
)
test(
  'the permissions of an invitation that an added moderator had are recorded',
  given(founded, invited)
    .when(addModerator(bob, byAdmin, free, '+all'))
    .records(ModeratorAdded({ ...bob, permissions: '+all', founder: false, invitation: '+posts' })),
)
test('adding a moderator again changes nothing', given(founded).when(addModerator(ann, byAdmin, free, '+mail')).recordsNothing)
test(
  'a banned account cannot be added as a moderator',
  given()
    .when(addModerator(bob, byAdmin, { banned: true, muted: false }, '+all'))
    .refuses('BANNED_FROM_SUBSITE', 'name'),
)
test(
  'adding an invited account as a moderator ends its invitation',
  given(invited, ModeratorAdded({ ...bob, permissions: '+all', founder: false }))
    .when(acceptInvitation(bob, free))
    .refuses('NO_INVITE_FOUND'),
)

test(
  'an account can be invited to moderate',
  given(founded)
    .when(inviteModerator(bob, byAnn, free, '+posts'))
    .records(invited),
)
test(
  'a second invitation changes nothing, not even its permissions',
  given(founded, invited).when(inviteModerator(bob, byAnn, free, '+all')).recordsNothing,
)
test(
  'a moderator cannot be invited',
  given(founded)
    .when(inviteModerator(ann, byAnn, free, '+all'))
    .refuses('ALREADY_MODERATOR', 'name'),
)
test(
  'a banned account cannot be invited',
  given(founded)
    .when(inviteModerator(bob, byAnn, { banned: true, muted: false }, '+all'))
    .refuses('BANNED_FROM_SUBSITE', 'name'),
)
for (const [who, history] of [
  ['without all permissions', [founded, catJoined]],
  [
    'who was removed',
    [founded, pastEvent(ModeratorAdded({ ...cat, permissions: '+all', founder: false }), later), ModeratorRemoved({ ...cat, left: false })],
  ],
] as const) {
  test(
    `a moderator ${who} invites nobody`,
    given(...history)
      .when(inviteModerator(bob, byCat, free, '+posts'))
      .refuses('FORBIDDEN'),
  )
  test(
    `a moderator ${who} withdraws no invitation`,
    given(...history, invited)
      .when(withdrawInvitation(bob, byCat))
      .refuses('FORBIDDEN'),
  )
}
test(
  'a moderator does not add another without an invitation',
  given(founded)
    .when(addModerator(bob, byAnn, free, '+all'))
    .refuses('FORBIDDEN'),
)
const pending = Array.from({ length: 25 }, (_, i) => ModeratorInvited({ subsite, account: `t2_${i}`, permissions: '' }))
test(
  'at most 25 invitations can be pending',
  given(founded, ...pending)
    .when(inviteModerator(bob, byAnn, free, '+all'))
    .refuses('SUBSITE_RATELIMIT', 'name'),
)
test(
  'withdrawing an invitation makes room for another',
  given(founded, ...pending, ModeratorInvitationWithdrawn({ subsite, account: 't2_3' }))
    .when(inviteModerator(bob, byAnn, free, '+posts'))
    .records(invited),
)

test(
  'the permissions of a withdrawn invitation are recorded',
  given(founded, invited)
    .when(withdrawInvitation(bob, byAnn))
    .records(ModeratorInvitationWithdrawn({ ...bob, permissions: '+posts' })),
)
test('withdrawing an invitation that does not exist changes nothing', given(founded).when(withdrawInvitation(bob, byAnn)).recordsNothing)
test('an accepted invitation gives the permissions that it names', given(invited).when(acceptInvitation(bob, free)).records(accepted))
test('an invitation can be accepted once', given(invited, accepted).when(acceptInvitation(bob, free)).refuses('NO_INVITE_FOUND'))
test(
  'a withdrawn invitation cannot be accepted',
  given(invited, ModeratorInvitationWithdrawn(bob)).when(acceptInvitation(bob, free)).refuses('NO_INVITE_FOUND'),
)

const change = (account: typeof ann, before: string, after: string, invitation = false) =>
  ModeratorPermissionsChanged({ ...account, invitation, before, after })
test(
  'a moderator can change the permissions of a junior one',
  given(founded, catJoined)
    .when(changePermissions(cat, byAnn, '+mail'))
    .records(change(cat, '+posts', '+mail')),
)
test(
  'setting the same permissions again changes nothing',
  given(founded, catJoined).when(changePermissions(cat, byAnn, '+posts')).recordsNothing,
)
test(
  'permissions that somebody else changed since they were seen are not changed',
  given(founded, catJoined, change(cat, '+posts', '+wiki'))
    .when(changePermissions(cat, byAnn, '+mail', '+posts'))
    .refuses('CONFLICT', 'expected'),
)
test(
  'permissions are as they were seen whatever terms grant nothing',
  given(founded, catJoined)
    .when(changePermissions(cat, byAnn, '+mail', '-mail,+posts,-wiki'))
    .records(change(cat, '+posts', '+mail')),
)
test(
  'a moderator cannot change their own permissions',
  given(founded)
    .when(changePermissions(ann, byAnn, '+mail'))
    .refuses('FORBIDDEN'),
)
test(
  'a moderator cannot change the permissions of a senior one',
  given(founded, bobUnlimited)
    .when(changePermissions(ann, byBob, '+mail'))
    .refuses('FORBIDDEN'),
)
test(
  'a moderator without all permissions cannot change permissions',
  given(founded, catJoined)
    .when(changePermissions(ann, byCat, ''))
    .refuses('FORBIDDEN'),
)
test(
  'an admin can change the permissions of any moderator',
  given(founded)
    .when(changePermissions(ann, byAdmin, '+mail'))
    .records(change(ann, '+all', '+mail')),
)
test(
  'permissions of an account that is no moderator cannot be changed',
  given(founded)
    .when(changePermissions(bob, byAdmin, ''))
    .refuses('FORBIDDEN'),
)
test(
  'the permissions of an invitation can be changed',
  given(founded, invited)
    .when(changeInvitation(bob, byAnn, '+wiki'))
    .records(change(bob, '+posts', '+wiki', true)),
)
test(
  'setting the same permissions of an invitation again changes nothing',
  given(founded, invited).when(changeInvitation(bob, byAnn, '+posts')).recordsNothing,
)
test(
  'the permissions of an invitation that does not exist cannot be changed',
  given(founded)
    .when(changeInvitation(bob, byAnn, '+wiki'))
    .refuses('NO_INVITE_FOUND'),
)
test(
  'a moderator without all permissions cannot change an invitation',
  given(catJoined, invited)
    .when(changeInvitation(bob, byCat, ''))
    .refuses('FORBIDDEN'),
)
test(
  'an accepted invitation gives the permissions that it was changed to',
  given(founded, invited, change(bob, '+posts', '+wiki', true))
    .when(acceptInvitation(bob, free))
    .records(ModeratorInvitationAccepted({ ...bob, permissions: '+wiki' })),
)

const removed = (account: typeof ann, permissions: string, left = false) => ModeratorRemoved({ ...account, left, permissions })
test('a moderator can remove a junior one', given(founded, bobUnlimited).when(removeModerator(bob, byAnn)).records(removed(bob, '+all')))
test('a moderator cannot remove a senior one', given(founded, bobUnlimited).when(removeModerator(ann, byBob)).refuses('FORBIDDEN'))
const foundedLater = pastEvent(founded, { at: NOW + 120_000 })
test(
  'a moderator whose clock was ahead keeps the seniority of the stream',
  given(foundedLater, bobUnlimited).when(removeModerator(ann, byBob)).refuses('FORBIDDEN'),
)
test(
  'the order of the stream makes a moderator senior to one with an earlier time',
  given(foundedLater, bobUnlimited).when(removeModerator(bob, byAnn)).records(removed(bob, '+all')),
)
test(
  'a moderator cannot remove a senior one that was added in the same millisecond',
  given(founded, ModeratorAdded({ ...bob, permissions: '+all', founder: false }))
    .when(removeModerator(ann, byBob))
    .refuses('FORBIDDEN'),
)
test(
  'a moderator without all permissions cannot remove a moderator',
  given(founded, catJoined).when(removeModerator(bob, byCat)).refuses('FORBIDDEN'),
)
test('an admin can remove any moderator', given(founded).when(removeModerator(ann, byAdmin)).records(removed(ann, '+all')))
test('removing an account that is not a moderator changes nothing', given(founded).when(removeModerator(bob, byAnn)).recordsNothing)
test(
  'a moderator can leave with any permissions',
  given(founded, catJoined)
    .when(leaveModeration(cat))
    .records(removed(cat, '+posts', true)),
)
test(
  'the last moderator can leave',
  given(founded)
    .when(leaveModeration(ann))
    .records(removed(ann, '+all', true)),
)
test('leaving twice changes nothing', given(founded, removed(ann, '+all', true)).when(leaveModeration(ann)).recordsNothing)
test('a moderator who left and returned has the lowest seniority', (t) => {
  const back = pastEvent(ModeratorAdded({ ...ann, permissions: '+all', founder: false }), { at: NOW + 9 })
  const state = stateAfter(Moderators, [founded, bobUnlimited, removed(ann, '+all', true), back])
  t.deepEqual(
    state?.moderators.map(({ account }) => account),
    ['t2_bob', 't2_ann'],
  )
  t.false(outranks(state, 't2_ann', 't2_bob'))
  t.true(outranks(state, 't2_bob', 't2_ann'))
})
