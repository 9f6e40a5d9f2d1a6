// Decision 51.

import { Comment } from '../src/domain/comment.ts'
import { type Aggregate, fold } from '../src/domain/decision.ts'
import type { AnyEvent, Envelope } from '../src/domain/event.ts'
import { Link } from '../src/domain/link.ts'
import { Moderators } from '../src/domain/moderators.ts'
import { Stickies } from '../src/domain/stickies.ts'
import { Subsite } from '../src/domain/subsite.ts'
import { SubsiteFlair } from '../src/domain/subsite-flair.ts'
import { WikiPage } from '../src/domain/wiki-page.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/**
 * The state of a stream for decisions, up to one of its events. It saves a first load from reading thousands of earlier events. The id is
 * the stream's name; sealed texts are left out. `text` is the revision of the event that wrote the text last.
 */
export type SnapshotDocument = Document & {
  readonly revision: number
  readonly event: string
  readonly text: number
  readonly state: unknown
}

/** If the fold of one of these aggregates changes, the version must change: old states differ from those of the new fold. */
export const snapshots = collection<SnapshotDocument>({ name: 'snapshots', version: 7, indexes: [] })

type Any = Aggregate<unknown, AnyEvent>

/** Aggregates whose streams grow by actions of other accounts. */
const aggregates = [Comment, Link, Moderators, Stickies, Subsite, SubsiteFlair, WikiPage] as readonly unknown[] as readonly Any[]

/** Returns a state as a store returns it: without undefined fields. */
const toStoredState = (state: unknown): unknown =>
  typeof state === 'object' && state !== null && !Array.isArray(state)
    ? Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined))
    : state

const advanceSnapshot = (aggregate: Any, before: SnapshotDocument | undefined, event: Envelope): SnapshotDocument | undefined => {
  const { stream, revision, id } = event
  if (revision !== (before?.revision ?? -1) + 1) return before
  const state = fold(aggregate, before?.state, [event])
  if (state === undefined) return before
  return {
    id: stream,
    revision,
    event: id,
    text: aggregate.text?.writtenBy.includes(event.type) ? revision : (before?.text ?? 0),
    state: toStoredState(aggregate.text ? aggregate.text.without(state) : state),
  }
}

const touchSnapshot =
  (aggregate: Any) =>
  (event: Envelope): readonly Touch<SnapshotDocument>[] => [
    { id: event.stream, change: (before) => advanceSnapshot(aggregate, before, event) },
  ]

export const snapshotsProjection: Projection<SnapshotDocument> = {
  collection: snapshots,
  on: Object.fromEntries(aggregates.flatMap((aggregate) => Object.keys(aggregate.on).map((type) => [type, touchSnapshot(aggregate)]))),
}
