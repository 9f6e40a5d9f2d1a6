// Decision 120.

import { dateOf } from '../src/domain/time.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

type Counts = {
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
export type TrafficDocument = Document &
  Counts & {
    readonly subsite: string
    /** The day in UTC, such as `2026-03-01`. */
    readonly day: string
  }

export const traffic = collection<TrafficDocument>({
  name: 'traffic',
  version: 1,
  unique: { day: ['subsite'] },
  indexes: [{ fields: ['subsite', '-day'], covers: ['subscribed', 'unsubscribed'] }],
})

const noCounts: Counts = { posts: 0, comments: 0, votes: 0, removals: 0, subscribed: 0, unsubscribed: 0 }

type InSubsite = { readonly data: { readonly subsite: string }; readonly at: number }

const countOn =
  (what: keyof Counts) =>
  ({ data: { subsite }, at }: InSubsite): readonly Touch<TrafficDocument>[] => {
    const day = dateOf(at)
    const id = `${subsite}.${day}`
    return [{ id, change: (before = { id, subsite, day, ...noCounts }) => ({ ...before, [what]: before[what] + 1 }) }]
  }

export const trafficProjection: Projection<TrafficDocument> = {
  collection: traffic,
  on: {
    LinkSubmitted: countOn('posts'),
    CommentPosted: countOn('comments'),
    VoteCast: countOn('votes'),
    LinkRemoved: countOn('removals'),
    CommentRemoved: countOn('removals'),
    Subscribed: countOn('subscribed'),
    Unsubscribed: countOn('unsubscribed'),
  },
}
