import { type TrafficDocument, traffic } from '../../projections/traffic.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { listingIndex, selectBy } from '../ports/indexed.ts'
import { listBy, type OrderedSource } from './walk.ts'

/** A subsite has at most one document for each day since it was created. */
const DAYS_PER_READ = 1_000
const BY_DAY = listingIndex(traffic, ['subsite'], ['-day'], ['subscribed', 'unsubscribed', 'day'])

export const trafficOrder: readonly string[] = ['traffic', ...BY_DAY.order]

/** Lists the days with activity in a subsite, the last one first. */
export const trafficOf = (documents: DocumentStore, subsite: SubsiteId): OrderedSource<TrafficDocument> =>
  listBy(documents, BY_DAY, { subsite })

/** Returns the number of subscribers that a subsite gained after a day. */
export const subscribersGainedAfter = async (documents: DocumentStore, subsite: SubsiteId, day: string): Promise<number> => {
  let gained = 0
  for (let before: readonly [string] | undefined; ; ) {
    const days = await selectBy(
      documents,
      BY_DAY,
      { subsite, day: { gt: day } },
      { limit: DAYS_PER_READ, ...(before && { after: before }) },
    )
    for (const { subscribed, unsubscribed } of days) gained += subscribed - unsubscribed
    const last = days.at(-1)
    if (last === undefined || days.length < DAYS_PER_READ) return gained
    before = [last.day]
  }
}
