// Decision 94.

import type { Document } from './documents.ts'
import type { Position } from './event-store.ts'

/** A document that changed, in its state then; undefined if it was deleted. */
export type ChangedDocument = { readonly id: string; readonly document: () => Document | undefined }

/** Tells how current the read models of this process are. */
export type Freshness = {
  readonly position: () => Position
  /**
   * Returns the position up to which the log is shown without gaps. After it, an event may be shown while an earlier one is not yet. Absent
   * if everything is shown in the order of the log.
   */
  readonly settled?: () => Position
  /** Resolves to true once the read models have reached a position, or to false after `ms`. */
  readonly waitUntil: (position: Position, ms: number) => Promise<boolean>
  /**
   * Returns a number that grows whenever a document of the collection changed. Equal numbers mean that nothing read from the collection can
   * differ from what this process has seen of it. Undefined while it cannot know.
   */
  readonly generation: (collection: string) => number | undefined
  /**
   * Returns the documents of a collection that changed since a generation, each change in its turn; undefined if it cannot tell, or not any
   * more. Every difference between a read now and a read at that generation or later is among these.
   */
  readonly changes: (collection: string, since: number) => readonly ChangedDocument[] | undefined
  /**
   * Looks how current the read models are that other processes keep. Then generations cover everything that was shown before this was
   * called. Absent if this process keeps them, since that is always so then.
   */
  readonly refresh?: () => Promise<void>
}
