import * as E from 'fp-ts/lib/Either.js'
import type { RelationDocument } from '../../../projections/relations.ts'
import type { Scope } from '../../auth/scopes.ts'
import { moderates } from '../../commands/standings.ts'
import { Account, isSuspendedForGood } from '../../domain/account.ts'
import { befriend, Contact, unblock, unfriend } from '../../domain/friends-and-blocks.ts'
import type { AccountId, MessageId, SubsiteId } from '../../domain/ids.ts'
import { inviteModerator, refusalToInvite, withdrawInvitation } from '../../domain/moderator-invitations.ts'
import {
  type Authority,
  addModerator,
  leaveModeration,
  Moderators,
  outranks,
  parsePermissions,
  removeModerator,
} from '../../domain/moderators.ts'
import {
  addContributor,
  addWikiContributor,
  isBanned,
  isMuted,
  leaveContributors,
  Relation,
  removeContributor,
  removeWikiContributor,
  type SubsiteAccount,
} from '../../domain/relation.ts'
import { type RelationName, type RelationType, relationNames } from '../../domain/relation-types.ts'
import { banUser, muteUser, unbanUser, unmuteUser, wikiBanUser, wikiUnbanUser } from '../../domain/restrictions.ts'
import type { Names } from '../../queries/accounts.ts'
import { actAs } from '../../runtime/command.ts'
import type { Context, SignedInContext } from '../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import { bannedRow, contributorRow } from '../present/relationship.ts'
import type { PermissionRequirement } from './access.ts'

export type RelationOutcome = ReturnType<Context['run']>

/** The parameters of a new relationship; each kind uses those it needs. */
export type RelationTexts = {
  readonly note: string
  readonly ban_reason: string
  readonly ban_message: string
  /** In days; undefined means permanent. */
  readonly duration: number | undefined
  readonly permissions: string | undefined
}

/** The listing `about/<path>` of the accounts that have a relationship. */
export type RelationList = {
  readonly path: string
  /** The first characters of the names of its items. */
  readonly mark: string
  /** The permission needed to read it. */
  readonly reads: PermissionRequirement
  readonly row: (relation: RelationDocument, names: Names, now: number) => object
}

/** A relationship of an account with a subsite. */
type OfSubsite = {
  /** The scopes that a token needs, all of them. */
  readonly scopes: readonly Scope[]
  /** The permission needed to make it. */
  readonly makes: PermissionRequirement
  readonly make: (context: SignedInContext, between: SubsiteAccount, texts: RelationTexts) => RelationOutcome
  /** The permission needed to end another account's. */
  readonly ends: PermissionRequirement
  /** Ends it as a moderator; if both sides agree to the relationship, also as the account itself. */
  readonly end: (context: SignedInContext, between: SubsiteAccount) => RelationOutcome
  /** Ends it as the account itself. If absent, a moderator uses `end`. */
  readonly leave?: (context: SignedInContext, between: SubsiteAccount) => RelationOutcome
  /** The listing of the accounts that have it; absent if there is none, and for the list of moderators. */
  readonly list?: RelationList
  /** Returns the refusal of one more than there may be. */
  readonly refusalOfMore?: (context: SignedInContext, subsite: SubsiteId) => Promise<E.Either<Refusal, never> | undefined>
}

/** A relationship of the viewer with another account. */
type OfViewer = {
  /** The scopes that a token needs, all of them. If absent, tokens use another route. */
  readonly scopes?: readonly Scope[]
  /** Makes it; absent if another endpoint does. */
  readonly make?: (context: SignedInContext, other: AccountId, texts: { readonly note: string | undefined }) => RelationOutcome
  readonly end: (context: SignedInContext, other: AccountId) => RelationOutcome
}

const idOf = ({ subsite, account }: SubsiteAccount) => `${subsite}.${account}`

/** Returns the facts beside the relation itself that decide whether an account becomes a contributor. */
const circumstancesOf = async ({ load, clock }: SignedInContext, { account }: SubsiteAccount) => {
  const bannedFromSite = isSuspendedForGood(await load(Account, account))
  return { at: clock(), bannedFromSite }
}

