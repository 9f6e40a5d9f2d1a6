import type { EventName, Logged } from '../../src/domain/events.ts'
import type { Collection, Declaration, Document, FieldOf } from '../../src/ports/documents.ts'

/**
 * A document that an event changes. `change` returns its new state from its old one; `undefined` stands for no document. It is pure: it
 * reads no clock, no other document and no state of its own.
 */
export type Touch<D extends Document> = { readonly id: string; readonly change: (document: D | undefined) => D | undefined }

/**
 * A read model as data: the collection it owns (name, version, indexes) and, for each event it uses, the documents it touches. No other
 * projection writes that collection, and a projection reads no other. A changed projection gets a new version.
 */
export type Projection<D extends Document = Document> = {
  readonly collection: Collection<D>
  readonly on: { readonly [Name in EventName]?: (event: Logged<Name>) => readonly Touch<D>[] }
  /**
   * True if listings show the documents in the order of the log. A document is then shown only after every shard has passed its event, and
   * the response to a command that writes one waits for all shards.
   */
  readonly inLogOrder?: true
  /**
   * Aggregates of which each event that changes something visible also changes a document here. A cached state of such an aggregate is
   * valid as long as this collection does not change.
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
