// Decision 41.

import type { Document, DocumentChange } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import { messageOf } from '../../src/ports/faults.ts'
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
  /**
   * A place in the log before the event, from which the document is tried again. Absent if a whole stream is parked: documents that its
   * events touch have changed since by other streams, so only a rebuild applies the events in their order.
   */
  readonly after?: Position
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

type DocumentName = { readonly collection: string; readonly document: string }
type Culprit = { readonly id: string; readonly type: string; readonly position: Position; readonly after?: Position }

/** The key under which a parked document is found. Its entry is stored under another id at each event that stops it. */
export const parkedKey = ({ collection, document }: DocumentName): string => `${collection}/${document}`

/** Parked documents by their keys. */
export type ParkedDocuments = ReadonlyMap<string, ParkedDocument>

export const byKey = <Entry extends DocumentName>(entries: readonly Entry[]): Map<string, Entry> =>
  new Map(entries.map((entry) => [parkedKey(entry), entry]))

export const toParked = (name: DocumentName, { id, type, position, after }: Culprit, error: unknown): ParkedDocument => ({
  id: `${parkedKey(name)}@${position}`,
  ...name,
  event: id,
  type,
  position,
  error: messageOf(error),
  ...(after !== undefined && { after }),
  later: 0,
  last: position,
})

/** The write of an entry as it is now. */
export const toParkingWrite = (entry: ParkedDocument): DocumentChange => ({
  collection: parked,
  id: entry.id,
  position: entry.last,
  document: entry,
})

/** The removal of an entry, which no later entry has the id of. */
export const toUnparkingWrite = ({ id, last }: ParkedDocument): DocumentChange => ({
  collection: parked,
  id,
  position: String(BigInt(last) + 1n).padStart(last.length, '0'),
  document: undefined,
})

export const parkBehind = (entry: ParkedDocument, position: string): ParkedDocument =>
  position > entry.last ? { ...entry, later: entry.later + 1, last: position } : entry

/** Thrown where a failing event must not be skipped. */
export class PoisonEvent extends Error {
  readonly parked: ParkedDocument

  constructor(parked: ParkedDocument) {
    super(`${parked.type} ${parked.event} at ${parked.position} cannot be projected into ${parkedKey(parked)}: ${parked.error}`)
    this.name = 'PoisonEvent'
    this.parked = parked
  }
}
