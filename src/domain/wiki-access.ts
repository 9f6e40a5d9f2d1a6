import type { AccountId } from './ids.ts'
import { may, type Standing } from './standing.ts'
import { maySubmit } from './subsite-access.ts'
import type { SubsiteSettings } from './subsite-settings.ts'
import type { WikiPage } from './wiki-page.ts'
import { AUTOMODERATOR_PAGE, isMadeFromSettings, isRestricted, isSpecial } from './wiki-page-name.ts'

/** The fields of a page that decide about access to it. */
export type GuardedPage = Pick<WikiPage, 'page' | 'permlevel' | 'editors'>

/**
 * The facts about the asking account, and the wiki settings of the subsite. `karma` is the higher of both kinds, `days` the age of the
 * account.
 */
export type WikiFacts = {
  readonly account: AccountId | undefined
  readonly standing: Standing
  readonly settings: Pick<SubsiteSettings, 'type' | 'wikimode' | 'wiki_edit_karma' | 'wiki_edit_age'>
  readonly earned: { readonly karma: number; readonly days: number }
}

export const moderatesWiki = (standing: Standing): boolean => may(standing, 'wiki')

/** Tells whether a wiki is open. A disabled wiki is there for its moderators alone. */
export const isWikiOpen = (settings: Pick<SubsiteSettings, 'wikimode'>, standing: Standing): boolean =>
  settings.wikimode !== 'disabled' || moderatesWiki(standing)

type PageLevel = Pick<GuardedPage, 'page' | 'permlevel'>

/** Tells whether a page is for moderators only. Special pages have no levels. */
export const isForModerators = ({ page, permlevel }: PageLevel): boolean =>
  page === AUTOMODERATOR_PAGE || (permlevel === 2 && !isSpecial(page))

export const mayViewPage = (page: PageLevel, standing: Standing): boolean => moderatesWiki(standing) || !isForModerators(page)

/**
 * Tells whether somebody may change settings, editors and hidden revisions of a page: moderators of the wiki, and of special pages those
 * who also have `config`.
 */
export const mayModeratePage = (page: string, standing: Standing): boolean =>
  moderatesWiki(standing) && (!isSpecial(page) || may(standing, 'config'))

const byWikimode = ({ standing, settings, earned }: WikiFacts): boolean => {
  if (standing.wikiContributor) return true
  if (settings.wikimode !== 'anyone' || !maySubmit(settings.type, standing)) return false
  return earned.karma >= settings.wiki_edit_karma && earned.days >= settings.wiki_edit_age
}

const isShutOut = ({ wikiBanned, banned }: Standing) => wikiBanned || banned

/** Tells whether somebody may edit an existing page. The first of these rules that applies decides. */
export const mayRevise = (page: GuardedPage, facts: WikiFacts): boolean => {
  const { account, standing } = facts
  if (account === undefined) return false
  if (standing.admin) return true
  const special = isSpecial(page.page)
  if (!special && moderatesWiki(standing)) return true
  if ((!special && isRestricted(page.page)) || isShutOut(standing) || !mayViewPage(page, standing)) return false
  if (!isMadeFromSettings(page.page) && page.editors.includes(account)) return true
  if (special) return may(standing, 'config')
  return page.permlevel === 0 && byWikimode(facts)
}

/** Tells whether somebody may create a page. */
export const mayCreate = (page: string, facts: WikiFacts): boolean => {
  const { account, standing } = facts
  if (account === undefined) return false
  if (standing.admin) return true
  if (page === AUTOMODERATOR_PAGE) return may(standing, 'config') && moderatesWiki(standing) && !isShutOut(standing)
  if (isRestricted(page)) return false
  return moderatesWiki(standing) || (!isShutOut(standing) && byWikimode(facts))
}
