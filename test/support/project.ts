import { openBatch, readersOf } from '../../projections/engine/batch.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import type { Logged } from '../../src/domain/events.ts'
import type { Document, VersionedDocument } from '../../src/ports/documents.ts'
import { LOG_START } from '../../src/ports/event-store.ts'

/** Events in, documents out, in the order of their ids. */
export const project = <D extends Document>(projection: Projection<D>, events: readonly Logged[]): readonly D[] => {
  const one = [projection as unknown as Projection]
  const batch = openBatch(one, readersOf(one), new Map(), LOG_START)
  for (const { collection } of batch.plan(events)) batch.give(collection, new Map<string, VersionedDocument<Document>>())
  batch.fold()
  const [failed] = batch.parked().values()
  if (failed) throw new Error(failed.error)
  const documents = batch.changes().flatMap(({ document }) => (document ? [document as D] : []))
  return documents.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
