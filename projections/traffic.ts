import { dateOf } from '../src/domain/time.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

type Counts = {
  readonly posts: number
  readonly comments: number
  /** Changes of marks, taking them back included; not the mark that a thing begins with. */
  readonly votes: number
  /** Acts of moderators that remove a link or a comment. */
  readonly removals: number
  readonly subscribed: number
  readonly unsubscribed: number
}

/** What happened in a subsite on one day. What is deleted, removed or erased later stays counted. */
export type TrafficDocument = Document &
  Counts & {
    readonly subsite: string
    /** In UTC, such as `2026-03-01`. */
    readonly day: string
  }

export const traffic = collection<TrafficDocument>({
  name: 'traffic',
  version: 1,
  unique: { day: ['subsite'] },
  indexes: [{ fields: ['subsite', '-day'], covers: ['subscribed', 'unsubscribed'] }],
})

const nothing: Counts = { posts: 0, comments: 0, votes: 0, removals: 0, subscribed: 0, unsubscribed: 0 }

type InSubsite = { readonly data: { readonly subsite: string }; readonly at: number }

const counting =
  (what: keyof Counts) =>
  ({ data: { subsite }, at }: InSubsite): readonly Touch<TrafficDocument>[] => {
    const day = dateOf(at)
    const id = `${subsite}.${day}`
    return [{ id, change: (before = { id, subsite, day, ...nothing }) => ({ ...before, [what]: before[what] + 1 }) }]
  }

export const trafficProjection: Projection<TrafficDocument> = {
  collection: traffic,
  on: {
    LinkSubmitted: counting('posts'),
    CommentPosted: counting('comments'),
    VoteCast: counting('votes'),
    LinkRemoved: counting('removals'),
    CommentRemoved: counting('removals'),
    Subscribed: counting('subscribed'),
    Unsubscribed: counting('unsubscribed'),
  },
}
