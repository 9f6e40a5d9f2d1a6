import * as t from 'io-ts'
import type { Aggregate } from './decision.ts'
import { type EventOf, event, optional } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'

/** The stored form of permissions: `+all`, or the given terms sorted by name (`+access,-config`), or empty for none. */
export const Permissions = t.string
export type Permissions = string

const membership = { subsite: SubsiteId, account: AccountId }

/** By an admin, or (`founder`) as the creator of the subsite, which is no act of moderation and has no log entry. */
export const ModeratorAdded = event('ModeratorAdded', { ...membership, permissions: Permissions, founder: t.boolean })
export const ModeratorInvited = event('ModeratorInvited', { ...membership, permissions: Permissions })
export const ModeratorInvitationWithdrawn = event('ModeratorInvitationWithdrawn', membership)
export const ModeratorInvitationAccepted = event('ModeratorInvitationAccepted', { ...membership, permissions: Permissions })
export const ModeratorPermissionsChanged = event('ModeratorPermissionsChanged', {
  ...membership,
  invitation: t.boolean,
  before: Permissions,
  after: Permissions,
})
/** `left`: by the moderator's own wish. */
export const ModeratorRemoved = event('ModeratorRemoved', { ...membership, left: t.boolean, permissions: optional(Permissions) })
export type ModeratorsEvent =
  | EventOf<typeof ModeratorAdded>
  | EventOf<typeof ModeratorInvited>
  | EventOf<typeof ModeratorInvitationWithdrawn>
  | EventOf<typeof ModeratorInvitationAccepted>
  | EventOf<typeof ModeratorPermissionsChanged>
  | EventOf<typeof ModeratorRemoved>

type Membership = { readonly account: AccountId; readonly permissions: Permissions }

/** Moderators stand in the order of their seniority, `since` in milliseconds. */
export type Moderators = {
  readonly moderators: readonly (Membership & { readonly since: number })[]
  readonly invitations: readonly Membership[]
}

const none: Moderators = { moderators: [], invitations: [] }
const without = <M extends Membership>(list: readonly M[], account: AccountId) => list.filter((m) => m.account !== account)
const repermit = <M extends Membership>(list: readonly M[], account: AccountId, permissions: Permissions) =>
  list.map((m) => (m.account === account ? { ...m, permissions } : m))

const joined = (state: Moderators = none, account: AccountId, permissions: Permissions, since: number): Moderators => ({
  moderators: [...state.moderators, { account, permissions, since }],
  invitations: without(state.invitations, account),
})

export const Moderators: Aggregate<Moderators, ModeratorsEvent> = {
  category: 'moderators',
  on: {
    ModeratorAdded: (state, { account, permissions }, { at }) => joined(state, account, permissions, at),
    ModeratorInvited: (state = none, { account, permissions }) => ({
      ...state,
      invitations: [...state.invitations, { account, permissions }],
    }),
    ModeratorInvitationWithdrawn: (state = none, { account }) => ({ ...state, invitations: without(state.invitations, account) }),
    ModeratorInvitationAccepted: (state, { account, permissions }, { at }) => joined(state, account, permissions, at),
    ModeratorPermissionsChanged: (state = none, { account, invitation, after }) =>
      invitation
        ? { ...state, invitations: repermit(state.invitations, account, after) }
        : { ...state, moderators: repermit(state.moderators, account, after) },
    ModeratorRemoved: (state = none, { account }) => ({ ...state, moderators: without(state.moderators, account) }),
  },
}
