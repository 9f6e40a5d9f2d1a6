import { Comment } from '../src/domain/comment.ts'
import { type Aggregate, fold } from '../src/domain/decision.ts'
import type { AnyEvent, Envelope } from '../src/domain/event.ts'
import { Link } from '../src/domain/link.ts'
import { Moderators } from '../src/domain/moderators.ts'
import { Stickies } from '../src/domain/stickies.ts'
import { Subsite } from '../src/domain/subsite.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/**
 * What decisions remember of a stream up to one of its events, so that a cold fold does not read thousands of earlier ones.
 * The id is the stream's name; it holds no text that somebody wrote under a key. `text`: revision of the event that wrote the text last.
 */
export type SnapshotDocument = Document & {
  readonly revision: number
  readonly event: string
  readonly text: number
  readonly state: unknown
}

/** Another fold of any of these aggregates is another version: what the old one made is not what the new one would. */
export const snapshots = collection<SnapshotDocument>({ name: 'snapshots', version: 4, indexes: [{ fields: ['id'] }] })

type Any = Aggregate<unknown, AnyEvent>

/** Those whose streams grow by what others than their reader do. */
const aggregates = [Comment, Link, Moderators, Stickies, Subsite] as readonly unknown[] as readonly Any[]

/** As a store gives it back: what is undefined is absent. */
const stored = (state: unknown): unknown =>
  typeof state === 'object' && state !== null && !Array.isArray(state)
    ? Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined))
    : state

const advanced = (aggregate: Any, before: SnapshotDocument | undefined, event: Envelope): SnapshotDocument | undefined => {
  const { stream, revision, id } = event
  if (revision !== (before?.revision ?? -1) + 1) return before
  const state = fold(aggregate, before?.state, [event])
  if (state === undefined) return before
  return {
    id: stream,
    revision,
    event: id,
    text: aggregate.text?.writtenBy.includes(event.type) ? revision : (before?.text ?? 0),
    state: stored(aggregate.text ? aggregate.text.without(state) : state),
  }
}

const touching =
  (aggregate: Any) =>
  (event: Envelope): readonly Touch<SnapshotDocument>[] => [{ id: event.stream, change: (before) => advanced(aggregate, before, event) }]

export const snapshotsProjection: Projection<SnapshotDocument> = {
  collection: snapshots,
  on: Object.fromEntries(aggregates.flatMap((aggregate) => Object.keys(aggregate.on).map((type) => [type, touching(aggregate)]))),
}
