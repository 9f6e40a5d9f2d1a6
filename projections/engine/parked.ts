import type { Document } from '../../src/ports/documents.ts'
import { collection } from './projection.ts'

/**
 * A document that a failing event stopped. It stays as it was before that event, and whatever came later for it is parked too, so
 * that nothing is applied out of order. `document` is a stream's name where the event could not even be read (`collection` is `*`)
 * or did not say which documents it touches; then it is that stream which is parked.
 */
export type ParkedDocument = Document & {
  readonly collection: string
  readonly document: string
  readonly event: string
  readonly type: string
  readonly position: string
  readonly error: string
  /** How many later events were parked behind it, and where the last of them stands. */
  readonly later: number
  readonly last: string
}

/** Kept beside the read models: what stands in it depends on the code that failed, not only on the log. */
export const parked = collection<ParkedDocument>({ name: 'parked', version: 1, indexes: [{ fields: ['id'] }] })

/** More than this is no bad event but bad code. */
export const MOST_PARKED = 100

export const parkedId = (collection: string, document: string): string => `${collection}/${document}`

type Place = { readonly collection: string; readonly document: string }
type Culprit = { readonly id: string; readonly type: string; readonly position: string }

export const parkedBy = ({ collection, document }: Place, { id, type, position }: Culprit, error: unknown): ParkedDocument => ({
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

/** Names what went wrong where a poison event must not be passed over. */
export class PoisonEvent extends Error {
  readonly parked: ParkedDocument

  constructor(parked: ParkedDocument) {
    super(`${parked.type} ${parked.event} at ${parked.position} cannot be projected into ${parked.id}: ${parked.error}`)
    this.name = 'PoisonEvent'
    this.parked = parked
  }
}
