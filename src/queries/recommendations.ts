// Decision 83.

import { recentSubscriptions } from '../../projections/recent-subscriptions.ts'
import { subscriptions } from '../../projections/subscriptions.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { findBy, listingIndex } from '../ports/indexed.ts'

const SUBSCRIBERS = listingIndex(subscriptions, ['subsite'], ['-since', '-id'])

/** The number of subscribers read per request, the newest of each subsite. */
const SAMPLED_SUBSCRIBERS = 400
/** The number of accounts that must share a subscription, so that no single account's subscriptions are revealed. */
const MIN_SHARED_SUBSCRIBERS = 2
/** The number of subsites in the list of one subsite. */
const MAX_LISTED_SUBSITES = 50

/** Returns the other subscriptions of a subsite's newest subscribers, the most shared first. */
const alikeTo = async (documents: DocumentStore, subsite: SubsiteId, sample: number): Promise<readonly SubsiteId[]> => {
  const subscribers = (await findBy(documents, SUBSCRIBERS, { subsite }, { limit: sample })).map(({ account }) => account)
  const counts = new Map<SubsiteId, number>()
  for (const { subsites } of (await documents.getMany(recentSubscriptions, subscribers)).values())
    for (const other of subsites) counts.set(other, (counts.get(other) ?? 0) + 1)
  return [...counts]
    .filter(([other, count]) => other !== subsite && count >= MIN_SHARED_SUBSCRIBERS)
    .sort(([a, count], [b, more]) => more - count || (a < b ? -1 : 1))
    .slice(0, MAX_LISTED_SUBSITES)
    .map(([other]) => other)
}

/**
 * Returns similar subsites: those on the most lists first, then by their best rank. A subsite on few of many lists is left out: that may be
 * chance.
 */
export const recommendSubsites = async (documents: DocumentStore, subsites: readonly SubsiteId[]): Promise<readonly SubsiteId[]> => {
  const sample = Math.max(1, Math.floor(SAMPLED_SUBSCRIBERS / Math.max(1, subsites.length)))
  const lists = await Promise.all(subsites.map((subsite) => alikeTo(documents, subsite, sample)))
  const found = new Map<SubsiteId, { readonly lists: number; readonly best: number }>()
  for (const list of lists)
    for (const [rank, other] of list.entries()) {
      const { lists: before = 0, best = rank } = found.get(other) ?? {}
      found.set(other, { lists: before + 1, best: Math.min(best, rank) })
    }
  return [...found]
    .filter(([other, { lists: on }]) => on > Math.floor(subsites.length / 10) && !subsites.includes(other))
    .sort(([, a], [, b]) => b.lists - a.lists || a.best - b.best)
    .map(([other]) => other)
}