/** Tells whether an account is banned, here or from the whole site, and whether it is muted. */
export const restrictionsOf = async (context: SignedInContext, between: SubsiteAccount) => {
  const relation = await context.load(Relation, idOf(between))
  const { at, bannedFromSite } = await circumstancesOf(context, between)
  return { banned: bannedFromSite || isBanned(relation, at), muted: isMuted(relation, at) }
}

/** Returns the capacity to act on another moderator: as moderator if seniority permits it, otherwise as admin. */
export const capacityOverModerator = async (
  { load, viewer }: Pick<SignedInContext, 'load' | 'viewer'>,
  { subsite, account }: SubsiteAccount,
): Promise<'moderator' | 'admin'> =>
  outranks(await load(Moderators, subsite), viewer.account, account) || !viewer.admin ? 'moderator' : 'admin'

/**
 * Returns the viewer in the capacity of a command, for decisions in the stream of the moderators, which judge it again when they are
 * repeated.
 */
export const authorityOf = (context: Pick<SignedInContext, 'viewer' | 'command'>, command = context.command): Authority => ({
  actor: context.viewer.account,
  admin: command.by.as === 'admin',
})

/** Mutes an account. `over` is the message that its author is muted for. */
const mute = async (context: SignedInContext, between: SubsiteAccount, texts: { readonly note: string; readonly over?: MessageId }) => {
  const { run, clock } = context
  const moderator = await moderates(context, between)
  return run(Relation, idOf(between), muteUser(between, { moderator, at: clock() }, texts))
}

