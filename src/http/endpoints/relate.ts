import { either as E } from 'fp-ts'
import { Account } from '../../domain/account.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId, SubsiteId } from '../../domain/ids.ts'
import { changeInvitation, changePermissions, Moderators } from '../../domain/moderators.ts'
import { type AnyEndpoint, endpoint, type Need, nothingToDo } from '../endpoint.ts'
import { accountCalled, accountNamed, late, moderatorHere } from '../needs.ts'
import { described, fullname, integer, lenient, oneOf, optional, permissions, raw, refusing, text, username } from '../params.ts'
import { countRelation } from '../relation-quota.ts'
import { capacityOver, endRelation, leave, mayRelate, relationNames, relationScope } from '../relations.ts'

const section = 'Users'

const container = described(lenient(optional(fullname('account')), undefined), 'for `friend`: your own fullname')
const noteText = (max: number) => text({ max, empty: true })

const friend = endpoint({
  method: 'POST',
  path: '[/s/{sub}]/api/friend',
  scope: relationScope,
  login: 'user',
  errors: 'form',
  json: true,
  section,
  summary: 'Make a relationship: invite a moderator, add a contributor, ban somebody, make a friend.',
  notes:
    '`moderator` by anybody but an admin is an invitation. Inviting needs unlimited permissions; contributors and bans need `access`. What is so already is a success without an entry. Banning again changes the end of the ban, or only the note. `friend` is for sessions; tokens use `/api/v1/me/friends/{username}`. The types `muted`, `wikibanned` and `wikicontributor` are not offered yet.',
  params: {
    type: oneOf(...relationNames),
    container,
    permissions: described(optional(raw()), 'such as `+posts,+mail`; absent or empty: all'),
  },
  needs: {
    making: mayRelate,
    account: accountNamed('name'),
    note: late(noteText(300)),
    ban_reason: late(noteText(100)),
    ban_message: late(described(noteText(1000), 'message to the banned user, markdown')),
    duration: late(described(optional(integer({ min: 1, max: 999 })), 'days; absent: permanent')),
  },
  handle: async (context) => {
    const { making, account, params, site } = context
    const made = await making.make(account, { ...context, permissions: params.permissions })
    if (E.isRight(made) && made.right.events.length > 0 && site.kind === 'subsite')
      await countRelation(context, site.subsite.id, making.name)
    return made
  },
})

/** By fullname, or by name. */
const whoIsMeant: Need<AccountId, { readonly id: string | undefined; readonly name: string | undefined }> = async (context) => {
  const { id, name } = context.params
  const known = id === undefined ? undefined : await context.load(Account, id)
  if (known) return E.right(known.id)
  const called = name === undefined ? undefined : await accountCalled(context, name, 'name')
  return called && E.isRight(called) ? called : refuse('BAD_REQUEST')
}

const unfriend = endpoint({
  method: 'POST',
  path: '[/s/{sub}]/api/unfriend',
  scope: relationScope,
  login: 'user',
  errors: 'silent',
  section,
  summary: 'End a relationship: withdraw an invitation, lift a ban, remove a moderator or contributor, end a friendship.',
  notes:
    'Somebody neither `id` nor `name` leads to is 400. What is not so is a success without an entry. A moderator is removed by unlimited moderators who came no later, or goes by own wish. The types `enemy`, `muted`, `wikibanned` and `wikicontributor` are not offered yet.',
  params: {
    type: refusing(oneOf(...relationNames), 'BAD_REQUEST'),
    id: described(lenient(optional(fullname('account')), undefined), 'whom; goes before `name`'),
    name: lenient(optional(username()), undefined),
    container,
  },
  needs: { account: whoIsMeant },
  handle: (context) => endRelation(context, context.account),
})

const setPermissions = endpoint({
  method: 'POST',
  path: '[/s/{sub}]/api/setpermissions',
  scope: 'modothers',
  login: 'moderator',
  errors: 'form',
  json: true,
  section,
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
    const { account, type, viewer, run } = context
    const between = { subsite: context.act.subsite, account }
    if (type === 'moderator') context.actAs(await capacityOver(context, between))
    const authority = { actor: viewer.account, admin: context.command.by.as === 'admin' }
    const decide = type === 'moderator' ? changePermissions : changeInvitation
    return run(Moderators, between.subsite, decide(between, authority, context.permissions))
  },
})

/** The subsite that a parameter names or that of the path; without either there is nothing to do. */
const subsiteMeant: Need<SubsiteId, { readonly id: string | undefined }> = ({ params: { id }, site }) => {
  const subsite = id ?? (site.kind === 'subsite' ? site.subsite.id : undefined)
  return subsite === undefined ? E.left(nothingToDo) : E.right(subsite)
}

const leaving = {
  method: 'POST',
  scope: 'modself',
  login: 'user',
  errors: 'silent',
  section: 'Moderation',
  params: { id: described(optional(fullname('subsite')), 'the subsite; absent: that of the path') },
  needs: { subsite: subsiteMeant },
} as const

const leaveModerator = endpoint({
  ...leaving,
  path: '/api/leavemoderator',
  aliases: ['/s/{sub}/api/leavemoderator'],
  summary: 'Give up moderating a subsite.',
  notes: 'Also the last moderator may leave. An entry with the details `remove_self`.',
  handle: (context) => leave.moderator(context, context.subsite),
})

const leaveContributor = endpoint({
  ...leaving,
  path: '/api/leavecontributor',
  aliases: ['/s/{sub}/api/leavecontributor'],
  summary: 'Give up being an approved submitter of a subsite.',
  notes: 'No entry in the moderation log.',
  handle: (context) => leave.contributor(context, context.subsite),
})

export const relationEndpoints: readonly AnyEndpoint[] = [friend, unfriend, setPermissions, leaveModerator, leaveContributor]
