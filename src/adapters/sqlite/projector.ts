import type { DocumentStore } from '../../ports/documents.ts'
import type { EventStore, Position } from '../../ports/event-store.ts'
import type { Vault } from '../../ports/vault.ts'

/** The three stores as used in one thread. */
export type LocalStores = { readonly events: EventStore; readonly documents: DocumentStore; readonly vault: Vault }

/** Keeps the read models up to date with the log, in the thread that writes both. */
export type LocalProjector = {
  /** Read models were built from so many events that this thread keeps memory, which is free again once it ends: another takes over. */
  readonly hasBuiltMany?: boolean
  /** Project at most `limit` events further: how far the read models are now, and whether more is waiting. */
  readonly catchUp: (limit: number) => Promise<{ readonly position: Position; readonly more: boolean }>
}

/** What the module named as `projector` exports under the name `createProjector`. */
export type CreateProjector = (stores: LocalStores) => Promise<LocalProjector>
