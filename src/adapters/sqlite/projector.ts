import type { DocumentStore } from '../../ports/documents.ts'
import type { EventStore, Position } from '../../ports/event-store.ts'
import type { Vault } from '../../ports/vault.ts'

/** The three stores as used in one thread. */
export type LocalStores = { readonly events: EventStore; readonly documents: DocumentStore; readonly vault: Vault }

/** Keeps the read models up to date with the log, in the thread that writes both. */
export type LocalProjector = {
  /**
   * True if read models were built from so many events that this thread keeps memory. Another thread takes over then, and the memory is
   * free again.
   */
  readonly hasBuiltMany?: boolean
  /** Projects at most `limit` events further. Returns the position of the read models, and whether more is waiting. */
  readonly catchUp: (limit: number) => Promise<{ readonly position: Position; readonly more: boolean }>
}

/** The export `createProjector` of the module named as `projector`. */
export type CreateProjector = (stores: LocalStores) => Promise<LocalProjector>
