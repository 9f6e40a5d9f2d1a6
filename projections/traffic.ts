// Decisions 120 and 132.

import { dateOf } from '../src/domain/time.ts'
import type { Document } from '../src/ports/documents.ts'
import { partId, partitionOf } from './engine/partitions.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

export type Counts = {
  readonly posts: number
  readonly comments: number
  /** Changes of marks, including withdrawals; not the mark that a thing begins with. */
  readonly votes: number
  /** Acts of moderators that remove a link or a comment. */
  readonly removals: number
  readonly subscribed: number
  readonly unsubscribed: number
}

/** The activity in a subsite on one day. It still counts things that were deleted, removed or erased later. */
export type DayCounts = Counts & {
  readonly subsite: string
  /** The day in UTC, such as `2026-03-01`. */
  readonly day: string
}

/** The part of a day's counts that is of one partition: the votes on its things, and in the first all that is no vote. */
export type TrafficDocument = Document & DayCounts

export const traffic = collection<TrafficDocument>({
  name: 'traffic',
  version: 2,
  indexes: [{ fields: ['subsite', '-day', '-id'], covers: ['subscribed', 'unsubscribed'] }],
})

/** Returns the id of which each part has a number of its own. */
export const dayId = (subsite: string, day: string): string => `${subsite}.${day}`

export const noCounts: Counts = { posts: 0, comments: 0, votes: 0, removals: 0, subscribed: 0, unsubscribed: 0 }

type InSubsite = { readonly data: { readonly subsite: string }; readonly at: number }

const countIn = (partition: number, counter: keyof Counts, { data: { subsite }, at }: InSubsite): readonly Touch<TrafficDocument>[] => {
  const day = dateOf(at)
  const id = partId(dayId(subsite, day), partition)
  return [{ id, change: (before = { id, subsite, day, ...noCounts }) => ({ ...before, [counter]: before[counter] + 1 }) }]
}

const countOn =
  (counter: keyof Counts) =>
  (event: InSubsite): readonly Touch<TrafficDocument>[] =>
    countIn(0, counter, event)

export const trafficProjection: Projection<TrafficDocument> = {
  collection: traffic,
  on: {
    LinkSubmitted: countOn('posts'),
    CommentPosted: countOn('comments'),
    VoteCast: (event) => countIn(partitionOf(event.data.thing), 'votes', event),
    LinkRemoved: countOn('removals'),
    CommentRemoved: countOn('removals'),
    Subscribed: countOn('subscribed'),
    Unsubscribed: countOn('unsubscribed'),
  },
}
