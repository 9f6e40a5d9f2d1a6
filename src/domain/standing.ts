import type { AccountId } from './ids.ts'
import { holds, invitationOf, type Moderators, type Permission, permissionsOf } from './moderators.ts'
import { isBanned, isMuted, isWikiBanned, isWikiContributor, type Relation } from './relation.ts'

/** The relationships of an account with one subsite, which its permissions depend on. */
type Relations = {
  readonly admin: boolean
  readonly gold: boolean
  /** Undefined if the account is no moderator. */
  readonly permissions: string | undefined
  readonly invited: boolean
  readonly contributor: boolean
  readonly banned: boolean
  /** True if the account may not write to the moderators. */
  readonly muted: boolean
  /** True if the account may not edit the wiki. */
  readonly wikiBanned: boolean
  readonly wikiContributor: boolean
}

declare const basis: unique symbol

/** A standing from the log, for decisions. Only `standingOf` makes one. */
export type Standing = Relations & { readonly [basis]: { readonly log: true } }

/** A standing from documents, which may be late, for presentation. No decision takes it. */
export type ShownStanding = Relations & { readonly [basis]: { readonly documents: true } }

const none: Relations = {
  admin: false,
  gold: false,
  permissions: undefined,
  invited: false,
  contributor: false,
  banned: false,
  muted: false,
  wikiBanned: false,
  wikiContributor: false,
}

/** A viewer who is not logged in, both for decisions and for presentation. */
export const stranger = none as Standing & ShownStanding

export const shownStanding = (shown: Partial<Relations>): ShownStanding => ({ ...none, ...shown }) as ShownStanding

type Facts = {
  readonly moderators: Moderators | undefined
  readonly relation: Relation | undefined
  readonly admin: boolean
  /** Present only if the type of the subsite requires it. */
  readonly gold?: boolean
  readonly at: number
}

export const standingOf = (account: AccountId, { moderators, relation, admin, gold = false, at }: Facts): Standing => {
  const relations: Relations = {
    admin,
    gold,
    permissions: permissionsOf(moderators, account),
    invited: invitationOf(moderators, account) !== undefined,
    contributor: relation?.contributor ?? false,
    banned: isBanned(relation, at),
    muted: isMuted(relation, at),
    wikiBanned: isWikiBanned(relation, at),
    wikiContributor: isWikiContributor(relation),
  }
  return relations as Standing
}

export const isModerator = ({ permissions }: Relations): boolean => permissions !== undefined

/** Tells whether somebody has a permission: as a moderator, or as an admin, who has all of them. */
export const may = (standing: Standing, permission: Permission): boolean => standing.admin || holds(standing.permissions, permission)

/** Returns the capacity in which somebody has a permission; undefined if they lack it. An admin who moderates acts as a moderator. */
export const capacityBy = (standing: Standing, permission: Permission): 'moderator' | 'admin' | undefined => {
  if (holds(standing.permissions, permission)) return 'moderator'
  return standing.admin ? 'admin' : undefined
}
