import { changeInvitation, changePermissions, Moderators } from '../../domain/moderators.ts'
import { endpoint } from '../endpoint.ts'
import { accountNamed, late, moderatorHere } from '../needs.ts'
import { described, oneOf, permissions, refusing } from '../params.ts'
import { capacityOver } from '../relationship.ts'

export const setPermissions = endpoint({
  method: 'POST',
  path: '[/s/{sub}]/api/setpermissions',
  scope: 'modothers',
  login: 'moderator',
  errors: 'form',
  json: true,
  section: 'Users',
  summary: 'Replace the permissions of a moderator, or of an invitation.',
  notes: 'For unlimited moderators who came no later than the one concerned; never on oneself. The whole set is replaced.',
  params: {},
  needs: {
    act: moderatorHere('all'),
    account: accountNamed('name'),
    type: late(refusing(oneOf('moderator', 'moderator_invite'), 'INVALID_PERMISSION_TYPE', 'type')),
    permissions: late(described(permissions(), 'such as `+posts,-config`; absent or empty: all')),
  },
  handle: async (context) => {
    const { account, type, permissions, viewer, run } = context
    const { subsite } = context.act
    if (type === 'moderator') context.actAs(await capacityOver(context, viewer, subsite, account))
    const authority = { actor: viewer.account, admin: context.command.by.as === 'admin' }
    const decide = type === 'moderator' ? changePermissions : changeInvitation
    return run(Moderators, subsite, decide({ subsite, account }, authority, permissions))
  },
})
