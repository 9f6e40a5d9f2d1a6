import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import { actingAs, type Command } from '../../commands/command.ts'
import { befriend, Contact } from '../../domain/contact.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId, SubsiteId } from '../../domain/ids.ts'
import { addModerator, hasManyInvitations, inviteModerator, Moderators, permissionsOf } from '../../domain/moderators.ts'
import { parsePermissions } from '../../domain/permissions.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { addContributor, banUser, isBanned, Relation } from '../../domain/relation.ts'
import { deferred, settle } from '../deferred.ts'
import { type Decoded, endpoint, type Reply } from '../endpoint.ts'
import { accountCalled } from '../named.ts'
import { described, fullname, integer, lenient, oneOf, optional, raw, text, username } from '../params.ts'
import { type Act, type Asker, actHere, ownContainer, relationshipScope, relationshipTypes } from '../relationship.ts'

const params = {
  type: oneOf(...relationshipTypes),
  container: described(lenient(optional(fullname('account')), undefined), 'for `friend`: your own fullname'),
  name: deferred(username()),
  note: deferred(text({ max: 300, empty: true })),
  ban_reason: deferred(text({ max: 100, empty: true })),
  ban_message: described(deferred(text({ max: 1000, empty: true })), 'what the banned user is told, markdown'),
  duration: described(deferred(optional(integer({ min: 1, max: 999 }))), 'days; absent: for good'),
  permissions: described(optional(raw()), 'such as `+posts,+mail`; absent or empty: all'),
}

type Asked = Decoded<typeof params>
type Outcome = Promise<Either<Refusal, unknown>>

/** Who is meant and what is said: errors come in this order, after every 403. */
const readAsked = async (app: App, asked: Asked, command: Command) => {
  if (E.isLeft(asked.name)) return asked.name
  const target = await accountCalled(app, asked.name.right, 'name', command)
  if (E.isLeft(target)) return target
  const { note, ban_reason, ban_message, duration } = asked
  return E.map((said: { note: string; ban_reason: string; ban_message: string; duration: number | undefined }) => ({
    target: target.right,
    ...said,
  }))(settle({ note, ban_reason, ban_message, duration }))
}

const befriendThem = async (app: App, { account, command }: Asker, asked: Asked): Outcome => {
  const container = await ownContainer(app, asked.container, account)
  if (E.isLeft(container) || container.right === 'none') return container
  const read = await readAsked(app, asked, command)
  if (E.isLeft(read)) return read
  const { target, note } = read.right
  return app.run(Contact, `${account}.${target}`, befriend({ account, other: target }, note), command)
}

const banIn = async ({ load }: App, subsite: SubsiteId, account: AccountId, command: Command) => ({
  banned: isBanned(await load(Relation, `${subsite}.${account}`, command), command.at),
})

/** Admins make moderators; everybody else invites them. */
const appoint = async (app: App, asker: Asker, asked: Asked): Outcome => {
  const here = await actHere(app, asker, 'all')
  if (E.isLeft(here)) return here
  const { subsite, command } = here.right
  const isDirect = asked.type === 'moderator' && asker.viewer.admin
  if (!isDirect && hasManyInvitations(await app.load(Moderators, subsite, command))) return refuse('SUBSITE_RATELIMIT', 'name')
  const read = await readAsked(app, asked, command)
  if (E.isLeft(read)) return read
  const permissions = parsePermissions(asked.permissions)
  if (E.isLeft(permissions)) return permissions
  const account = read.right.target
  const ban = await banIn(app, subsite, account, command)
  return isDirect
    ? app.run(Moderators, subsite, addModerator({ subsite, account }, ban, permissions.right), actingAs(command, 'admin'))
    : app.run(Moderators, subsite, inviteModerator({ subsite, account }, ban, permissions.right), command)
}

type Term = Parameters<typeof banUser>[2]

const ban = async (app: App, { subsite, command }: Act, account: AccountId, term: Term): Outcome => {
  const moderators = await app.load(Moderators, subsite, command)
  const facts = { moderator: permissionsOf(moderators, account) !== undefined, at: command.at }
  return app.run(Relation, `${subsite}.${account}`, banUser({ subsite, account }, facts, term), command)
}

const restrict = async (app: App, asker: Asker, asked: Asked): Outcome => {
  const here = await actHere(app, asker, 'access')
  if (E.isLeft(here)) return here
  const { subsite, command } = here.right
  const read = await readAsked(app, asked, command)
  if (E.isLeft(read)) return read
  const { target, note, ban_reason, ban_message, duration } = read.right
  if (asked.type === 'contributor') {
    const decide = addContributor({ subsite, account: target }, { founder: false, at: command.at })
    return app.run(Relation, `${subsite}.${target}`, decide, command)
  }
  const noted = [ban_reason, note].filter((part) => part !== '').join(': ')
  return ban(app, here.right, target, { days: duration ?? null, note: noted, message: ban_message })
}

const done = (): Reply => ({ kind: 'form' })

export const friend = endpoint({
  method: 'POST',
  path: '[/s/{sub}]/api/friend',
  scope: relationshipScope,
  login: 'user',
  errors: 'form',
  json: true,
  section: 'Users',
  summary: 'Make a relationship: invite a moderator, add a contributor, ban somebody, make a friend.',
  notes:
    '`moderator` by anybody but an admin is an invitation. Inviting needs unlimited permissions; contributors and bans need `access`. What is so already is a success without an entry. Banning again changes the end of the ban, or only the note. `friend` is for sessions; tokens use `/api/v1/me/friends/{username}`. The types `muted`, `wikibanned` and `wikicontributor` are not offered yet.',
  params,
  handle: async ({ params: asked, viewer, site, command }, app) => {
    const { account } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    const asker = { viewer, account, site, command }
    switch (asked.type) {
      case 'friend':
        return E.map(done)(await befriendThem(app, asker, asked))
      case 'moderator':
      case 'moderator_invite':
        return E.map(done)(await appoint(app, asker, asked))
      default:
        return E.map(done)(await restrict(app, asker, asked))
    }
  },
})
