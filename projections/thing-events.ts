// Decision 127.

import type { Logged } from '../src/domain/events.ts'
import type { Document } from '../src/ports/documents.ts'
import type { Position } from '../src/ports/event-store.ts'
import { collection, type Projection, putDocument, type Touch } from './engine/projection.ts'

/** Acts on links and comments that are recorded on streams of their own and that others may read about. */
type ThingEventKind = 'report' | 'gilding'

/** The place of such an event in the log; its id is that of the event. */
export type ThingEventDocument = Document & {
  readonly thing: string
  /** Selects the readers of the event. */
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

const putEvent =
  (kind: ThingEventKind) =>
  ({ id, data: { thing }, position, stream, revision }: ThingEvent): readonly Touch<ThingEventDocument>[] => [
    putDocument<ThingEventDocument>({ id, thing, kind, position, stream, revision }),
  ]

export const thingEventsProjection: Projection<ThingEventDocument> = {
  collection: thingEvents,
  inLogOrder: true,
  on: {
    ThingReported: putEvent('report'),
    ThingGilded: putEvent('gilding'),
  },
}
