import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { Scope } from '../auth/scopes.ts'
import { Account } from '../domain/account.ts'
import { befriend, Contact, unfriend } from '../domain/contact.ts'
import { refuse } from '../domain/decision.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import {
  addModerator,
  hasManyInvitations,
  inviteModerator,
  leaveModeration,
  Moderators,
  mayRemove,
  moderatorOf,
  permissionsOf,
  removeModerator,
  withdrawInvitation,
} from '../domain/moderators.ts'
import { parsePermissions } from '../domain/permissions.ts'
import type { Refusal } from '../domain/refusal.ts'
import { addContributor, banUser, isBanned, leaveContributors, Relation, removeContributor, unbanUser } from '../domain/relation.ts'
import { actingAs } from '../runtime/command.ts'
import type { Needed } from './access.ts'
import { type Context, type Need, nothingToDo, type SignedIn } from './endpoint.ts'
import { actIn } from './needs.ts'
import { isQuotaSpent } from './relation-quota.ts'

type Asking = Context<unknown, SignedIn>
type Outcome = ReturnType<Context['run']>
type Between = { readonly subsite: SubsiteId; readonly account: AccountId }

/** What is said when a relationship is made; each kind takes what concerns it. */
export type Said = {
  readonly note: string
  readonly ban_reason: string
  readonly ban_message: string
  /** Days; undefined: permanent. */
  readonly duration: number | undefined
  readonly permissions: string | undefined
}

/** A relationship that an account has with a subsite. */
type OfSubsite = {
  readonly container: 'subsite'
  readonly scope: Scope
  /** Which permission makes it. */
  readonly makes: Needed
  readonly make: (context: Asking, between: Between, said: Said) => Outcome
  /** Which permission ends it for others. */
  readonly ends: Needed
  /** By a moderator, or by the account concerned where `makes` is the wish of both sides. */
  readonly end: (context: Asking, between: Between) => Outcome
  /** By own wish; absent: as `end`, by any moderator. */
  readonly leave?: (context: Asking, between: Between) => Outcome
  /** Whether there are as many as there may be. */
  readonly isFull?: (context: Asking, subsite: SubsiteId) => Promise<boolean>
}

/** A relationship that the viewer has with another account; not for tokens, which have a route of their own. */
type OfViewer = {
  readonly container: 'viewer'
  readonly make: (context: Asking, other: AccountId, said: Said) => Outcome
  readonly end: (context: Asking, other: AccountId) => Outcome
}

const idOf = ({ subsite, account }: Between) => `${subsite}.${account}`

const banOf = async ({ load, clock }: Asking, between: Between) => ({ banned: isBanned(await load(Relation, idOf(between)), clock()) })

/** In which capacity to act on another moderator: as a moderator where seniority allows it, else as the admin that one may be. */
export const capacityOver = async (
  { load, viewer }: Pick<Asking, 'load' | 'viewer'>,
  { subsite, account }: Between,
): Promise<'moderator' | 'admin'> =>
  mayRemove(await load(Moderators, subsite), viewer.account, account) || !viewer.admin ? 'moderator' : 'admin'

/** What can be made by `POST friend` and ended by `POST unfriend`. */
export const relations = {
  friend: {
    container: 'viewer',
    make: ({ run, viewer: { account } }, other, { note }) => run(Contact, `${account}.${other}`, befriend({ account, other }, note)),
    end: ({ run, viewer: { account } }, other) => run(Contact, `${account}.${other}`, unfriend({ account, other })),
  },
  moderator: {
    container: 'subsite',
    scope: 'modothers',
    makes: 'all',
    make: async (context, between, { permissions }) => {
      const granted = parsePermissions(permissions)
      if (E.isLeft(granted)) return granted
      const { run, command } = context
      return run(
        Moderators,
        between.subsite,
        addModerator(between, await banOf(context, between), granted.right),
        actingAs(command, 'admin'),
      )
    },
    ends: 'all',
    end: async (context, between) => {
      const { run, command, viewer } = context
      const as = await capacityOver(context, between)
      const authority = { actor: viewer.account, admin: as === 'admin' }
      return run(Moderators, between.subsite, removeModerator(between, authority), actingAs(command, as))
    },
    leave: async ({ load, run, command }, between) => {
      const isOne = moderatorOf(await load(Moderators, between.subsite), between.account) !== undefined
      // a repeated command may have left already
      if (!isOne && !command.retried) return refuse('FORBIDDEN')
      return run(Moderators, between.subsite, leaveModeration(between), actingAs(command, 'moderator'))
    },
  },
  moderator_invite: {
    container: 'subsite',
    scope: 'modothers',
    makes: 'all',
    make: async (context, between, { permissions }) => {
      const granted = parsePermissions(permissions)
      if (E.isLeft(granted)) return granted
      return context.run(Moderators, between.subsite, inviteModerator(between, await banOf(context, between), granted.right))
    },
    ends: 'access',
    end: ({ run }, between) => run(Moderators, between.subsite, withdrawInvitation(between)),
    isFull: async ({ load }, subsite) => hasManyInvitations(await load(Moderators, subsite)),
  },
  contributor: {
    container: 'subsite',
    scope: 'modcontributors',
    makes: 'access',
    make: ({ run, clock }, between) => run(Relation, idOf(between), addContributor(between, { founder: false, at: clock() })),
    ends: 'access',
    end: ({ run }, between) => run(Relation, idOf(between), removeContributor(between)),
  },
  banned: {
    container: 'subsite',
    scope: 'modcontributors',
    makes: 'access',
    make: async ({ load, run, clock }, between, { note, ban_reason, ban_message, duration }) => {
      const moderator = permissionsOf(await load(Moderators, between.subsite), between.account) !== undefined
      const noted = [ban_reason, note].filter((part) => part !== '').join(': ')
      const term = { days: duration ?? null, note: noted, message: ban_message }
      return run(Relation, idOf(between), banUser(between, { moderator, at: clock() }, term))
    },
    ends: 'access',
    end: ({ run, clock }, between) => run(Relation, idOf(between), unbanUser(between, clock())),
  },
} as const satisfies Readonly<Record<string, OfSubsite | OfViewer>>

