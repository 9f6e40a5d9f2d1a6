// Decision 23.

import type { LinkDocument } from '../../../projections/links.ts'
import type { VoteDocument } from '../../../projections/votes.ts'
import type { Preferences } from '../../domain/preferences.ts'
import type { ListedLinks } from '../../queries/links.ts'
import type { Reading } from '../../queries/reading.ts'

/** Further filters of a link listing. Every listing leaves out links that the viewer may not see. */
export type LinkFilters = {
  readonly listed: ListedLinks
  readonly since: number | undefined
  /** True to leave out the subsites whose settings keep them out of listings of all subsites. */
  readonly general: boolean
  /** True to list also links that the viewer hid or prefers not to see. */
  readonly showAll: boolean
  readonly withoutOver18: boolean
  readonly withoutMuted: boolean
  readonly preferences: Preferences
  /** Stickied links in a listing of their subsite, shown whatever the viewer prefers. */
  readonly stickied: ReadonlySet<string>
}

/** Tells whether the viewer prefers not to see a link of another author: the viewer voted on it, or its score is too low. */
const isUnwanted = (link: LinkDocument, vote: VoteDocument | undefined, { preferences, stickied }: LinkFilters): boolean =>
  !stickied.has(link.id) &&
  ((preferences.hide_ups && vote?.insightful === true) ||
    (preferences.hide_downs && vote?.funny === true) ||
    Math.max(0, link.score) < preferences.min_link_score)

/** Returns a selection of the links that a listing shows to the viewer. It keeps their order. */
export const selectShownLinks = (read: Reading, filters: LinkFilters) => {
  const { listed, since, general, showAll, withoutOver18, withoutMuted, preferences } = filters
  const { account } = read.viewer
  const asksVotes = !showAll && (preferences.hide_ups || preferences.hide_downs)
  const except = new Set(listed.kind === 'all' ? listed.except : [])
  /**
   * Loads the viewer's shelves and votes for some links, the authors among theirs that the viewer blocks, and the subsites that are muted.
   */
  const choicesAmong = (links: readonly LinkDocument[]) => {
    const ids = links.map(({ id }) => id)
    return Promise.all([
      showAll ? undefined : read.shelvesOf(ids),
      asksVotes ? read.ownVotesOn(ids) : undefined,
      read.blockedAuthors(links.map(({ author }) => author)),
      read.mutedSubsites(withoutMuted ? links.map(({ subsite }) => subsite) : []),
    ])
  }
  return async (links: readonly LinkDocument[]): Promise<readonly LinkDocument[]> => {
    await read.loadSubsites(links.map(({ subsite }) => subsite))
    const choices = account === undefined ? undefined : await choicesAmong(links)
    return links.filter((link) => {
      const subsite = read.subsite(link.subsite)
      if (!subsite || !read.mayView(link.subsite) || link.deleted || except.has(link.subsite)) return false
      if (link.removed && !(link.removed.auto && link.author === read.viewer.account)) return false
      if (since !== undefined && link.created < since) return false
      if (general && !subsite.allowTop) return false
      if (withoutOver18 && (link.over18 || subsite.over18)) return false
      if (choices === undefined) return true
      const [shelves, voted, blocked, muted] = choices
      if (muted.has(link.subsite) || (blocked.has(link.author) && !read.isModerator(link.subsite))) return false
      if (showAll) return true
      if (shelves?.get(link.id)?.hidden) return false
      return link.author === account || !isUnwanted(link, voted?.get(link.id), filters)
    })
  }
}
