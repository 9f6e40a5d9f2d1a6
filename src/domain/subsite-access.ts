import { isModerator, type ShownStanding, type Standing } from './standing.ts'
import type { SubsiteSettings } from './subsite-settings.ts'

// What the type of a subsite opens, and to whom: viewing, submitting and commenting.

type Type = SubsiteSettings['type']
type AnyStanding = Standing | ShownStanding

/** Whether gold opens this type of subsite. */
export const asksForGold = (type: Type): boolean => type === 'gold_only' || type === 'gold_restricted'

const isStaff = (standing: AnyStanding): boolean => standing.admin || standing.invited || isModerator(standing)

/** Who views subsites of the types that not everybody may view. Being an approved submitter does not open those for staff or for gold. */
const viewers: Readonly<Partial<Record<Type, (standing: AnyStanding) => boolean>>> = {
  private: (standing) => isStaff(standing) || standing.contributor,
  employees_only: isStaff,
  gold_only: (standing) => isStaff(standing) || standing.gold,
}

/** Used both for decisions and for presentation. */
export const mayView = (type: Type, standing: AnyStanding): boolean => viewers[type]?.(standing) ?? true

/** Moderators and contributors, who may post in any subsite that they may view, past its spam filters; admins count as contributors. */
const isTrusted = (standing: Standing): boolean => standing.admin || standing.contributor || isModerator(standing)

export const maySubmit = (type: Type, standing: Standing): boolean => {
  if (standing.banned || !mayView(type, standing)) return false
  if (type === 'public' || isTrusted(standing)) return true
  return asksForGold(type) && standing.gold
}

export const mayComment = (type: Type, standing: Standing): boolean =>
  maySubmit(type, standing) || (type === 'restricted' && !standing.banned)

/** Whether a new thing is removed at once: the filter `all` lets only moderators and contributors through. */
export const isFiltered = (level: SubsiteSettings['spam_links'], standing: Standing): boolean => level === 'all' && !isTrusted(standing)
