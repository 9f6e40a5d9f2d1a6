import * as E from 'fp-ts/lib/Either.js'
import { type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import {
  type AccountRestrictions,
  type Authority,
  changedSince,
  holds,
  invitationOf,
  isUnlimitedNow,
  type Membership,
  ModeratorInvitationAccepted,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  type Moderators,
  type ModeratorsEvent,
  moderatorOf,
  type Permissions,
  permissionsOf,
} from './moderators.ts'
import type { OriginTest } from './origin.ts'
import type { Refusal } from './refusal.ts'
import { refusalToRestricted } from './relation.ts'

/** At most so many pending invitations. */
export const MAX_PENDING_INVITATIONS = 25

/** Returns the refusal of a further invitation, if the subsite has as many as it may have. */
export const refusalToInvite = (state: Moderators | undefined): E.Either<Refusal, never> | undefined => {
  if ((state?.invitations.length ?? 0) < MAX_PENDING_INVITATIONS) return undefined
  const text = `this subsite has ${MAX_PENDING_INVITATIONS} invitations that are pending: withdraw one first`
  return E.left({ code: 'SUBSITE_RATELIMIT', field: 'name', text })
}

/** Invites a moderator. The actor must have all permissions. A second invitation changes nothing, not even its permissions. */
export const inviteModerator =
  (
    membership: Membership,
    authority: Authority,
    restricted: AccountRestrictions,
    permissions: Permissions,
  ): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    if (!isUnlimitedNow(state, authority)) return refuse('FORBIDDEN')
    const full = refusalToInvite(state)
    if (full) return full
    if (moderatorOf(state, membership.account)) return refuse('ALREADY_MODERATOR', 'name')
    const refused = refusalToRestricted(restricted)
    if (refused) return refused
    if (invitationOf(state, membership.account)) return noEvents
    return decideEvents(ModeratorInvited({ ...membership, permissions }))
  }

/**
 * Ends an invitation as the consequence of another event, such as a ban: so it checks no authority. `which` limits it to invitations made
 * by certain events.
 */
export const endInvitation =
  (membership: Membership, which: OriginTest): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    const invitation = invitationOf(state, membership.account)
    if (!invitation || !which(invitation.origin)) return noEvents
    return decideEvents(ModeratorInvitationWithdrawn({ ...membership, permissions: invitation.permissions }))
  }

/** Withdraws an invitation. The actor must be a moderator with `access`. */
export const withdrawInvitation =
  (membership: Membership, { actor, admin }: Authority): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    if (!invitationOf(state, membership.account)) return noEvents
    if (!admin && !holds(permissionsOf(state, actor), 'access')) return refuse('FORBIDDEN')
    return endInvitation(membership, () => true)(state)
  }

/** Accepts an invitation. A banned account is refused, however old the invitation is. */
export const acceptInvitation =
  (membership: Membership, { banned }: { readonly banned: boolean }): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    if (banned) return refuse('BANNED_FROM_SUBSITE')
    const invitation = invitationOf(state, membership.account)
    if (!invitation) return refuse('NO_INVITE_FOUND')
    return decideEvents(ModeratorInvitationAccepted({ ...membership, permissions: invitation.permissions }))
  }

/** Changes the permissions that an invitation grants. `CONFLICT` if they are no longer as the actor saw them. */
export const changeInvitation =
  (membership: Membership, authority: Authority, permissions: Permissions, seen?: Permissions): Decide<Moderators, ModeratorsEvent> =>
  (state) => {
    if (!isUnlimitedNow(state, authority)) return refuse('FORBIDDEN')
    const invitation = invitationOf(state, membership.account)
    if (!invitation) return refuse('NO_INVITE_FOUND')
    if (changedSince(invitation.permissions, seen, permissions)) return refuse('CONFLICT', 'expected')
    if (invitation.permissions === permissions) return noEvents
    return decideEvents(
      ModeratorPermissionsChanged({ ...membership, invitation: true, before: invitation.permissions, after: permissions }),
    )
  }
