import type { Logged } from '../src/domain/events.ts'
import type { Document } from '../src/ports/documents.ts'
import type { Position } from '../src/ports/event-store.ts'
import { collection, type Projection, put, type Touch } from './engine/projection.ts'

/** What accounts do to links and comments on streams of their own, as far as others read of it. */
type ThingEventKind = 'report' | 'gilding'

/** Where such an event is in the log; its id is that of the event. */
export type ThingEventDocument = Document & {
  readonly thing: string
  /** By which it is selected who reads of it. */
  readonly kind: ThingEventKind
  readonly position: Position
  readonly stream: string
  readonly revision: number
}

export const thingEvents = collection<ThingEventDocument>({
  name: 'thing_events',
  version: 1,
  positions: ['position'],
  indexes: [{ fields: ['thing', 'kind', 'position', 'id'] }],
})

type ThingEvent = Logged<'ThingReported' | 'ThingGilded'>

const placed =
  (kind: ThingEventKind) =>
  ({ id, data: { thing }, position, stream, revision }: ThingEvent): readonly Touch<ThingEventDocument>[] => [
    put<ThingEventDocument>({ id, thing, kind, position, stream, revision }),
  ]

export const thingEventsProjection: Projection<ThingEventDocument> = {
  collection: thingEvents,
  inLogOrder: true,
  on: {
    ThingReported: placed('report'),
    ThingGilded: placed('gilding'),
  },
}
