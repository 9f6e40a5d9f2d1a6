import { PARTITION_COUNT } from '../../projections/engine/partitions.ts'
import { type Counts, type DayCounts, dayId, noCounts, type TrafficDocument, traffic } from '../../projections/traffic.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { Anchor, DocumentStore, PageBounds } from '../ports/documents.ts'
import { findBy, listingIndex, selectBy } from '../ports/indexed.ts'
import { keyBy, type OrderedSource } from './ordered-source.ts'

const PARTS_PER_READ = 1_000
const BY_DAY = listingIndex(traffic, ['subsite'], ['-day', '-id'], ['subscribed', 'unsubscribed', 'day', 'id'])
/** Follows all parts of a day where it stands after the id that they share. */
const AFTER_PARTS = '$'
const DAY_ORDER = ['-day']

export const trafficOrder: readonly string[] = ['traffic', ...DAY_ORDER]

const counted = Object.keys(noCounts) as readonly (keyof Counts)[]

const addPart = (day: Counts, part: TrafficDocument): DayCounts => ({
  ...(Object.fromEntries(counted.map((name) => [name, day[name] + part[name]])) as Counts),
  subsite: part.subsite,
  day: part.day,
})

/** Returns the bounds in the order of parts that leave out all parts of an anchor's day. */
const partBounds = (subsite: SubsiteId, { limit, after, before }: PageBounds): PageBounds => {
  const toPartAnchor = ([day]: Anchor, end: string): Anchor => [String(day), `${dayId(subsite, String(day))}${end}`]
  return {
    limit: limit * PARTITION_COUNT,
    ...(after && { after: toPartAnchor(after, '') }),
    ...(before && { before: toPartAnchor(before, AFTER_PARTS) }),
  }
}

/** Lists the days with activity in a subsite, the last one first. */
export const trafficOf = (documents: DocumentStore, subsite: SubsiteId): OrderedSource<DayCounts> => ({
  keyOf: keyBy<DayCounts>(DAY_ORDER),
  find: async (page) => {
    const days = new Map<string, DayCounts>()
    for (const part of await findBy(documents, BY_DAY, { subsite }, partBounds(subsite, page)))
      days.set(part.day, addPart(days.get(part.day) ?? noCounts, part))
    // only the parts of a day beyond the page can be incomplete
    return page.before ? [...days.values()].slice(-page.limit) : [...days.values()].slice(0, page.limit)
  },
})

/** Returns the number of subscribers that a subsite gained after a day. */
export const subscribersGainedAfter = async (documents: DocumentStore, subsite: SubsiteId, day: string): Promise<number> => {
  let gained = 0
  for (let after: readonly [string, string] | undefined; ; ) {
    const parts = await selectBy(documents, BY_DAY, { subsite, day: { gt: day } }, { limit: PARTS_PER_READ, ...(after && { after }) })
    for (const { subscribed, unsubscribed } of parts) gained += subscribed - unsubscribed
    const last = parts.at(-1)
    if (last === undefined || parts.length < PARTS_PER_READ) return gained
    after = [last.day, last.id]
  }
}
