import { type TimerDocument, timers } from '../../projections/timers.ts'
import type { DocumentStore } from '../ports/documents.ts'

const PAGE = 100

/** Effects whose time has passed, the earliest first, from after one of them. */
export const dueTimers =
  (documents: Pick<DocumentStore, 'find'>, limit = PAGE) =>
  (now: number, after: Pick<TimerDocument, 'due' | 'id'> | undefined): Promise<readonly TimerDocument[]> =>
    documents.find(timers, {
      where: { due: { lte: now } },
      order: ['due', 'id'],
      page: { limit, ...(after && { after: [after.due, after.id] }) },
    })
