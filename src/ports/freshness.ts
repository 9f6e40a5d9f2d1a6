// Decisions 94 and 130.

import type { Document } from './documents.ts'
import type { Position } from './event-store.ts'

/**
 * A document that changed, in its state then; undefined if it was deleted. `known`: absent if the document is whole, `indexed` if it has
 * only its indexed fields, `nothing` if only the id is known.
 */
export type ChangedDocument = {
  readonly id: string
  readonly document: () => Document | undefined
  readonly known?: 'indexed' | 'nothing'
}

/** The time for which a cache can use the changes of a collection after it was asked for it. */
export const INTEREST_MS = 1_000

/** Tells which changes a cache can use. Where other processes keep the read models, only these are looked up. */
export type Interest = {
  /** Tells whether the cache holds a document, or that it does not exist, and was asked for its collection lately. */
  readonly holds: (collection: string, id: string) => boolean
  /** Tells whether the cache was lately asked for something that any document of a collection may enter. */
  readonly follows: (collection: string) => boolean
}

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
  /** Tells whether all read models are just at a position, of those that other processes keep. Absent if this process keeps them. */
  readonly isAt?: (position: Position) => boolean
  /** Declares what a cache can use of changes. Absent if every change is known whole. */
  readonly attend?: (interest: Interest) => void
  /**
   * Looks how current the read models are that other processes keep. Then generations cover everything that was shown before this was
   * called. Absent if this process keeps them, since that is always so then.
   */
  readonly refresh?: () => Promise<void>
}
