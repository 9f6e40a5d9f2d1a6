import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import { actingAs } from '../../commands/command.ts'
import { Account } from '../../domain/account.ts'
import { Contact, unfriend as endFriendship } from '../../domain/contact.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import { leaveModeration, Moderators, moderatorOf, removeModerator, withdrawInvitation } from '../../domain/moderators.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { leaveContributors, Relation, removeContributor, unbanUser } from '../../domain/relation.ts'
import { endpoint, type Site } from '../endpoint.ts'
import { accountCalled } from '../named.ts'
import { described, fullname, lenient, oneOf, optional, refusing, username } from '../params.ts'
import {
  type Asker,
  actHere,
  capacityOver,
  ownContainer,
  type RelationshipType,
  relationshipScope,
  relationshipTypes,
} from '../relationship.ts'

type Outcome = Promise<Either<Refusal, unknown>>

const answer = () => undefined

/** By fullname, or by name. */
const whoIsMeant = async (app: App, id: string | undefined, name: string | undefined): Promise<AccountId | undefined> => {
  const known = id === undefined ? undefined : await app.load(Account, id)
  if (known) return known.id
  const called = name === undefined ? undefined : await accountCalled(app, name, 'name')
  return called && E.isRight(called) ? called.right : undefined
}

/** A moderator goes by own wish; others are removed by unlimited moderators who came no later. */
const endModeration = async (app: App, asker: Asker, target: AccountId): Outcome => {
  const { site, account, command } = asker
  if (site.kind !== 'subsite') return refuse('FORBIDDEN')
  const subsite = site.subsite.id
  if (target === account) {
    const state = await app.load(Moderators, subsite, command)
    if (!moderatorOf(state, account) && !command.retried) return refuse('FORBIDDEN')
    return app.run(Moderators, subsite, leaveModeration({ subsite, account }), actingAs(command, 'moderator'))
  }
  const here = await actHere(app, asker, 'all')
  if (E.isLeft(here)) return here
  const act = actingAs(command, await capacityOver(app, asker.viewer, subsite, target))
  const authority = { actor: account, admin: act.by.as === 'admin' }
  return app.run(Moderators, subsite, removeModerator({ subsite, account: target }, authority), act)
}

/** Of oneself any moderator ends it, of others those with `access`. */
const endOther = async (app: App, asker: Asker, type: 'moderator_invite' | 'contributor' | 'banned', target: AccountId): Outcome => {
  const here = await actHere(app, asker, target === asker.account ? 'any' : 'access')
  if (E.isLeft(here)) return here
  const { subsite, command } = here.right
  const pair = { subsite, account: target }
  if (type === 'moderator_invite') return app.run(Moderators, subsite, withdrawInvitation(pair), command)
  return app.run(Relation, `${subsite}.${target}`, type === 'contributor' ? removeContributor(pair) : unbanUser(pair, app.clock()), command)
}

const end = async (app: App, asker: Asker, type: RelationshipType, target: AccountId, container: string | undefined): Outcome => {
  if (type === 'moderator') return endModeration(app, asker, target)
  if (type !== 'friend') return endOther(app, asker, type, target)
  const { account, command } = asker
  const own = await ownContainer(app, container, account)
  if (E.isLeft(own) || own.right === 'none') return own
  return app.run(Contact, `${account}.${target}`, endFriendship({ account, other: target }), command)
}

export const unfriend = endpoint({
  method: 'POST',
  path: '[/s/{sub}]/api/unfriend',
  scope: relationshipScope,
  login: 'user',
  errors: 'silent',
  section: 'Users',
  summary: 'End a relationship: withdraw an invitation, lift a ban, remove a moderator or contributor, end a friendship.',
  notes:
    'Somebody neither `id` nor `name` leads to is 400. What is not so is a success without an entry. A moderator is removed by unlimited moderators who came no later, or goes by own wish. The types `enemy`, `muted`, `wikibanned` and `wikicontributor` are not offered yet.',
  params: {
    type: refusing(oneOf(...relationshipTypes), 'BAD_REQUEST'),
    id: described(lenient(optional(fullname('account')), undefined), 'whom; goes before `name`'),
    name: lenient(optional(username()), undefined),
    container: described(lenient(optional(fullname('account')), undefined), 'for `friend`: your own fullname'),
  },
  handle: async ({ params: { type, id, name, container }, viewer, site, command }, app) => {
    const { account } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    const target = await whoIsMeant(app, id, name)
    if (target === undefined) return refuse('BAD_REQUEST')
    return E.map(answer)(await end(app, { viewer, account, site, command }, type, target, container))
  },
})

const ofSubsite = { id: described(optional(fullname('subsite')), 'the subsite; absent: that of the path') }

const meant = (id: string | undefined, site: Site) => id ?? (site.kind === 'subsite' ? site.subsite.id : undefined)

export const leaveModerator = endpoint({
  method: 'POST',
  path: '/api/leavemoderator',
  aliases: ['/s/{sub}/api/leavemoderator'],
  scope: 'modself',
  login: 'user',
  errors: 'silent',
  section: 'Moderation',
  summary: 'Give up moderating a subsite.',
  notes: 'Also the last moderator may leave. An entry with the details `remove_self`.',
  params: ofSubsite,
  handle: async ({ params, site, viewer: { account }, command }, { run }) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const subsite = meant(params.id, site)
    if (subsite === undefined) return undefined
    return E.map(answer)(await run(Moderators, subsite, leaveModeration({ subsite, account }), actingAs(command, 'moderator')))
  },
})

export const leaveContributor = endpoint({
  method: 'POST',
  path: '/api/leavecontributor',
  aliases: ['/s/{sub}/api/leavecontributor'],
  scope: 'modself',
  login: 'user',
  errors: 'silent',
  section: 'Moderation',
  summary: 'Give up being an approved submitter of a subsite.',
  notes: 'No entry in the moderation log.',
  params: ofSubsite,
  handle: async ({ params, site, viewer: { account }, command }, { run }) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const subsite = meant(params.id, site)
    if (subsite === undefined) return undefined
    return E.map(answer)(await run(Relation, `${subsite}.${account}`, leaveContributors({ subsite, account }), command))
  },
})
