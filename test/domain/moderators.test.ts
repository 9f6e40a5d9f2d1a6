import test from 'ava'
import {
  acceptInvitation,
  addModerator,
  changeInvitation,
  changePermissions,
  foundModeration,
  inviteModerator,
  leaveModeration,
  ModeratorAdded,
  ModeratorInvitationAccepted,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
  Moderators,
  mayRemove,
  removeModerator,
  withdrawInvitation,
} from '../../src/domain/moderators.ts'
import { happened, NOW, specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Moderators)
const subsite = 't4_1'
const ann = { subsite, account: 't2_ann' }
const bob = { subsite, account: 't2_bob' }
const cat = { subsite, account: 't2_cat' }
const free = { banned: false }

const founded = ModeratorAdded({ ...ann, permissions: '+all', founder: true })
const invited = ModeratorInvited({ ...bob, permissions: '+posts' })
const accepted = ModeratorInvitationAccepted({ ...bob, permissions: '+posts' })
const later = { at: NOW + 1 }
const bobUnlimited = happened(ModeratorAdded({ ...bob, permissions: '+all', founder: false }), later)
const catJoined = happened(ModeratorAdded({ ...cat, permissions: '+posts', founder: false }), { at: NOW + 2 })

test('the founder moderates without limits', given().when(foundModeration(ann)).records(founded))
test('a subsite is founded once', given(founded).when(foundModeration(ann)).recordsNothing)

test(
  'an admin makes a moderator',
  given()
    .when(addModerator(bob, free, '+all'))
    .records(ModeratorAdded({ ...bob, permissions: '+all', founder: false })),
)
test('adding a moderator again changes nothing', given(founded).when(addModerator(ann, free, '+mail')).recordsNothing)
test(
  'somebody banned is not made a moderator',
  given()
    .when(addModerator(bob, { banned: true }, '+all'))
    .refuses('BANNED_FROM_SUBSITE', 'name'),
)
test(
  'being made a moderator uses up the invitation',
  given(invited, ModeratorAdded({ ...bob, permissions: '+all', founder: false }))
    .when(acceptInvitation(bob, free))
    .refuses('NO_INVITE_FOUND'),
)

test(
  'somebody is invited',
  given(founded)
    .when(inviteModerator(bob, free, '+posts'))
    .records(invited),
)
test(
  'a second invitation changes nothing, not even its permissions',
  given(founded, invited).when(inviteModerator(bob, free, '+all')).recordsNothing,
)
test(
  'a moderator is not invited',
  given(founded)
    .when(inviteModerator(ann, free, '+all'))
    .refuses('ALREADY_MODERATOR', 'name'),
)
test(
  'somebody banned is not invited',
  given(founded)
    .when(inviteModerator(bob, { banned: true }, '+all'))
    .refuses('BANNED_FROM_SUBSITE', 'name'),
)
const pending = Array.from({ length: 25 }, (_, i) => ModeratorInvited({ subsite, account: `t2_${i}`, permissions: '' }))
test(
  'at most 25 invitations wait at once',
  given(...pending)
    .when(inviteModerator(bob, free, '+all'))
    .refuses('SUBSITE_RATELIMIT', 'name'),
)
test(
  'an invitation withdrawn makes room',
  given(...pending, ModeratorInvitationWithdrawn({ subsite, account: 't2_3' }))
    .when(inviteModerator(bob, free, '+posts'))
    .records(invited),
)

test('an invitation is withdrawn', given(invited).when(withdrawInvitation(bob)).records(ModeratorInvitationWithdrawn(bob)))
test('withdrawing what is not there changes nothing', given(founded).when(withdrawInvitation(bob)).recordsNothing)
test('an invitation is accepted with its permissions', given(invited).when(acceptInvitation(bob, free)).records(accepted))
test('an invitation is accepted once', given(invited, accepted).when(acceptInvitation(bob, free)).refuses('NO_INVITE_FOUND'))
test(
  'an invitation withdrawn cannot be accepted',
  given(invited, ModeratorInvitationWithdrawn(bob)).when(acceptInvitation(bob, free)).refuses('NO_INVITE_FOUND'),
)

const byAnn = { actor: 't2_ann', admin: false }
const byBob = { actor: 't2_bob', admin: false }
const byAdmin = { actor: 't2_root', admin: true }
const change = (account: typeof ann, before: string, after: string, invitation = false) =>
  ModeratorPermissionsChanged({ ...account, invitation, before, after })
