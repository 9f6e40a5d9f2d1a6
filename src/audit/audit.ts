import type { Collection, Document, DocumentStore } from '../ports/documents.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import { compare, type Standing } from './compare.ts'
import type { Finding, Parked, Queued } from './finding.ts'
import { type Counted, openRecount } from './recount.ts'

export type AuditInput = Omit<Counted, 'events'> & {
  readonly events: EventStore
  /** The stored read models, and the collections to compare; prepared. */
  readonly documents: DocumentStore
  readonly collections: readonly Collection<Document>[]
  readonly standing: Standing
  /** Documents parked because an event could not be projected. */
  readonly parked: () => Promise<readonly Parked[]>
  /** Up to where reactions have processed the log; undefined if they never ran. */
  readonly reacted: () => Promise<Position | undefined>
  /** Events whose reaction failed and will be retried. */
  readonly queued: () => Promise<readonly Queued[]>
  /** An empty store for this audit alone. */
  readonly scratch: DocumentStore
}

export type Report = (done: { readonly position: Position; readonly head: Position }) => void

export type Summary = {
  readonly events: number
  readonly documents: number
  /** Comments that were decided before a lock and recorded after it. */
  readonly raced: number
}

/**
 * Count everything anew from the events of the log, by rules that share nothing with the projections, and report every difference to
 * the stored documents as it is found. A server may run meanwhile.
 */
export async function* audit(
  { documents, collections, standing, parked, reacted, queued, scratch, ...counted }: AuditInput,
  report: Report,
): AsyncGenerator<Finding, Summary> {
  const { events } = counted
  const position = await standing()
  const head = await events.head()
  const recount = await openRecount(counted, scratch, (reached) => report({ position: reached, head }))
  let compared = 0

  if (position === undefined) yield { kind: 'store', problem: 'the read models of this version have not been built' }
  else if (position > head) yield { kind: 'store', problem: `the read models are at ${position}, beyond the end of the log, ${head}` }
  else {
    yield* recount.advance(position)
    for (const collection of collections) compared += yield* compare(documents, standing, recount, collection)
    for (const entry of await parked()) yield { kind: 'parked', ...entry }
  }
  // Read before the log's end: consequences were recorded before either of these said so.
  const worked = await reacted()
  const waiting = await queued()
  const end = await events.head()
  yield* recount.advance(end)
  for (const entry of waiting) yield { kind: 'queued', ...entry }
  if (worked !== undefined && worked <= end) yield* recount.missing(worked, new Set(waiting.map(({ id }) => id)))
  return { events: recount.events(), documents: compared, raced: recount.raced() }
}
