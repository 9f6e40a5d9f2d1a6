import { byKey, parkedKey } from '../../projections/engine/parked.ts'
import type { Blobs } from '../ports/blobs.ts'
import { collectionKey, type DocumentStore } from '../ports/documents.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import { type Compared, compare, type PositionOfDocuments } from './compare.ts'
import type { EventFinding, Finding, ParkedFinding, QueuedFinding } from './finding.ts'
import { openRecount, type RecountPorts } from './recount.ts'
import { findMisplaced, findUnservedBlobs } from './stored.ts'

export type AuditInput = Omit<RecountPorts, 'events' | 'begun' | 'copiedUntil'> & {
  readonly events: EventStore
  /** The stored read models. */
  readonly documents: DocumentStore
  readonly standing: PositionOfDocuments
  readonly blobs: Pick<Blobs, 'get'>
  /** Lists the differences between the stores and those that this program makes, and between their contents and their own records. */
  readonly differences: () => Promise<readonly string[]>
  /** Returns the last event of an earlier state, if the stores are a copy of one. No reactions run in a copy. */
  readonly copiedUntil: () => Promise<Position | undefined>
  /** Returns further stored positions, by their names. */
  readonly positions: () => Promise<ReadonlyMap<string, string>>
  /** Returns documents parked because an event could not be projected. */
  readonly parked: () => Promise<readonly ParkedFinding[]>
  /** Returns the position up to which reactions have processed the log; undefined if they never ran. */
  readonly reacted: () => Promise<Position | undefined>
  /** Returns events whose reaction failed and will be retried. */
  readonly queued: () => Promise<readonly QueuedFinding[]>
  /** An empty store for this audit alone. */
  readonly scratch: DocumentStore
}

export type AuditReport = {
  readonly progress: (reached: { readonly position: Position; readonly head: Position }) => void
  /** Called for an act that was decided before its right ended, and recorded after that. It is no difference. */
  readonly race?: (race: EventFinding) => void
}

export type Summary = {
  readonly events: number
  readonly documents: number
  /** The number of comments that were decided before a lock and recorded after it. */
  readonly raced: number
  /** The number of acts that were decided before their right ended, and recorded after it. */
  readonly racedAuthority: number
  /** The number of acts of admins from before any version recorded who is one. */
  readonly notJudged: number
}

/** The most differences that are kept until it is known whether an erasure explains them. More are reported at once. */
const MAX_POSTPONED = 10_000

/**
 * Builds all read models anew from the events of the log, and reports every difference to the stored ones as it is found, and every problem
 * of the log itself. A server may run meanwhile.
 */
export async function* audit(
  { documents, standing, blobs, differences, positions, parked, reacted, queued, scratch, ...counted }: AuditInput,
  { progress, race = () => {} }: AuditReport,
): AsyncGenerator<Finding, Summary> {
  const { events, projections } = counted
  const copiedUntil = await counted.copiedUntil()
  const head = await events.head()
  const position = await standing(head)
  const reachable = await events.head()
  const recount = await openRecount({ ...counted, copiedUntil, begun: head }, scratch, {
    reached: (reached) => progress({ position: reached, head }),
    race,
  })
  const postponed: Compared[] = []
  let compared = 0

  for (const problem of await differences()) yield { kind: 'store', problem }
  if (position === undefined) yield { kind: 'store', problem: 'the read models of this version have not been built' }
  else if (position > reachable)
    yield { kind: 'store', problem: `the read models are at ${position}, beyond the end of the log, ${reachable}` }
  else {
    yield* recount.advance(position)
    const stopped = byKey(await parked())
    for (const { collection } of projections) {
      const comparing = compare(documents, standing, recount, collection)
      for (;;) {
        const next = await comparing.next()
        if (next.done) {
          compared += next.value
          break
        }
        const found = next.value
        if ('kind' in found) yield found
        else if (stopped.has(parkedKey({ collection: collectionKey(collection), document: found.finding.id }))) continue
        else if (found.isErasure && postponed.length < MAX_POSTPONED) postponed.push(found)
        else yield found.finding
      }
    }
    for (const entry of await parked()) yield { kind: 'parked', ...entry }
  }
  // A checkpoint of the reactions is there before the first consequence is recorded.
  const followed = recount.consequences() > 0
  // these are read before the log's end, since consequences were recorded before either of them says so
  const worked = await reacted()
  const waiting = await queued()
  const stored = await positions()
  const end = await events.head()
  yield* recount.advance(end)
  for (const { finding, position: at } of postponed) if (!recount.isErasing(at)) yield finding
  for (const entry of waiting) yield { kind: 'queued', ...entry }
  if (worked === undefined && followed && copiedUntil === undefined)
    yield {
      kind: 'store',
      problem:
        'the log holds events recorded by reactions, but the checkpoint of the reactions is missing: missing consequences cannot be detected',
    }
  yield* findMisplaced(worked === undefined ? stored : new Map([...stored, ['the checkpoint of the reactions', worked]]), end)
  yield* findUnservedBlobs(blobs, recount, copiedUntil !== undefined)
  if (worked !== undefined && worked <= end) yield* recount.missing(worked, new Set(waiting.map(({ id }) => id)))
  return {
    events: recount.events(),
    documents: compared,
    raced: recount.raced(),
    racedAuthority: recount.racedAuthority(),
    notJudged: recount.notJudged(),
  }
}