test(
  'a senior changes permissions',
  given(founded, catJoined)
    .when(changePermissions(cat, byAnn, '+mail'))
    .records(change(cat, '+posts', '+mail')),
)
test('the same permissions again change nothing', given(founded, catJoined).when(changePermissions(cat, byAnn, '+posts')).recordsNothing)
test(
  'nobody changes the own permissions',
  given(founded)
    .when(changePermissions(ann, byAnn, '+mail'))
    .refuses('FORBIDDEN'),
)
test(
  'a junior does not change those of a senior',
  given(founded, bobUnlimited)
    .when(changePermissions(ann, byBob, '+mail'))
    .refuses('FORBIDDEN'),
)
test(
  'a limited moderator changes none',
  given(founded, catJoined)
    .when(changePermissions(ann, { actor: 't2_cat', admin: false }, ''))
    .refuses('FORBIDDEN'),
)
test(
  'an admin changes any',
  given(founded)
    .when(changePermissions(ann, byAdmin, '+mail'))
    .records(change(ann, '+all', '+mail')),
)
test(
  'permissions of somebody who is no moderator cannot be changed',
  given(founded)
    .when(changePermissions(bob, byAdmin, ''))
    .refuses('FORBIDDEN'),
)
test(
  'what an invitation will grant is changed',
  given(founded, invited)
    .when(changeInvitation(bob, byAnn, '+wiki'))
    .records(change(bob, '+posts', '+wiki', true)),
)
test('an invitation to the same changes nothing', given(founded, invited).when(changeInvitation(bob, byAnn, '+posts')).recordsNothing)
test(
  'there must be an invitation to change',
  given(founded)
    .when(changeInvitation(bob, byAnn, '+wiki'))
    .refuses('NO_INVITE_FOUND'),
)
test(
  'a limited moderator changes no invitation',
  given(catJoined, invited)
    .when(changeInvitation(bob, { actor: 't2_cat', admin: false }, ''))
    .refuses('FORBIDDEN'),
)
test(
  'an invitation accepted has the permissions it was changed to',
  given(founded, invited, change(bob, '+posts', '+wiki', true))
    .when(acceptInvitation(bob, free))
    .records(ModeratorInvitationAccepted({ ...bob, permissions: '+wiki' })),
)

const removed = (account: typeof ann, permissions: string, left = false) => ModeratorRemoved({ ...account, left, permissions })
test('a senior removes a moderator', given(founded, bobUnlimited).when(removeModerator(bob, byAnn)).records(removed(bob, '+all')))
test('a junior does not remove a senior', given(founded, bobUnlimited).when(removeModerator(ann, byBob)).refuses('FORBIDDEN'))
test(
  'those who came at the same time may remove each other',
  given(founded, ModeratorAdded({ ...bob, permissions: '+all', founder: false }))
    .when(removeModerator(ann, byBob))
    .records(removed(ann, '+all')),
)
test(
  'a limited moderator removes nobody',
  given(founded, catJoined)
    .when(removeModerator(bob, { actor: 't2_cat', admin: false }))
    .refuses('FORBIDDEN'),
)
test('an admin removes anybody', given(founded).when(removeModerator(ann, byAdmin)).records(removed(ann, '+all')))
test('removing an account that is not a moderator changes nothing', given(founded).when(removeModerator(bob, byAnn)).recordsNothing)
test(
  'a moderator leaves, whatever the permissions',
  given(founded, catJoined)
    .when(leaveModeration(cat))
    .records(removed(cat, '+posts', true)),
)
test(
  'the last moderator may leave',
  given(founded)
    .when(leaveModeration(ann))
    .records(removed(ann, '+all', true)),
)
test('leaving twice changes nothing', given(founded, removed(ann, '+all', true)).when(leaveModeration(ann)).recordsNothing)
test('a returning moderator has the lowest seniority', (t) => {
  const back = happened(ModeratorAdded({ ...ann, permissions: '+all', founder: false }), { at: NOW + 9 })
  const state = stateAfter(Moderators, [founded, bobUnlimited, removed(ann, '+all', true), back])
  t.deepEqual(
    state?.moderators.map(({ account }) => account),
    ['t2_bob', 't2_ann'],
  )
  t.false(mayRemove(state, 't2_ann', 't2_bob'))
  t.true(mayRemove(state, 't2_bob', 't2_ann'))
})
