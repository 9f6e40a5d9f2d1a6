import {
  ModeratorAdded,
  ModeratorInvitationAccepted,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
} from '../../../src/domain/moderators.ts'
import { BanChanged, BanExpired, BanNoteChanged, UserBanned, UserUnbanned } from '../../../src/domain/relation.ts'
import { bob, carol } from '../example-history.ts'
import { DAWN, inNameOf } from '../logged-events.ts'
import { aboutBob, mod, type Row, user } from './terms.ts'

const ban = { ...aboutBob, until: DAWN + 1, days: 3, note: 'spam: ads' }
const changed = { ...ban, previousUntil: null }

export const ofPeople: readonly Row[] = [
  ['found a subsite', inNameOf(bob)(ModeratorAdded({ ...aboutBob, permissions: '+all', founder: true })), 'none'],
  ['add a moderator', mod(ModeratorAdded({ ...aboutBob, permissions: '+all', founder: false })), user('addmoderator')],
  ['invite a moderator', mod(ModeratorInvited({ ...aboutBob, permissions: '+all' })), user('invitemoderator')],
  ['withdraw an invitation', mod(ModeratorInvitationWithdrawn(aboutBob)), user('uninvitemoderator')],
  [
    'accept an invitation',
    inNameOf(bob)(ModeratorInvitationAccepted({ ...aboutBob, permissions: '+all' })),
    { action: 'acceptmoderatorinvite', target: null, mod: bob },
  ],
  [
    'change permissions',
    mod(ModeratorPermissionsChanged({ ...aboutBob, invitation: false, before: '+all', after: '+posts' })),
    user('setpermissions', 'permission_moderator', '+posts'),
  ],
  [
    'change an invitation’s permissions to none',
    mod(ModeratorPermissionsChanged({ ...aboutBob, invitation: true, before: '+all', after: '' })),
    user('setpermissions', 'permission_moderator_invite'),
  ],
  ['remove a moderator', mod(ModeratorRemoved({ ...aboutBob, left: false })), user('removemoderator')],
  ['leave', inNameOf(bob)(ModeratorRemoved({ ...aboutBob, left: true })), { ...user('removemoderator', 'remove_self'), mod: bob }],
  ['ban for good', mod(UserBanned({ ...ban, until: null, days: null })), user('banuser', 'permanent', 'spam: ads')],
  ['ban for days', mod(UserBanned({ ...aboutBob, until: DAWN, days: 3 })), user('banuser', '3 days')],
  ['change a ban to other days', mod(BanChanged(changed)), user('banuser', 'changed to 3 days', 'spam: ads')],
  [
    'change a ban to one for good',
    mod(BanChanged({ ...changed, until: null, days: null })),
    user('banuser', 'changed to permanent', 'spam: ads'),
  ],
  ['change the note of a ban', mod(BanNoteChanged({ ...aboutBob, note: 'other' })), user('banuser', 'changed note', 'other')],
  ['take the note of a ban away', mod(BanNoteChanged(aboutBob)), user('banuser', 'changed note')],
  ['unban', mod(UserUnbanned(aboutBob)), user('unbanuser')],
  [
    'let a ban expire',
    inNameOf(null)(BanExpired({ ...aboutBob, bannedBy: carol })),
    { ...user('unbanuser', undefined, 'was temporary'), mod: null },
  ],
]
