import type { AccountId } from './ids.ts'
import { invitationOf, type Moderators, permissionsOf } from './moderators.ts'
import { holds, type Permission } from './permissions.ts'
import { isBanned, type Relation } from './relation.ts'
import type { SubsiteSettings } from './subsite-settings.ts'

/** The relations of an account to one subsite: the facts that permissions there depend on. */
export type Standing = {
  readonly admin: boolean
  readonly gold: boolean
  /** Undefined: no moderator. */
  readonly permissions: string | undefined
  readonly invited: boolean
  readonly contributor: boolean
  readonly banned: boolean
}

type Type = SubsiteSettings['type']

/** A viewer who is not logged in. */
export const stranger: Standing = {
  admin: false,
  gold: false,
  permissions: undefined,
  invited: false,
  contributor: false,
  banned: false,
}

type Facts = {
  readonly moderators: Moderators | undefined
  readonly relation: Relation | undefined
  readonly admin: boolean
  readonly at: number
}

export const standingOf = (account: AccountId, { moderators, relation, admin, at }: Facts): Standing => ({
  admin,
  gold: false,
  permissions: permissionsOf(moderators, account),
  invited: invitationOf(moderators, account) !== undefined,
  contributor: relation?.contributor ?? false,
  banned: isBanned(relation, at),
})

export const isModerator = ({ permissions }: Standing): boolean => permissions !== undefined

/** As a moderator with this permission, or as an admin, who has them all. */
export const may = (standing: Standing, permission: Permission): boolean => standing.admin || holds(standing.permissions, permission)

/** Moderators and contributors, whom no type of subsite and no spam filter keeps out; admins count as contributors. */
const isTrusted = (standing: Standing) => standing.admin || standing.contributor || isModerator(standing)

export const mayView = (type: Type, standing: Standing): boolean => {
  if (type === 'private' || type === 'employees_only') return isTrusted(standing) || standing.invited
  if (type === 'gold_only') return isTrusted(standing) || standing.invited || standing.gold
  return true
}

export const maySubmit = (type: Type, standing: Standing): boolean => {
  if (standing.banned) return false
  if (type === 'public' || isTrusted(standing)) return true
  return (type === 'gold_only' || type === 'gold_restricted') && standing.gold
}

export const mayComment = (type: Type, standing: Standing): boolean => {
  if (standing.banned) return false
  if (type === 'public' || type === 'restricted' || isTrusted(standing)) return true
  return (type === 'gold_only' || type === 'gold_restricted') && standing.gold
}

/** Whether a new thing is born removed: the filter `all` lets only moderators and contributors through. */
export const isFiltered = (level: SubsiteSettings['spam_links'], standing: Standing): boolean => level === 'all' && !isTrusted(standing)
