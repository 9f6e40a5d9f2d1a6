import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type Envelope, event, field, type OneOf, optional } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'
import { type Origin, type OriginTest, originOf } from './origin.ts'
import type { Refusal } from './refusal.ts'
import { refusalToRestricted } from './relation.ts'

export const permissionNames = ['access', 'config', 'flair', 'mail', 'posts', 'wiki'] as const
export type Permission = (typeof permissionNames)[number]

/** The stored form of permissions: `+all`, or the given terms sorted by name (`+access,-config`), or empty for none. */
export const Permissions = t.string
export type Permissions = string

export const ALL_PERMISSIONS: Permissions = '+all'

const known = new Set<string>([...permissionNames, 'all'])
/** Sent by current clients; ignored. */
const ignored = /^chat_/

/**
 * The stored form of a permissions parameter: `+all`, or the given terms sorted by name; absent or empty is `+all`, a text without
 * any term is no permission at all. The last term for a name counts, but nothing takes back `+all`. `INVALID_PERMISSIONS` for an unknown name.
 */
export const parsePermissions = (text: string | undefined): Either<Refusal, Permissions> => {
  if (text === undefined || text === '') return E.right(ALL_PERMISSIONS)
  const granted = new Map<string, boolean>()
  let unlimited = false
  for (const term of text.split(',').map((part) => part.trim())) {
    const name = term.slice(1)
    if (term === '' || ignored.test(name)) continue
    if (!known.has(name)) return E.left({ code: 'INVALID_PERMISSIONS', field: 'permissions' })
    const isGranted = term.startsWith('+')
    if (name !== 'all') granted.set(name, isGranted)
    else if (isGranted) unlimited = true
  }
  if (unlimited) return E.right(ALL_PERMISSIONS)
  const terms = [...granted].sort(([a], [b]) => (a < b ? -1 : 1))
  return E.right(terms.map(([name, yes]) => `${yes ? '+' : '-'}${name}`).join(','))
}

/** Whether stored permissions (undefined: no moderator) include one. */
export const holds = (permissions: Permissions | undefined, name: Permission): boolean =>
  permissions === ALL_PERMISSIONS || (permissions?.split(',').includes(`+${name}`) ?? false)

/** All permissions: may invite, remove and change the permissions of other moderators. */
export const isUnlimited = (permissions: Permissions | undefined): boolean => permissions === ALL_PERMISSIONS

const place = {
  subsite: field(SubsiteId, 'The subsite.', 'public'),
  account: field(AccountId, 'The moderator, or who is invited to be one.', 'public'),
}
const permissions = field(Permissions, 'What it may do there.', 'public')

export const ModeratorAdded = event(
  'ModeratorAdded',
  'An account moderates a subsite from now on: an admin made it a moderator, or it founded the subsite.',
  {
    ...place,
    permissions,
    founder: field(t.boolean, 'Whether it founded the subsite, which is no act of moderation.', 'public'),
    invitation: field(optional(Permissions), 'The permissions of an invitation that it had, which is used up.', 'public'),
  },
  { by: 'public' },
)
export const ModeratorInvited = event(
  'ModeratorInvited',
  'A moderator invited an account to moderate the subsite.',
  { ...place, permissions },
  { by: 'public' },
)
export const ModeratorInvitationWithdrawn = event(
  'ModeratorInvitationWithdrawn',
  'An invitation to moderate a subsite is void: a moderator withdrew it, or the account may not accept it any more.',
  { ...place, permissions: field(optional(Permissions), 'What it would have given; earlier versions did not record it.', 'public') },
  { by: 'public' },
)
export const ModeratorInvitationAccepted = event(
  'ModeratorInvitationAccepted',
  'An account accepted an invitation, and moderates the subsite from now on.',
  { ...place, permissions },
  { by: 'public' },
)
export const ModeratorPermissionsChanged = event(
  'ModeratorPermissionsChanged',
  'A moderator changed what another moderator, or an invited account, may do.',
  {
    ...place,
    invitation: field(t.boolean, 'Whether it is one who is only invited.', 'public'),
    before: field(Permissions, 'What it could do before.', 'public'),
    after: field(Permissions, 'What it may do now.', 'public'),
  },
  { by: 'public' },
)
export const ModeratorRemoved = event(
  'ModeratorRemoved',
  'An account no longer moderates a subsite: a moderator, an admin or a ban ended that, or it resigned.',
  {
    ...place,
    left: field(t.boolean, 'Whether it resigned, or was deleted.', 'public'),
    permissions: field(optional(Permissions), 'What it could do; earlier versions did not record it.', 'public'),
  },
  { by: 'public' },
)
export const moderatorsEvents = [
  ModeratorAdded,
  ModeratorInvited,
  ModeratorInvitationWithdrawn,
  ModeratorInvitationAccepted,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
] as const
export type ModeratorsEvent = OneOf<typeof moderatorsEvents>

/** `origin`: the event that made it. */
type Seat = { readonly account: AccountId; readonly permissions: Permissions; readonly origin: Origin }

/** Moderators stand in the order of their seniority: that of the stream, since clocks of several processes differ. */
export type Moderators = {
  readonly moderators: readonly Seat[]
  readonly invitations: readonly Seat[]
}

const none: Moderators = { moderators: [], invitations: [] }
const without = <S extends Seat>(list: readonly S[], account: AccountId) => list.filter((m) => m.account !== account)
const repermit = <S extends Seat>(list: readonly S[], account: AccountId, permissions: Permissions) =>
  list.map((m) => (m.account === account ? { ...m, permissions } : m))