/** The way each relationship is made, ended and listed, by `POST friend`, `POST unfriend` and endpoints for one relationship. */
export const relations = {
  friend: {
    make: ({ run, viewer: { account } }, other, { note }) => run(Contact, `${account}.${other}`, befriend({ account, other }, note)),
    end: ({ run, viewer: { account } }, other) => run(Contact, `${account}.${other}`, unfriend({ account, other })),
  },
  enemy: {
    scopes: ['privatemessages'],
    end: ({ run, viewer: { account } }, other) => run(Contact, `${account}.${other}`, unblock({ account, other })),
  },
  moderator: {
    scopes: ['modothers'],
    makes: 'all',
    make: async (context, between, { permissions }) => {
      const granted = parsePermissions(permissions)
      if (E.isLeft(granted)) return granted
      const { run, command } = context
      const asAdmin = actAs(command, 'admin')
      const restricted = await restrictionsOf(context, between)
      return run(Moderators, between.subsite, addModerator(between, authorityOf(context, asAdmin), restricted, granted.right), asAdmin)
    },
    ends: 'all',
    end: async (context, between) => {
      const command = actAs(context.command, await capacityOverModerator(context, between))
      return context.run(Moderators, between.subsite, removeModerator(between, authorityOf(context, command)), command)
    },
    leave: async (context, between) => {
      const { run, command } = context
      // a repeated command may have left already
      if (!command.retried && !(await moderates(context, between))) return refuseRule('FORBIDDEN')
      return run(Moderators, between.subsite, leaveModeration(between), actAs(command, 'moderator'))
    },
  },
  moderator_invite: {
    scopes: ['modothers'],
    makes: 'all',
    make: async (context, between, { permissions }) => {
      const granted = parsePermissions(permissions)
      if (E.isLeft(granted)) return granted
      const restricted = await restrictionsOf(context, between)
      return context.run(Moderators, between.subsite, inviteModerator(between, authorityOf(context), restricted, granted.right))
    },
    ends: 'access',
    end: (context, between) => context.run(Moderators, between.subsite, withdrawInvitation(between, authorityOf(context))),
    refusalOfMore: async ({ load }, subsite) => refusalToInvite(await load(Moderators, subsite)),
  },
  contributor: {
    scopes: ['modcontributors'],
    makes: 'access',
    make: async (context, between) =>
      context.run(Relation, idOf(between), addContributor(between, { founder: false, ...(await circumstancesOf(context, between)) })),
    ends: 'access',
    end: ({ run }, between) => run(Relation, idOf(between), removeContributor(between)),
    list: { path: 'contributors', mark: 'rc', reads: 'access', row: contributorRow },
  },
  banned: {
    scopes: ['modcontributors'],
    makes: 'access',
    make: async (context, between, { note, ban_reason, ban_message, duration }) => {
      const { run, clock } = context
      const noted = [ban_reason, note].filter((part) => part !== '').join(': ')
      const term = { days: duration ?? null, note: noted, message: ban_message }
      const moderator = await moderates(context, between)
      return run(Relation, idOf(between), banUser(between, { moderator, at: clock() }, term))
    },
    ends: 'access',
    end: ({ run, clock }, between) => run(Relation, idOf(between), unbanUser(between, clock())),
    list: { path: 'banned', mark: 'rb', reads: 'access', row: bannedRow },
  },
  muted: {
    scopes: ['modcontributors'],
    makes: ['access', 'mail'],
    make: mute,
    ends: ['access', 'mail'],
    end: ({ run, clock }, between) => run(Relation, idOf(between), unmuteUser(between, clock())),
    list: { path: 'muted', mark: 'rm', reads: ['access', 'mail'], row: contributorRow },
  },
  wikibanned: {
    scopes: ['modcontributors', 'modwiki'],
    makes: 'wiki',
    make: ({ run, clock }, between, { note, duration }) =>
      run(Relation, idOf(between), wikiBanUser(between, clock(), { days: duration ?? null, note })),
    ends: 'wiki',
    end: ({ run, clock }, between) => run(Relation, idOf(between), wikiUnbanUser(between, clock())),
    list: { path: 'wikibanned', mark: 'rwb', reads: 'wiki', row: bannedRow },
  },
  wikicontributor: {
    scopes: ['modcontributors', 'modwiki'],
    makes: 'wiki',
    make: async (context, between) =>
      context.run(Relation, idOf(between), addWikiContributor(between, await circumstancesOf(context, between))),
    ends: 'wiki',
    end: ({ run }, between) => run(Relation, idOf(between), removeWikiContributor(between)),
    list: { path: 'wikicontributors', mark: 'rwc', reads: 'wiki', row: contributorRow },
  },
} as const satisfies { readonly [Name in RelationName]: Name extends RelationType ? OfSubsite : OfViewer }

type NamedWith<Column> = { [Name in RelationName]: (typeof relations)[Name] extends Column ? Name : never }[RelationName]
type ListedName = NamedWith<{ readonly list: RelationList }>

/** The listings of accounts with a relation to a subsite, by their paths. */
export const relationLists = Object.entries(relations).flatMap(([type, relation]) =>
  'list' in relation ? [{ ...relation.list, type: type as ListedName }] : [],
)
export type MakeableName = NamedWith<{ readonly make: unknown }>
/** The names of the relationships that `POST friend` makes. */
export const makeableNames = relationNames.filter((name): name is MakeableName => 'make' in relations[name])

export const subsiteRelation = (type: RelationType): OfSubsite => relations[type]

/** Returns the scopes that a token needs to make or end one. */
export const relationScope = ({ type }: { readonly type: RelationName }): readonly Scope[] | Refusal => {
  const relation: OfSubsite | OfViewer = relations[type]
  return relation.scopes ?? { code: 'BAD_REQUEST', field: 'type' }
}

/** Resigns the viewer's own relationship with a subsite. */
export const leave = {
  moderator: ({ run, command, viewer: { account } }: SignedInContext, subsite: SubsiteId): RelationOutcome =>
    run(Moderators, subsite, leaveModeration({ subsite, account }), actAs(command, 'moderator')),
  contributor: ({ run, viewer: { account } }: SignedInContext, subsite: SubsiteId): RelationOutcome =>
    run(Relation, `${subsite}.${account}`, leaveContributors({ subsite, account })),
}
