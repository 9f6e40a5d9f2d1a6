import { either as E } from 'fp-ts'
import { refuse } from '../../domain/decision.ts'
import { changeInvitation, changePermissions, Moderators } from '../../domain/moderators.ts'
import { parsePermissions } from '../../domain/permissions.ts'
import { moderatorHere } from '../access.ts'
import { deferred } from '../deferred.ts'
import { endpoint, type Reply } from '../endpoint.ts'
import { accountCalled } from '../named.ts'
import { described, oneOf, optional, raw, refusing, username } from '../params.ts'
import { actOnModerator } from '../relationship.ts'

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
  params: {
    name: deferred(username()),
    type: deferred(refusing(oneOf('moderator', 'moderator_invite'), 'INVALID_PERMISSION_TYPE', 'type')),
    permissions: described(optional(raw()), 'such as `+posts,-config`; absent or empty: all'),
  },
  access: moderatorHere('all'),
  handle: async ({ params, viewer, site, command }, app) => {
    const { account } = viewer
    if (account === undefined || site.kind !== 'subsite') return refuse('FORBIDDEN')
    if (E.isLeft(params.name)) return params.name
    const target = await accountCalled(app, params.name.right, 'name', command)
    if (E.isLeft(target)) return target
    if (E.isLeft(params.type)) return params.type
    const permissions = parsePermissions(params.permissions)
    if (E.isLeft(permissions)) return permissions
    const here = { subsite: site.subsite.id, command }
    const isModerator = params.type.right === 'moderator'
    const act = isModerator ? await actOnModerator(app, { viewer, account }, here, target.right) : here
    const membership = { subsite: act.subsite, account: target.right }
    const authority = { actor: account, admin: act.command.by.as === 'admin' }
    const decide = (isModerator ? changePermissions : changeInvitation)(membership, authority, permissions.right)
    return E.map((): Reply => ({ kind: 'form' }))(await app.run(Moderators, act.subsite, decide, act.command))
  },
})
