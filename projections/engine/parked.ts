// Decision 41.

import type { Document } from '../../src/ports/documents.ts'
import { collection } from './projection.ts'

/**
 * A document that a failing event stopped. It stays as it was before that event, and later events for it are parked too, so that nothing is
 * applied out of order. If the event could not be read, or the documents it touches could not be determined, its whole stream is parked:
 * `document` is then the stream's name and `collection` is `*`.
 */
export type ParkedDocument = Document & {
  readonly collection: string
  readonly document: string
  readonly event: string
  readonly type: string
  readonly position: string
  readonly error: string
  /** The number of later events that were parked behind it, and the position of the last of them. */
  readonly later: number
  readonly last: string
}

/** Parked documents are stored beside the read models: their content depends on the code that failed, not only on the log. */
export const parked = collection<ParkedDocument>({ name: 'parked', version: 1, indexes: [{ fields: ['id'] }] })

/** The collection name in a parked entry for an event that failed before any collection was reached. */
export const ANY_COLLECTION = '*'

/** More parked events than this indicate faulty code, not a faulty event. */
export const MAX_PARKED_EVENTS = 100

export const parkedId = (collection: string, document: string): string => `${collection}/${document}`

type DocumentName = { readonly collection: string; readonly document: string }
type Culprit = { readonly id: string; readonly type: string; readonly position: string }

export const parkedBy = ({ collection, document }: DocumentName, { id, type, position }: Culprit, error: unknown): ParkedDocument => ({
  id: parkedId(collection, document),
  collection,
  document,
  event: id,
  type,
  position,
  error: error instanceof Error ? error.message : String(error),
  later: 0,
  last: position,
})

export const parkedBehind = (entry: ParkedDocument, position: string): ParkedDocument =>
  position > entry.last ? { ...entry, later: entry.later + 1, last: position } : entry

/** Thrown where a failing event must not be skipped. */
export class PoisonEvent extends Error {
  readonly parked: ParkedDocument

  constructor(parked: ParkedDocument) {
    super(`${parked.type} ${parked.event} at ${parked.position} cannot be projected into ${parked.id}: ${parked.error}`)
    this.name = 'PoisonEvent'
    this.parked = parked
  }
}
