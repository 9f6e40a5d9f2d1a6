// Decision 120.

import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import type { DayCounts } from '../../../../projections/traffic.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { subscribersGainedAfter, trafficOf, trafficOrder } from '../../../queries/traffic.ts'
import { type Context, type Need, section } from '../../contract/endpoint.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../../contract/schemas/things.ts'
import { notSuspended, subsiteHere } from '../../needs/facts.ts'
import { capacityIn } from '../../things/access.ts'
import { list } from '../../things/listing.ts'

type Day = DayCounts & { readonly subscribers: number }

const fields: shape.RecordTable<Day> = {
  day: [shape.text('2026-03-01', 'In UTC.'), ({ day }) => day],
  posts: [shape.integer(4, 'Links and self-posts.'), ({ posts }) => posts],
  comments: [shape.integer(31), ({ comments }) => comments],
  votes: [shape.integer(120, 'Changes of votes, those taken back included.'), ({ votes }) => votes],
  removals: [shape.integer(2, 'Removals of links and comments in the moderation log.'), ({ removals }) => removals],
  subscribed: [shape.integer(5), ({ subscribed }) => subscribed],
  unsubscribed: [shape.integer(1), ({ unsubscribed }) => unsubscribed],
  subscribers: [shape.integer(12, 'At the end of the day.'), ({ subscribers }) => subscribers],
}

/** Checks the setting `public_traffic`, from the log: if it is off, moderators alone read the counts. */
const openTraffic: Need<true, unknown, Viewer, { readonly subsite: SubsiteDocument }> = async (context, name) => {
  const { subsite, load } = context
  if ((await load(Subsite, subsite.id))?.settings.public_traffic) return E.right(true)
  return (await capacityIn(context, subsite.id, 'any')) === undefined ? refuseRule('FORBIDDEN') : notSuspended(context, name)
}

/** Presents days as records. They follow one another, the last one first. */
const records = async ({ documents }: Context, subsite: SubsiteDocument, days: readonly DayCounts[]) => {
  const [newest] = days
  if (newest === undefined) return []
  let subscribers = subsite.subscribers - (await subscribersGainedAfter(documents, subsite.id, newest.day))
  return days.map((day) => {
    const data = shape.valuesOf(fields, { ...day, subscribers })
    subscribers -= day.subscribed - day.unsubscribed
    return { kind: 'traffic', data }
  })
}

export const subsiteTraffic = section('Subsites').get('/s/{sub}/about/traffic', {
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  listing: { max: 400 },
  answers: { 200: listingShape(thingShape('traffic', shape.tableShape('Traffic', fields))) },
  summary: 'What happened in a subsite, by the day, the last day first.',
  notes:
    'For everybody who may view the subsite, or for its moderators alone if it has `public_traffic` off. Days are those of UTC; a day on which nothing happened is left out. Counts stand: what was deleted, removed or erased since stays counted. A day is the anchor of a page: `after=2026-03-01`.',
  cache: 'public',
  needs: { subsite: subsiteHere(), open: openTraffic },
  handle: (context) => {
    const { subsite, documents } = context
    return list({
      source: trafficOf(documents, subsite.id),
      order: trafficOrder,
      nameOf: ({ day }) => day,
      anchor: async (name) => (/^\d{4}-\d\d-\d\d$/.test(name) ? { key: [name], viewable: true } : undefined),
      present: (days) => records(context, subsite, days),
    })
  },
})
