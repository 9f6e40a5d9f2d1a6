import { type ThingEventDocument, thingEvents } from '../../projections/thing-events.ts'
import type { ThingId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import { findBy, inLogOrder } from '../ports/indexed.ts'

export type ThingEventKind = ThingEventDocument['kind']

const OF_KIND = inLogOrder(thingEvents, ['thing', 'kind'], ['position', 'id'])({})

/**
 * Returns acts of some kinds on a thing that are recorded on other streams: right after a position of the log or right before it, in the
 * order of the log. It does not look at other kinds, so that they cost nothing.
 */
export const thingEventsBeside = async (
  documents: DocumentStore,
  { thing, kinds }: { readonly thing: ThingId; readonly kinds: readonly ThingEventKind[] },
  side: 'after' | 'before',
  position: Position,
  limit: number,
): Promise<readonly ThingEventDocument[]> => {
  // no id is less than the empty one, and none is greater than this
  const page = side === 'before' ? { limit, before: [position, ''] } : { limit, after: [position, '~'] }
  return (await Promise.all(kinds.map((kind) => findBy(documents, OF_KIND, { thing, kind }, page)))).flat()
}
