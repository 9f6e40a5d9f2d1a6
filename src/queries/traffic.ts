import { type TrafficDocument, traffic } from '../../projections/traffic.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { indexed, selectBy } from '../ports/indexed.ts'
import { found, type Source } from './walk.ts'

/** A subsite's days are as many as those since it was created. */
const DAYS_PER_READ = 1_000
const BY_DAY = indexed(traffic, ['subsite'], ['-day'], ['subscribed', 'unsubscribed', 'day'])

export const trafficOrder: readonly string[] = ['traffic', ...BY_DAY.order]

/** The days on which something happened in a subsite, the last one first. */
export const trafficOf = (documents: DocumentStore, subsite: SubsiteId): Source<TrafficDocument> => found(documents, BY_DAY, { subsite })

/** By how many the subscribers of a subsite became more after a day. */
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
