import { type TimerDocument, timers } from '../../projections/timers.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { findBy, listingIndex } from '../ports/indexed.ts'

const BY_END = listingIndex(timers, [], ['due', 'id'])

const PAGE_TIMERS = 100

/** Returns effects whose time has passed, the earliest first, after one of them. */
export const dueTimers =
  (documents: Pick<DocumentStore, 'find'>, limit = PAGE_TIMERS) =>
  (now: number, after: Pick<TimerDocument, 'due' | 'id'> | undefined): Promise<readonly TimerDocument[]> =>
    findBy(documents, BY_END, { due: { lte: now } }, { limit, ...(after && { after: [after.due, after.id] }) })