const joined = (state: Moderators = none, { account, permissions }: Omit<Seat, 'origin'>, envelope: Envelope): Moderators => ({
  moderators: [...state.moderators, { account, permissions, origin: originOf(envelope) }],
  invitations: without(state.invitations, account),
})

export const Moderators: Aggregate<Moderators, ModeratorsEvent> = {
  category: 'moderators',
  subsiteOf: (id) => id,
  on: {
    ModeratorAdded: joined,
    ModeratorInvited: (state = none, { account, permissions }, envelope) => ({
      ...state,
      invitations: [...state.invitations, { account, permissions, origin: originOf(envelope) }],
    }),
    ModeratorInvitationWithdrawn: (state = none, { account }) => ({ ...state, invitations: without(state.invitations, account) }),
    ModeratorInvitationAccepted: joined,
    ModeratorPermissionsChanged: (state = none, { account, invitation, after }) =>
      invitation
        ? { ...state, invitations: repermit(state.invitations, account, after) }
        : { ...state, moderators: repermit(state.moderators, account, after) },
    ModeratorRemoved: (state = none, { account }) => ({ ...state, moderators: without(state.moderators, account) }),
  },
}

export const moderatorOf = (state: Moderators | undefined, account: AccountId) => state?.moderators.find((m) => m.account === account)
export const invitationOf = (state: Moderators | undefined, account: AccountId) => state?.invitations.find((m) => m.account === account)
/** Undefined for accounts that do not moderate here. */
export const permissionsOf = (state: Moderators | undefined, account: AccountId): Permissions | undefined =>
  moderatorOf(state, account)?.permissions

/** Seniority: a moderator with all permissions may act on moderators of no higher seniority. Not used for oneself. */
export const mayRemove = (state: Moderators | undefined, actor: AccountId, target: AccountId): boolean => {
  const accounts = state?.moderators.map(({ account }) => account) ?? []
  const senior = accounts.indexOf(actor)
  return senior !== -1 && senior <= accounts.indexOf(target) && isUnlimited(permissionsOf(state, actor))
}

export type Membership = { readonly subsite: SubsiteId; readonly account: AccountId }
/**
 * The acting account, and whether it acts as admin, exempt from seniority. What a moderator does in this stream is judged by the state that it
 * follows on, so that nothing is recorded of one who was removed in the meantime.
 */
export type Authority = { readonly actor: AccountId; readonly admin: boolean }

export const isUnlimitedNow = (state: Moderators | undefined, { actor, admin }: Authority): boolean =>
  admin || isUnlimited(permissionsOf(state, actor))

/** The creator of a subsite moderates it, once. */
export const foundModeration =
  (membership: Membership): Decide<Moderators, ModeratorsEvent> =>
  (state) =>
    state ? nothing : record(ModeratorAdded({ ...membership, permissions: ALL_PERMISSIONS, founder: true }))

/** How the account concerned is restricted in the subsite. */
export type RestrictedActor = Parameters<typeof refusalToRestricted>[0]

/** By an admin, without an invitation; a pending one is used up. */
export const addModerator =
  (
    membership: Membership,
    { admin }: Authority,
    restricted: RestrictedActor,
    permissions: Permissions,
  ): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    if (!admin) return refuse('FORBIDDEN')
    const refused = refusalToRestricted(restricted)
    if (refused) return refused
    if (moderatorOf(state, membership.account)) return nothing
    const invitation = invitationOf(state, membership.account)?.permissions
    return record(ModeratorAdded({ ...membership, permissions, founder: false, ...(invitation !== undefined && { invitation }) }))
  }

/** The whole set is replaced. Changing the own permissions, or those of a senior moderator, is refused. */
export const changePermissions =
  (membership: Membership, { actor, admin }: Authority, permissions: Permissions): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    const target = moderatorOf(state, membership.account)
    if (!target || actor === membership.account) return refuse('FORBIDDEN')
    if (!admin && !mayRemove(state, actor, membership.account)) return refuse('FORBIDDEN')
    if (target.permissions === permissions) return nothing
    return record(ModeratorPermissionsChanged({ ...membership, invitation: false, before: target.permissions, after: permissions }))
  }

/** A moderator may always resign, also the last one. `which`: only a seat made by one of these events. */
export const leaveModeration =
  (membership: Membership, which: OriginTest = () => true): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    const moderator = moderatorOf(state, membership.account)
    return moderator && which(moderator.origin)
      ? record(ModeratorRemoved({ ...membership, left: true, permissions: moderator.permissions }))
      : nothing
  }

/** Only moderators with all permissions remove others, never more senior ones. */
export const removeModerator =
  (membership: Membership, authority: Authority): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    if (!isUnlimitedNow(state, authority)) return refuse('FORBIDDEN')
    const target = moderatorOf(state, membership.account)
    if (!target) return nothing
    if (!authority.admin && !mayRemove(state, authority.actor, membership.account)) return refuse('FORBIDDEN')
    return record(ModeratorRemoved({ ...membership, left: false, permissions: target.permissions }))
  }

/** A seat that was given while its holder was banned is taken back; `which` says which one. */
export const endSeat =
  (membership: Membership, which: OriginTest): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    const moderator = moderatorOf(state, membership.account)
    if (!moderator || !which(moderator.origin)) return nothing
    return record(ModeratorRemoved({ ...membership, left: false, permissions: moderator.permissions }))
  }
