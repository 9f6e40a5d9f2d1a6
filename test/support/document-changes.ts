import type { Projection, Touch } from '../../projections/engine/projection.ts'
import type { EventName, Logged } from '../../src/domain/events.ts'
import type { Document } from '../../src/ports/documents.ts'

export type DocumentChange = {
  readonly event: Logged
  readonly projection: Projection
  readonly id: string
  readonly before: Document | undefined
  readonly after: Document | undefined
  /** All documents of the projection after the change. */
  readonly documents: ReadonlyMap<string, Document>
}

/** Returns each touch of a document by an event of a history. */
export function* documentChanges(projections: readonly Projection[], events: readonly Logged[]): Generator<DocumentChange> {
  const state = projections.map((projection) => ({ projection, documents: new Map<string, Document>() }))
  for (const event of events)
    for (const { projection, documents } of state) {
      const read = projection.on[event.type as EventName] as ((event: Logged) => readonly Touch<Document>[]) | undefined
      for (const { id, change } of read?.(event) ?? []) {
        const before = documents.get(id)
        const after = change(before)
        if (after) documents.set(id, after)
        else documents.delete(id)
        yield { event, projection, id, before, after, documents }
      }
    }
}