export type RelationName = keyof typeof relations
export const relationNames = Object.keys(relations) as readonly RelationName[]

const tableOf = (name: RelationName): OfSubsite | OfViewer => relations[name]

/** What a token needs to make or end one. */
export const relationScope = ({ type }: { readonly type: RelationName }): readonly Scope[] | Refusal => {
  const relation = tableOf(type)
  return relation.container === 'viewer' ? { code: 'BAD_REQUEST', field: null } : [relation.scope]
}

/** Relationships of one's own are kept in one's own account; without a container, or with one that is no account, nothing is meant. */
const ownContainer = async (
  { load, viewer }: Asking,
  container: string | undefined,
): Promise<Either<Refusal | typeof nothingToDo, undefined>> => {
  if (container === viewer.account) return E.right(undefined)
  const isSomebody = container !== undefined && (await load(Account, container)) !== undefined
  return isSomebody ? refuse('FORBIDDEN') : E.left(nothingToDo)
}

type Named = { readonly type: RelationName; readonly container: string | undefined }

/** A relationship that the viewer may make here. */
export type Making = { readonly name: RelationName; readonly make: (account: AccountId, said: Said) => Outcome }

/** Whether the viewer may make the relationship that is asked for; `moderator` by anybody but an admin is an invitation. */
export const mayRelate: Need<Making, Named> = async (context) => {
  const { params, site, viewer, command } = context
  const name = params.type === 'moderator' && !viewer.admin ? 'moderator_invite' : params.type
  const relation = tableOf(name)
  if (relation.container === 'viewer')
    return E.map(() => ({ name, make: (account: AccountId, said: Said) => relation.make(context, account, said) }))(
      await ownContainer(context, params.container),
    )
  const act = await actIn(context, site.kind === 'subsite' ? site.subsite.id : undefined, relation.makes)
  if (E.isLeft(act)) return act
  const { subsite } = act.right
  // a repeated command was counted by its first try
  if (!command.retried && (await relation.isFull?.(context, subsite))) return refuse('SUBSITE_RATELIMIT', 'name')
  if (!command.retried && !viewer.admin && (await isQuotaSpent(context, subsite, name))) return refuse('SUBSITE_RATELIMIT')
  return E.right({ name, make: (account, said) => relation.make(context, { subsite, account }, said) })
}

/** Ends a relationship of an account, where the viewer may: of oneself any moderator does, or it is left by own wish. */
export const endRelation = async (
  context: Context<Named, SignedIn>,
  account: AccountId,
): Promise<Either<Refusal | typeof nothingToDo, unknown>> => {
  const { params, site, viewer } = context
  const relation = tableOf(params.type)
  if (relation.container === 'viewer') {
    const own = await ownContainer(context, params.container)
    return E.isLeft(own) ? own : relation.end(context, account)
  }
  const isOwn = account === viewer.account
  const here = site.kind === 'subsite' ? site.subsite.id : undefined
  if (isOwn && relation.leave && here !== undefined) return relation.leave(context, { subsite: here, account })
  const act = await actIn(context, here, isOwn ? 'any' : relation.ends)
  return E.isLeft(act) ? act : relation.end(context, { subsite: act.right.subsite, account })
}

/** Leaves what the viewer is in a subsite, whatever the path. */
export const leave = {
  moderator: ({ run, command, viewer: { account } }: Asking, subsite: SubsiteId): Outcome =>
    run(Moderators, subsite, leaveModeration({ subsite, account }), actingAs(command, 'moderator')),
  contributor: ({ run, viewer: { account } }: Asking, subsite: SubsiteId): Outcome =>
    run(Relation, `${subsite}.${account}`, leaveContributors({ subsite, account })),
}
