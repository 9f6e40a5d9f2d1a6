import * as E from 'fp-ts/lib/Either.js'
import { Account } from '../../../domain/account.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { changeInvitation } from '../../../domain/moderator-invitations.ts'
import { changePermissions, Moderators } from '../../../domain/moderators.ts'
import { relationNames } from '../../../domain/relation-types.ts'
import { termDays } from '../../../domain/restrictions.ts'
import { limits } from '../../../domain/text-limits.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { fullname, permissions, username } from '../../contract/name-params.ts'
import { describeParam, integer, oneOf, optional, rawText, replaceInvalid, replaceRefusal, text } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { accountCalled, accountNamed, decodeLate, moderatorHere } from '../../needs/facts.ts'
import { authorityOf, capacityOverModerator, makeableNames, relationScope } from '../../things/relations.ts'
import { mayEnd, mayRelate } from './relation-rights.ts'

const { post } = section('Users', { scope: 'modothers', login: 'user', errors: 'form' })

const container = describeParam(replaceInvalid(optional(fullname('account')), undefined), 'for `friend`: your own fullname')
const noteText = (max: number) => text({ max, empty: true, line: true })

const friend = post('[/s/{sub}]/api/friend', {
  scope: relationScope,
  whileSuspended: true, // `mayRelate` decides
  summary: 'Create a relationship: invite a moderator, add a contributor, ban or mute an account, add a friend.',
  notes:
    '`moderator` is an invitation unless an admin calls it. Inviting needs all permissions; contributors and bans need `access`, mutes `access` and `mail`, wiki relationships `wiki`. An account that is banned from the subsite, or permanently suspended, becomes neither a moderator nor a contributor: `BANNED_FROM_SUBSITE`. If the relationship exists, the call succeeds without an entry in the moderation log; banning again changes the end of the ban or its note. A mute lasts 72 hours. `friend` is for sessions; tokens use `/api/v1/me/friends/{username}`.',
  params: {
    type: oneOf(...makeableNames),
    container,
    permissions: describeParam(optional(rawText()), 'such as `+posts,+mail`; absent or empty: all'),
  },
  needs: {
    making: mayRelate,
    account: accountNamed('name'),
    note: decodeLate(noteText(limits.note)),
    ban_reason: decodeLate(noteText(limits.banReason)),
    ban_message: decodeLate(describeParam(text({ max: limits.banMessage, empty: true }), 'message to the banned user, markdown')),
    duration: decodeLate(describeParam(optional(integer(termDays)), 'of a ban, in days; absent: permanent')),
  },
  handle: ({ making, account, note, ban_reason, ban_message, duration, params: { permissions } }) =>
    making(account, { note, ban_reason, ban_message, duration, permissions }),
})

/** Returns the account that is meant, by fullname or by name. */
const whoIsMeant: Need<AccountId, { readonly id: string | undefined; readonly name: string | undefined }> = async (context) => {
  const { id, name } = context.params
  const known = id === undefined ? undefined : await context.load(Account, id)
  if (known) return E.right(known.id)
  const called = name === undefined ? undefined : await accountCalled(context, name, 'name')
  return called && E.isRight(called) ? called : refuseRule('BAD_REQUEST', 'name')
}

const unfriend = post('[/s/{sub}]/api/unfriend', {
  scope: relationScope,
  whileSuspended: true, // `mayEnd` decides
  errors: 'silent',
  summary: 'End a relationship: withdraw an invitation, lift a ban or mute, remove a moderator or contributor, end a friendship or block.',
  notes:
    'If neither `id` nor `name` identifies an account: 400. If the relationship does not exist, the call succeeds without an entry. A moderator can be removed by moderators with all permissions and no less seniority, or can resign. `enemy` ends a block.',
  params: {
    type: replaceRefusal(oneOf(...relationNames), 'BAD_REQUEST'),
    id: describeParam(replaceInvalid(optional(fullname('account')), undefined), 'whom; goes before `name`'),
    name: replaceInvalid(optional(username()), undefined),
    container,
  },
  needs: { account: whoIsMeant, end: mayEnd },
  handle: ({ end }) => end(),
})

const setPermissions = post('[/s/{sub}]/api/setpermissions', {
  login: 'moderator',
  accountQuota: 'relate',
  summary: 'Replace the permissions of a moderator, or of an invitation.',
  notes: 'For moderators with all permissions and no less seniority than the target; not for oneself. The whole set is replaced.',
  needs: {
    act: moderatorHere('all'),
    account: accountNamed('name'),
    type: decodeLate(replaceRefusal(oneOf('moderator', 'moderator_invite'), 'INVALID_PERMISSION_TYPE')),
    permissions: decodeLate(describeParam(permissions(), 'such as `+posts,-config`; absent or empty: all')),
    expected: decodeLate(
      describeParam(optional(permissions()), 'the permissions as you saw them: 409 `CONFLICT` if somebody changed them since'),
    ),
  },
  handle: async (context) => {
    const { account, type, run, expected } = context
    const between = { subsite: context.act.subsite, account }
    if (type === 'moderator') context.actAs(await capacityOverModerator(context, between))
    const decide = type === 'moderator' ? changePermissions : changeInvitation
    return run(Moderators, between.subsite, decide(between, authorityOf(context), context.permissions, expected))
  },
})

export const relationEndpoints: readonly AnyEndpoint[] = [friend, unfriend, setPermissions]
