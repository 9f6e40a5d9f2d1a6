import { type SiteLogDocument, siteLog } from '../../projections/site-log.ts'
import { type SiteAction, siteActionNames } from '../domain/site-acts.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import type { Freshness } from '../ports/freshness.ts'
import { countBy, findBy, inLogOrder, listingIndex } from '../ports/indexed.ts'
import { keyBy, type OrderedSource } from './ordered-source.ts'

type Read = { readonly documents: DocumentStore; readonly freshness: Pick<Freshness, 'settled'> }

/** The order of the log: no later event moves an entry. */
const ORDER = ['-position', '-id'] as const
const ALL = inLogOrder(siteLog, [], ORDER)
const OF_ACTION = listingIndex(siteLog, ['action'], ['id'])

export const siteLogOrder: readonly string[] = ['site log', ...ORDER]

/** Lists the log of the site, newest first. */
export const siteLogOf = ({ documents, freshness }: Read): OrderedSource<SiteLogDocument> => ({
  keyOf: keyBy<SiteLogDocument>(ORDER),
  find: (page) => findBy(documents, ALL(freshness), {}, page),
})

export const siteLogAnchor = async (documents: DocumentStore, id: string) => {
  const entry = await getOne(documents, siteLog, id)
  return entry && keyBy<SiteLogDocument>(ORDER)(entry)
}

/** A bound that is never reached: admins do not act so often that counting takes long. */
const MAX_COUNTED = 1_000_000

/** Returns the number of entries of each action. */
export const siteLogCounts = async (documents: DocumentStore): Promise<Readonly<Record<SiteAction, number>>> => {
  const counts = await Promise.all(siteActionNames.map((action) => countBy(documents, OF_ACTION, { action }, MAX_COUNTED)))
  return Object.fromEntries(siteActionNames.map((action, at) => [action, counts[at] ?? 0])) as Record<SiteAction, number>
}
