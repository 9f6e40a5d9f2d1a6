import type { Projection, Touch } from '../../projections/engine/projection.ts'
import type { Logged } from '../domain/events.ts'
import type { Document } from '../ports/documents.ts'
import type { LedgerEntry } from './ledger.ts'

// Builds read models anew: each projection's documents in the book of its collection, by the projection's own code.

type Reader = { readonly book: string; readonly read: (event: Logged) => readonly Touch<Document>[] }

export type Fold = {
  /** Returns the documents that an event changes. `onFailure` receives the error of a projection that cannot read it. */
  readonly entriesOf: (event: Logged, onFailure: (problem: string) => void) => readonly LedgerEntry[]
  /** Leaves out the events of a stream after one that cannot be read, as projection workers do. */
  readonly stop: (stream: string) => void
}

const EVERY_BOOK = '*'

export const openFold = (projections: readonly Projection[]): Fold => {
  const readers = new Map<string, Reader[]>()
  for (const { collection, on } of projections)
    for (const [type, read] of Object.entries(on))
      readers.set(type, [...(readers.get(type) ?? []), { book: collection.name, read: read as Reader['read'] }])
  const stopped = new Set<string>()
  const stop = (book: string, stream: string) => stopped.add(`${book}/${stream}`)
  const isStopped = (book: string, stream: string) => stopped.size > 0 && stopped.has(`${book}/${stream}`)

  return {
    stop: (stream) => stop(EVERY_BOOK, stream),
    entriesOf: (event, failed) => {
      const { type, stream } = event
      if (isStopped(EVERY_BOOK, stream)) return []
      return (readers.get(type) ?? []).flatMap(({ book, read }): readonly LedgerEntry[] => {
        if (isStopped(book, stream)) return []
        try {
          return read(event).map(({ id, change }) => ({ book, id, change: change as unknown as LedgerEntry['change'] }))
        } catch (error) {
          stop(book, stream)
          failed(`it cannot be projected into ${book}: ${error instanceof Error ? error.message : error}`)
          return []
        }
      })
    },
  }
}
