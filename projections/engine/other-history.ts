import type { DocumentStore } from '../../src/ports/documents.ts'
import type { EventStore, Position } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import type { Projection } from './projection.ts'
import { shardCheckpoints } from './shards.ts'

export const OTHER_HISTORY_MESSAGE =
  'the read models are ahead of the log, so the log is a different one or was restored from a backup: run npm run rebuild, then start again'

/** Whether read models at these positions belong to another history. The head must have been read after the positions. */
export const isOtherHistory = (positions: Iterable<Position>, head: Position): boolean => [...positions].some((position) => position > head)

/** Documents with positions beyond the end of the log would ignore new events. Throws a `StoreFault` of one line. */
export const refuseOtherHistory = async (
  { events, documents }: { readonly events: Pick<EventStore, 'head'>; readonly documents: Pick<DocumentStore, 'checkpoints'> },
  projections: readonly Projection[],
): Promise<void> => {
  const stand = await documents.checkpoints(shardCheckpoints(projections))
  if (isOtherHistory(stand.values(), await events.head())) throw new StoreFault('damaged', OTHER_HISTORY_MESSAGE)
}
