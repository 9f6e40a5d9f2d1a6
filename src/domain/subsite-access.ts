import { isModerator, type ShownStanding, type Standing } from './standing.ts'
import type { SubsiteSettings } from './subsite-settings.ts'

// Rules of viewing, submitting and commenting by the type of a subsite.

type Type = SubsiteSettings['type']
type AnyStanding = Standing | ShownStanding

/** Tells whether gold opens this type of subsite. */
export const asksForGold = (type: Type): boolean => type === 'gold_only' || type === 'gold_restricted'

const isStaff = (standing: AnyStanding): boolean => standing.admin || standing.invited || isModerator(standing)

/**
 * Returns whether somebody views a subsite, for the types that not everybody may view. Being an approved submitter does not open the types
 * for staff and for gold.
 */
const viewers: Readonly<Partial<Record<Type, (standing: AnyStanding) => boolean>>> = {
  private: (standing) => isStaff(standing) || standing.contributor,
  employees_only: isStaff,
  gold_only: (standing) => isStaff(standing) || standing.gold,
}

/** Tells whether somebody may view a subsite of a type, both for decisions and for presentation. */
export const mayView = (type: Type, standing: AnyStanding): boolean => viewers[type]?.(standing) ?? true

/**
 * Tells whether somebody may post in any subsite that they may view, past its spam filters: moderators and contributors. Admins count as
 * contributors.
 */
const isTrusted = (standing: Standing): boolean => standing.admin || standing.contributor || isModerator(standing)

export const maySubmit = (type: Type, standing: Standing): boolean => {
  if (standing.banned || !mayView(type, standing)) return false
  if (type === 'public' || isTrusted(standing)) return true
  return asksForGold(type) && standing.gold
}

export const mayComment = (type: Type, standing: Standing): boolean =>
  maySubmit(type, standing) || (type === 'restricted' && !standing.banned)

/** Tells whether a new thing is removed at once. The filter `all` lets only moderators and contributors through. */
export const isFiltered = (level: SubsiteSettings['spam_links'], standing: Standing): boolean => level === 'all' && !isTrusted(standing)
