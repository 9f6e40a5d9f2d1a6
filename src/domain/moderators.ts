// Decision 31.

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, type StoredEnvelope } from './event.ts'
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
/** Matches permissions that current clients send and that are ignored. */
const ignored = /^chat_/

/**
 * Returns the stored form of a permissions parameter: `+all`, or the given terms sorted by name. Absent or empty means `+all`; a text
 * without any term means no permission at all. The last term for a name counts, but nothing takes back `+all`. An unknown name is refused
 * with `INVALID_PERMISSIONS`.
 */
export const parsePermissions = (text: string | undefined): E.Either<Refusal, Permissions> => {
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

/** Tells whether stored permissions include one. Undefined permissions mean that the account is no moderator. */
export const holds = (permissions: Permissions | undefined, name: Permission): boolean =>
  permissions === ALL_PERMISSIONS || (permissions?.split(',').includes(`+${name}`) ?? false)

/** Tells whether permissions are unlimited: only then may a moderator invite, remove and change the permissions of other moderators. */
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

/** `origin` is the event that made the seat. */
type Seat = { readonly account: AccountId; readonly permissions: Permissions; readonly origin: Origin }

/** The moderators in the order of their seniority. That is their order in the stream, since clocks of several processes differ. */
export type Moderators = {
  readonly moderators: readonly Seat[]
  readonly invitations: readonly Seat[]
}

const none: Moderators = { moderators: [], invitations: [] }
const withoutAccount = <S extends Seat>(list: readonly S[], account: AccountId) => list.filter((m) => m.account !== account)
const repermit = <S extends Seat>(list: readonly S[], account: AccountId, permissions: Permissions) =>
  list.map((m) => (m.account === account ? { ...m, permissions } : m))

const addSeat = (state: Moderators = none, { account, permissions }: Omit<Seat, 'origin'>, envelope: StoredEnvelope): Moderators => ({
  moderators: [...state.moderators, { account, permissions, origin: originOf(envelope) }],
  invitations: withoutAccount(state.invitations, account),
})

export const Moderators: Aggregate<Moderators, ModeratorsEvent> = {
  category: 'moderators',
  subsiteOf: (id) => id,
  on: {
    ModeratorAdded: addSeat,
    ModeratorInvited: (state = none, { account, permissions }, envelope) => ({
      ...state,
      invitations: [...state.invitations, { account, permissions, origin: originOf(envelope) }],
    }),
    ModeratorInvitationWithdrawn: (state = none, { account }) => ({ ...state, invitations: withoutAccount(state.invitations, account) }),
    ModeratorInvitationAccepted: addSeat,
    ModeratorPermissionsChanged: (state = none, { account, invitation, after }) =>
      invitation
        ? { ...state, invitations: repermit(state.invitations, account, after) }
        : { ...state, moderators: repermit(state.moderators, account, after) },
    ModeratorRemoved: (state = none, { account }) => ({ ...state, moderators: withoutAccount(state.moderators, account) }),
  },
}

export const moderatorOf = (state: Moderators | undefined, account: AccountId) => state?.moderators.find((m) => m.account === account)
export const invitationOf = (state: Moderators | undefined, account: AccountId) => state?.invitations.find((m) => m.account === account)
/** Returns the permissions of an account; undefined if it does not moderate here. */
export const permissionsOf = (state: Moderators | undefined, account: AccountId): Permissions | undefined =>
  moderatorOf(state, account)?.permissions

/**
 * Tells whether seniority allows an act: a moderator with all permissions may act on moderators of no higher seniority. It is not used for
 * oneself.
 */
export const outranks = (state: Moderators | undefined, actor: AccountId, target: AccountId): boolean => {
  const accounts = state?.moderators.map(({ account }) => account) ?? []
  const senior = accounts.indexOf(actor)
  return senior !== -1 && senior <= accounts.indexOf(target) && isUnlimited(permissionsOf(state, actor))
}

export type Membership = { readonly subsite: SubsiteId; readonly account: AccountId }
/**
 * The acting account, and whether it acts as admin and so is exempt from seniority. An act in this stream is judged by the state that it
 * follows on, so nothing is recorded of a moderator who was removed in the meantime.
 */
export type Authority = { readonly actor: AccountId; readonly admin: boolean }

export const isUnlimitedNow = (state: Moderators | undefined, { actor, admin }: Authority): boolean =>
  admin || isUnlimited(permissionsOf(state, actor))

/** Makes the creator of a subsite its moderator, once. */
export const foundModeration =
  (membership: Membership): Decide<Moderators, ModeratorsEvent> =>
  (state) =>
    state ? noEvents : decideEvents(ModeratorAdded({ ...membership, permissions: ALL_PERMISSIONS, founder: true }))

/** The restrictions of the account concerned in the subsite. */
export type AccountRestrictions = Parameters<typeof refusalToRestricted>[0]

/** Adds a moderator without an invitation, by an admin. A pending invitation is used up. */
export const addModerator =
  (
    membership: Membership,
    { admin }: Authority,
    restricted: AccountRestrictions,
    permissions: Permissions,
  ): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    if (!admin) return refuse('FORBIDDEN')
    const refused = refusalToRestricted(restricted)
    if (refused) return refused
    if (moderatorOf(state, membership.account)) return noEvents
    const invitation = invitationOf(state, membership.account)?.permissions
    return decideEvents(ModeratorAdded({ ...membership, permissions, founder: false, ...(invitation !== undefined && { invitation }) }))
  }

