import type { CheckpointMove, DocumentStore } from '../../src/ports/documents.ts'
import { type EventStore, LOG_START, MAX_PAGE_EVENTS, type Position } from '../../src/ports/event-store.ts'
import { readersOf } from './batch.ts'
import { openPace, sumBytes } from './pace.ts'
import { byKey, MAX_PARKED_EVENTS, type ParkedDocument, PoisonEvent, parked } from './parked.ts'
import { type LoadSome, load, type OnPoison, type Open, openProjecting } from './projecting.ts'
import type { Projection } from './projection.ts'
import { seenIds } from './seen-ids.ts'

export type Ports = {
  readonly events: Pick<EventStore, 'readAll' | 'head'>
  readonly documents: DocumentStore
  readonly open: Open
  /** Called once for each document or stream that a failing event stops, after that is stored. */
  readonly onParked?: (poison: PoisonEvent) => void
}

/** `more` means that the runner stopped before the requested end, to write the documents in memory. */
export type RunnerProgress = {
  readonly position: Position
  readonly events: number
  readonly more: boolean
}

export type Runner = {
  /** The position up to which the read models are current. */
  readonly position: () => Position
  readonly parked: () => readonly ParkedDocument[]
  /**
   * Projects at most `limit` events further, none beyond `target`. `events` is 0 if there was nothing to do. A second call must wait until
   * the first has resolved.
   */
  readonly next: (limit: number, target?: Position) => Promise<RunnerProgress>
}

/** Thrown when another worker advanced the checkpoint: this one stops. */
export class Fenced extends Error {
  constructor(checkpoint: string) {
    super(`another projection runner advances the checkpoint ${checkpoint}; this one stops`)
    this.name = 'Fenced'
  }
}

/** The most bytes of events in memory at once. This bounds the memory of a batch, whatever its limit. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024

export const readParked = (documents: DocumentStore): Promise<readonly ParkedDocument[]> =>
  documents.walk(parked, undefined, MAX_PARKED_EVENTS + 1)

export type RunnerOptions = {
  readonly checkpoint: string
  readonly onPoison: OnPoison
  /** True if the collections are empty, without tombstones. */
  readonly empty?: boolean
  /** The bytes that a batch may hold. With more of them, fewer documents are written twice. */
  readonly maxBytes?: number
}

/** Follows the log from the checkpoint on. The collections must have been prepared, `parked` among them. */
export const openRunner = async (
  ports: Ports,
  projections: readonly Projection[],
  { checkpoint, onPoison, empty = false, maxBytes = MAX_BATCH_BYTES }: RunnerOptions,
): Promise<Runner> => {
  const { events: log, documents } = ports
  const readers = readersOf(projections)
  const writtenIds = empty ? seenIds() : undefined
  const parkedById = byKey(onPoison === 'park' ? await readParked(documents) : [])
  const pace = openPace(MAX_PAGE_EVENTS)
  const loadSome: LoadSome = (collection, ids) =>
    load(documents, collection, writtenIds ? ids.filter((id) => writtenIds.see(collection.name, id)) : ids)
  let from: CheckpointMove['from'] = await documents.checkpoint(checkpoint)

  /** Reads pages of the log into one batch. The pages are small, so that their memory is soon freed. */
  const project = async (limit: number, target: Position | undefined) => {
    let to = from ?? LOG_START
    const projecting = openProjecting({ open: ports.open, projections, readers, known: parkedById, loadSome, pace, after: to })
    let events = 0
    let added = 0
    let ended = false
    while (events < limit && projecting.bytes() + added < maxBytes) {
      const page = await log.readAll(to, Math.min(pace.events(), limit - events))
      const recorded = target === undefined ? page : page.filter(({ position }) => position <= target)
      const last = recorded.at(-1)
      ended = last === undefined
      if (last === undefined) break
      await projecting.step(recorded)
      added += sumBytes(recorded)
      to = last.position
      events += recorded.length
    }
    return { to, events, more: !ended, ...projecting.result(onPoison) }
  }

  return {
    position: () => from ?? LOG_START,
    parked: () => [...parkedById.values()],
    next: async (limit, target) => {
      const { to, events, more, changes, parking, news } = await project(limit, target)
      if (events === 0) return { position: to, events, more: false }
      if ((await documents.write([...changes, ...parking], { name: checkpoint, from, to })) === 'fenced') throw new Fenced(checkpoint)
      for (const [id, entry] of news) {
        if (!parkedById.has(id)) ports.onParked?.(new PoisonEvent(entry))
        parkedById.set(id, entry)
      }
      from = to
      return { position: to, events, more }
    },
  }
}
