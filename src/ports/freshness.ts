import type { Document } from './documents.ts'
import type { Position } from './event-store.ts'

/** A document that changed, as it was then; undefined: it was deleted. */
export type ChangedDocument = { readonly id: string; readonly document: () => Document | undefined }

/** How far the read models of this process are. */
export type Freshness = {
  readonly position: () => Position
  /**
   * How far the log is shown without gaps: of what came later, an event may be shown while an earlier one is not yet. Absent where
   * everything is shown in the order of the log.
   */
  readonly settled?: () => Position
  /** True once the read models have reached a position, false after `ms` without that. */
  readonly waitUntil: (position: Position, ms: number) => Promise<boolean>
  /**
   * Grows whenever a document of the collection changed; equal values mean that nothing read from it can differ from what this process
   * has seen of the read models. Undefined while it cannot know.
   */
  readonly generation: (collection: string) => number | undefined
  /**
   * The documents of a collection that changed since a generation, each change in its turn; undefined where it cannot tell, or not any more. Every
   * difference between what is read now and what was read at that generation or later is by these.
   */
  readonly changes: (collection: string, since: number) => readonly ChangedDocument[] | undefined
  /**
   * See how far the read models are that other processes keep; then generations tell of all that was shown before this was asked.
   * Absent where they are kept here, and that is always so.
   */
  readonly refresh?: () => Promise<void>
}