/**
 * Tells whether permissions are no longer as an actor saw them, who would replace them by others. Terms that grant nothing are seen by
 * nobody.
 */
export const changedSince = (now: Permissions, seen: Permissions | undefined, next: Permissions): boolean => {
  const isSame = (one: Permissions) =>
    isUnlimited(one) === isUnlimited(now) && permissionNames.every((name) => holds(one, name) === holds(now, name))
  return seen !== undefined && !isSame(seen) && !isSame(next)
}

/**
 * Replaces the whole set of permissions. A moderator may change neither their own nor those of a senior moderator. `CONFLICT` if they are
 * no longer as the actor saw them.
 */
export const changePermissions =
  (
    membership: Membership,
    { actor, admin }: Authority,
    permissions: Permissions,
    seen?: Permissions,
  ): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    const target = moderatorOf(state, membership.account)
    if (!target || actor === membership.account) return refuse('FORBIDDEN')
    if (!admin && !outranks(state, actor, membership.account)) return refuse('FORBIDDEN')
    if (changedSince(target.permissions, seen, permissions)) return refuse('CONFLICT', 'expected')
    if (target.permissions === permissions) return noEvents
    return decideEvents(ModeratorPermissionsChanged({ ...membership, invitation: false, before: target.permissions, after: permissions }))
  }

/** Lets a moderator resign, also the last one. `which` limits it to seats made by certain events. */
export const leaveModeration =
  (membership: Membership, which: OriginTest = () => true): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    const moderator = moderatorOf(state, membership.account)
    return moderator && which(moderator.origin)
      ? decideEvents(ModeratorRemoved({ ...membership, left: true, permissions: moderator.permissions }))
      : noEvents
  }

/** Removes a moderator. Only moderators with all permissions may do so, and never to a more senior one. */
export const removeModerator =
  (membership: Membership, authority: Authority): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    if (!isUnlimitedNow(state, authority)) return refuse('FORBIDDEN')
    const target = moderatorOf(state, membership.account)
    if (!target) return noEvents
    if (!authority.admin && !outranks(state, authority.actor, membership.account)) return refuse('FORBIDDEN')
    return decideEvents(ModeratorRemoved({ ...membership, left: false, permissions: target.permissions }))
  }

/** Takes back a seat that was given while its holder was banned. `which` selects it. */
export const endSeat =
  (membership: Membership, which: OriginTest): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    const moderator = moderatorOf(state, membership.account)
    if (!moderator || !which(moderator.origin)) return noEvents
    return decideEvents(ModeratorRemoved({ ...membership, left: false, permissions: moderator.permissions }))
  }
