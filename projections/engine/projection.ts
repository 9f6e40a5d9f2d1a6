import type { EventName, Logged } from '../../src/domain/events.ts'
import type { Collection, Declaration, Document, FieldOf } from '../../src/ports/documents.ts'

/** One document that an event touches and its new state; `undefined` deletes it. Pure: no clock, no look-up, no memory. */
export type Touch<D extends Document> = { readonly id: string; readonly change: (document: D | undefined) => D | undefined }

/**
 * A read model as data: the collection it owns (name, version, indexes) and, for each event it uses, the documents
 * touched. No other projection writes that collection, and it reads no other. A changed projection gets a new version.
 */
export type Projection<D extends Document = Document> = {
  readonly collection: Collection<D>
  readonly on: { readonly [Name in EventName]?: (event: Logged<Name>) => readonly Touch<D>[] }
  /**
   * Its documents are shown in the order of the log, so each only once all shards are past it: the response to a write of one waits
   * for all shards.
   */
  readonly inLogOrder?: true
  /** Aggregates whose events change a document here, where they change what is shown: what was read from their own state stays valid until this collection changes. */
  readonly follows?: readonly { readonly category: string; readonly on: object }[]
}

export const collection = <D extends Document>(declaration: Declaration<FieldOf<D>>): Collection<D> => declaration

/** Put a document in place of any earlier one. */
export const put = <D extends Document>(document: D): Touch<D> => ({ id: document.id, change: () => document })

/** Change a document that exists; an absent one stays absent. */
export const change = <D extends Document>(id: string, update: (document: D) => D): Touch<D> => ({
  id,
  change: (document) => document && update(document),
})

export const remove = <D extends Document>(id: string): Touch<D> => ({ id, change: () => undefined })
