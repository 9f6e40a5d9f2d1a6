import type { Blobs } from '../ports/blobs.ts'
import type { Collection, Document, DocumentStore } from '../ports/documents.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import { compare, type Standing } from './compare.ts'
import type { EventFinding, Finding, ParkedFinding, QueuedFinding } from './finding.ts'
import { openRecount, type RecountPorts } from './recount.ts'
import { misplaced, unservedBlobs } from './stored.ts'

export type AuditInput = Omit<RecountPorts, 'events' | 'begun'> & {
  readonly events: EventStore
  /** The stored read models, and the collections to compare. */
  readonly documents: DocumentStore
  readonly collections: readonly Collection<Document>[]
  readonly standing: Standing
  readonly blobs: Pick<Blobs, 'get'>
  /** How the stores differ from those that this program makes, and from what they say of themselves. */
  readonly differences: () => Promise<readonly string[]>
  /** Further positions that are stored, by what is there. */
  readonly positions: () => Promise<ReadonlyMap<string, string>>
  /** Documents parked because an event could not be projected. */
  readonly parked: () => Promise<readonly ParkedFinding[]>
  /** Up to where reactions have processed the log; undefined if they never ran. */
  readonly reacted: () => Promise<Position | undefined>
  /** Events whose reaction failed and will be retried. */
  readonly queued: () => Promise<readonly QueuedFinding[]>
  /** An empty store for this audit alone. */
  readonly scratch: DocumentStore
}

export type Report = {
  readonly progress: (done: { readonly position: Position; readonly head: Position }) => void
  /** An act that was decided before its right ended, and recorded after that: no difference. */
  readonly race?: (race: EventFinding) => void
}

export type Summary = {
  readonly events: number
  readonly documents: number
  /** Comments that were decided before a lock and recorded after it. */
  readonly raced: number
  /** Acts that were decided before their right ended, and recorded after it. */
  readonly racedAuthority: number
  /** Acts of admins from before the log said who is one. */
  readonly notJudged: number
}

/**
 * Count everything anew from the events of the log, by rules that share nothing with the projections, and report every difference to
 * the stored documents as it is found. A server may run meanwhile.
 */
export async function* audit(
  { documents, collections, standing, blobs, differences, positions, parked, reacted, queued, scratch, ...counted }: AuditInput,
  { progress, race = () => {} }: Report,
): AsyncGenerator<Finding, Summary> {
  const { events } = counted
  const position = await standing()
  const head = await events.head()
  const recount = await openRecount({ ...counted, begun: head }, scratch, {
    reached: (reached) => progress({ position: reached, head }),
    race,
  })
  let compared = 0

  for (const problem of await differences()) yield { kind: 'store', problem }
  if (position === undefined) yield { kind: 'store', problem: 'the read models of this version have not been built' }
  else if (position > head) yield { kind: 'store', problem: `the read models are at ${position}, beyond the end of the log, ${head}` }
  else {
    yield* recount.advance(position)
    for (const collection of collections) compared += yield* compare(documents, standing, recount, collection)
    for (const entry of await parked()) yield { kind: 'parked', ...entry }
  }
  // A checkpoint of the reactions is there before the first consequence is recorded.
  const followed = recount.consequences() > 0
  // Read before the log's end: consequences were recorded before either of these said so.
  const worked = await reacted()
  const waiting = await queued()
  const stored = await positions()
  const end = await events.head()
  yield* recount.advance(end)
  for (const entry of waiting) yield { kind: 'queued', ...entry }
  if (worked === undefined && followed)
    yield { kind: 'store', problem: 'the log holds consequences, but the checkpoint of the reactions is missing: no others can be missed' }
  yield* misplaced(worked === undefined ? stored : new Map([...stored, ['the checkpoint of the reactions', worked]]), end)
  yield* unservedBlobs(blobs, recount)
  if (worked !== undefined && worked <= end) yield* recount.missing(worked, new Set(waiting.map(({ id }) => id)))
  return {
    events: recount.events(),
    documents: compared,
    raced: recount.raced(),
    racedAuthority: recount.racedAuthority(),
    notJudged: recount.notJudged(),
  }
}
