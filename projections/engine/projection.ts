import type { EventName, Logged } from '../../src/domain/events.ts'
import type { Collection, Declaration, Document, FieldOf } from '../../src/ports/documents.ts'

/** A document that an event touches, and its new state; `undefined` deletes it. The change is pure: no clock, no look-up, no memory. */
export type Touch<D extends Document> = { readonly id: string; readonly change: (document: D | undefined) => D | undefined }

/**
 * A read model as data: the collection it owns (name, version, indexes) and, for each event it uses, the documents it touches. No other
 * projection writes that collection, and a projection reads no other. A changed projection gets a new version.
 */
export type Projection<D extends Document = Document> = {
  readonly collection: Collection<D>
  readonly on: { readonly [Name in EventName]?: (event: Logged<Name>) => readonly Touch<D>[] }
  /**
   * The documents are shown in the order of the log, so a document is shown only once all shards are past it. The response to a write of
   * one waits for all shards.
   */
  readonly inLogOrder?: true
  /**
   * Aggregates whose events also change a document here whenever they change something that is shown. A state read from their streams stays
   * valid until this collection changes.
   */
  readonly follows?: readonly { readonly category: string; readonly on: object }[]
}

export const collection = <D extends Document>(declaration: Declaration<FieldOf<D>>): Collection<D> => declaration

/** Replaces any earlier document. */
export const putDocument = <D extends Document>(document: D): Touch<D> => ({ id: document.id, change: () => document })

/** Changes a document if it exists. */
export const change = <D extends Document>(id: string, update: (document: D) => D): Touch<D> => ({
  id,
  change: (document) => document && update(document),
})

export const remove = <D extends Document>(id: string): Touch<D> => ({ id, change: () => undefined })
