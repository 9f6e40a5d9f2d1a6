import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import { actingAs, type Command } from '../../commands/command.ts'
import { befriend, Contact } from '../../domain/contact.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import { addModerator, hasManyInvitations, inviteModerator, Moderators, permissionsOf } from '../../domain/moderators.ts'
import { parsePermissions } from '../../domain/permissions.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { addContributor, banUser, isBanned, Relation } from '../../domain/relation.ts'
import { deferred, settle } from '../deferred.ts'
import { type Decoded, endpoint, type Reply } from '../endpoint.ts'
import { accountCalled } from '../named.ts'
import { described, fullname, integer, lenient, oneOf, optional, raw, text, username } from '../params.ts'
import { countRelation, isQuotaSpent } from '../relation-quota.ts'
import {
  type Act,
  type Asker,
  actHere,
  ownContainer,
  type RelationshipType,
  relationshipScope,
  relationshipTypes,
} from '../relationship.ts'

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
type Outcome = Promise<Either<Refusal, { readonly events: readonly unknown[] }>>

const nothingMade = E.right({ events: [] })

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
  if (E.isLeft(container)) return container
  if (container.right === 'none') return nothingMade
  const read = await readAsked(app, asked, command)
  if (E.isLeft(read)) return read
  const { target, note } = read.right
  return app.run(Contact, `${account}.${target}`, befriend({ account, other: target }, note), command)
}

/** Whether no more relationships of a type can be made for now; a repeated command was counted by its first try. */
const isTooMany = async (app: App, asker: Asker, type: RelationshipType, { subsite, command }: Act): Promise<Refusal | undefined> => {
  if (command.retried) return undefined
  const isFull = type === 'moderator_invite' && hasManyInvitations(await app.load(Moderators, subsite, command))
  if (isFull) return { code: 'SUBSITE_RATELIMIT', field: 'name' }
  const isSpent = !asker.viewer.admin && (await isQuotaSpent(app, subsite, type))
  return isSpent ? { code: 'SUBSITE_RATELIMIT', field: null } : undefined
}

/** Admins make moderators; everybody else invites them. */
const appoint = async (
  app: App,
  { subsite, command }: Act,
  type: RelationshipType,
  account: AccountId,
  text: string | undefined,
): Outcome => {
  const permissions = parsePermissions(text)
  if (E.isLeft(permissions)) return permissions
  const ban = { banned: isBanned(await app.load(Relation, `${subsite}.${account}`, command), app.clock()) }
  const membership = { subsite, account }
  return type === 'moderator'
    ? app.run(Moderators, subsite, addModerator(membership, ban, permissions.right), actingAs(command, 'admin'))
    : app.run(Moderators, subsite, inviteModerator(membership, ban, permissions.right), command)
}

type Term = Parameters<typeof banUser>[2]

const ban = async (app: App, { subsite, command }: Act, account: AccountId, term: Term): Outcome => {
  const moderators = await app.load(Moderators, subsite, command)
  const facts = { moderator: permissionsOf(moderators, account) !== undefined, at: app.clock() }
  return app.run(Relation, `${subsite}.${account}`, banUser({ subsite, account }, facts, term), command)
}

/** A relationship between an account and the subsite of the path. */
const relateHere = async (app: App, asker: Asker, type: Exclude<RelationshipType, 'friend'>, asked: Asked): Outcome => {
  const here = await actHere(app, asker, type === 'contributor' || type === 'banned' ? 'access' : 'all')
  if (E.isLeft(here)) return here
  const { subsite, command } = here.right
  const tooMany = await isTooMany(app, asker, type, here.right)
  if (tooMany) return E.left(tooMany)
  const read = await readAsked(app, asked, command)
  if (E.isLeft(read)) return read
  const { target, note, ban_reason, ban_message, duration } = read.right
  switch (type) {
    case 'contributor': {
      const decide = addContributor({ subsite, account: target }, { founder: false, at: app.clock() })
      return app.run(Relation, `${subsite}.${target}`, decide, command)
    }
    case 'banned': {
      const noted = [ban_reason, note].filter((part) => part !== '').join(': ')
      return ban(app, here.right, target, { days: duration ?? null, note: noted, message: ban_message })
    }
    default:
      return appoint(app, here.right, type, target, asked.permissions)
  }
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
    if (asked.type === 'friend') return E.map(done)(await befriendThem(app, asker, asked))
    const type = asked.type === 'moderator' && !viewer.admin ? 'moderator_invite' : asked.type
    const made = await relateHere(app, asker, type, asked)
    if (E.isRight(made) && made.right.events.length > 0 && site.kind === 'subsite') await countRelation(app, site.subsite.id, type)
    return E.map(done)(made)
  },
})
