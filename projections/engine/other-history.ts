import type { DocumentStore } from '../../src/ports/documents.ts'
import type { EventStore, Position } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import type { Projection } from './projection.ts'
import { shardCheckpoints } from './shards.ts'

export const OTHER_HISTORY_MESSAGE =
  'the read models are ahead of the log, so the log is a different one or was restored from a backup: run npx rostra rebuild, then start again'

/** Tells whether read models at these positions belong to another history. The head must have been read after the positions. */
export const isOtherHistory = (positions: Iterable<Position>, head: Position): boolean => [...positions].some((position) => position > head)

/** Throws a `StoreFault` of one line if read models are ahead of the log. Such documents would ignore new events. */
export const refuseOtherHistory = async (
  { events, documents }: { readonly events: Pick<EventStore, 'head'>; readonly documents: Pick<DocumentStore, 'checkpoints'> },
  projections: readonly Projection[],
): Promise<void> => {
  const stand = await documents.checkpoints(shardCheckpoints(projections))
  if (isOtherHistory(stand.values(), await events.head())) throw new StoreFault('damaged', OTHER_HISTORY_MESSAGE)
}
