import {
  ModeratorAdded,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
} from '../../../src/domain/moderators.ts'
import { ann, bob, dave } from '../example-history.ts'
import { inNameOf, type LoggedEvent } from '../logged-events.ts'
import { admin, mod, pair, root } from './terms.ts'

export const onStaff: readonly LoggedEvent[] = [
  mod(ModeratorInvited({ ...pair(dave), permissions: '+mail' })),
  mod(ModeratorPermissionsChanged({ ...pair(dave), invitation: true, before: '+mail', after: '+wiki' })),
  mod(ModeratorInvited({ ...pair(root), permissions: '' })),
  mod(ModeratorInvitationWithdrawn(pair(root))),
  mod(ModeratorInvited({ ...pair('t2_kim'), permissions: '+mail' })),
  mod(ModeratorInvitationWithdrawn({ ...pair('t2_kim'), permissions: '+mail' })),
  admin(ModeratorAdded({ ...pair(dave), permissions: '+all', founder: false, invitation: '+wiki' })),
  inNameOf(dave, 'moderator')(ModeratorRemoved({ ...pair(dave), left: true, permissions: '+all' })),
  mod(ModeratorPermissionsChanged({ ...pair(ann), invitation: false, before: '+posts', after: '+posts,+wiki' })),
  admin(ModeratorAdded({ ...pair(bob), permissions: '+all', founder: false })),
  admin(ModeratorRemoved({ ...pair(bob), left: false, permissions: '+all' })),
  admin(ModeratorAdded({ ...pair(root), permissions: '+all', founder: false })),
  inNameOf(root, 'moderator')(ModeratorRemoved({ ...pair(root), left: true, permissions: '+all' })),
]
