import type { Logged } from '../../src/domain/events.ts'
import { UnreadableEvent } from '../../src/log/codec.ts'
import type { Collection, Document, DocumentStore, VersionedDocument } from '../../src/ports/documents.ts'
import type { Position, RecordedEvent } from '../../src/ports/event-store.ts'
import { messageOf, StoreFault } from '../../src/ports/faults.ts'
import { openBatch, type Readers } from './batch.ts'
import type { Pace } from './pace.ts'
import {
  ANY_COLLECTION,
  MAX_PARKED_EVENTS,
  type ParkedDocument,
  type ParkedDocuments,
  PoisonEvent,
  parkBehind,
  parkedKey,
  toParked,
  toParkingWrite,
} from './parked.ts'
import type { Projection } from './projection.ts'

/** Decodes and unseals events. Throws if one of them cannot be read. */
export type Open = (recorded: readonly RecordedEvent[]) => Promise<readonly Logged[]>

const IDS_PER_CALL = 1_000
export const load = async (documents: DocumentStore, collection: Collection<Document>, ids: readonly string[]) => {
  if (ids.length === 0) return new Map<string, VersionedDocument<Document>>()
  if (ids.length <= IDS_PER_CALL) return documents.load(collection, ids)
  const loaded = new Map<string, VersionedDocument<Document>>()
  for (let from = 0; from < ids.length; from += IDS_PER_CALL) {
    for (const [id, versioned] of await documents.load(collection, ids.slice(from, from + IDS_PER_CALL))) loaded.set(id, versioned)
  }
  return loaded
}

/** Wraps an error that may be temporary: a fault of a store and not of the event. Nothing is parked for it. */
const asStoreFault = (fault: unknown): StoreFault => {
  if (fault instanceof StoreFault) return fault
  const why = messageOf(fault)
  return new StoreFault('unavailable', `events cannot be decrypted now: ${why}`, { cause: fault })
}

/** Returns the events, or the error of one that cannot be read. Throws temporary errors. */
const tryOpen = async (open: Open, recorded: readonly RecordedEvent[]): Promise<readonly Logged[] | UnreadableEvent> => {
  try {
    return await open(recorded)
  } catch (fault) {
    if (fault instanceof UnreadableEvent) return fault
    throw asStoreFault(fault)
  }
}

/** Returns the events that can be read, and parks the streams of those that cannot. Only unreadable events make it slow. */
const readEvents = async (open: Open, recorded: readonly RecordedEvent[], known: ParkedDocuments) => {
  const entries = new Map<string, ParkedDocument>()
  const isStopped = ({ stream, position }: RecordedEvent) => {
    const key = parkedKey({ collection: ANY_COLLECTION, document: stream })
    const entry = entries.get(key) ?? known.get(key)
    return entry && position >= entry.position ? entry : undefined // events before it are applied, also by a later run
  }
  const free = known.size === 0 ? recorded : recorded.filter((one) => !isStopped(one))
  const all = await tryOpen(open, free)
  if (!(all instanceof UnreadableEvent) && free.length === recorded.length) return { opened: all, entries }
  const events: Logged[] = []
  for (const one of recorded) {
    const before = isStopped(one)
    if (before) {
      entries.set(parkedKey(before), parkBehind(before, one.position))
      continue
    }
    const opened = await tryOpen(open, [one])
    if (opened instanceof UnreadableEvent) {
      const entry = toParked({ collection: ANY_COLLECTION, document: one.stream }, one, opened)
      entries.set(parkedKey(entry), entry)
    } else events.push(...opened)
  }
  return { opened: events, entries }
}

/** `park` parks a failing event with everything that depends on it and goes on. `stop` throws `PoisonEvent`. */
export type OnPoison = 'park' | 'stop'

/** Loads documents and tombstones of a collection. Ids without either are left out. */
export type LoadSome = (
  collection: Collection<Document>,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, VersionedDocument<Document>>>

type ProjectingPorts = {
  readonly open: Open
  readonly projections: readonly Projection[]
  readonly readers: Readers
  /** The documents that are parked already. */
  readonly known: ParkedDocuments
  readonly loadSome: LoadSome
  readonly pace: Pace
  /** A place in the log before the events. */
  readonly after: Position
  readonly isOurs?: Parameters<typeof openBatch>[4]
}

/** Projects events step by step into one batch, and returns the writes for all of them. */
export const openProjecting = ({ open, projections, readers, known, loadSome, pace, after, isOurs: mine }: ProjectingPorts) => {
  const batch = openBatch(projections, readers, known, after, mine)
  const unread = new Map<string, ParkedDocument>()
  return {
    bytes: batch.bytes,
    writtenBeyond: batch.writtenBeyond,
    step: async (recorded: readonly RecordedEvent[]): Promise<void> => {
      const bytesBefore = batch.bytes()
      const { opened, entries } = await readEvents(open, recorded, new Map([...known, ...unread]))
      for (const [id, entry] of entries) unread.set(id, entry)
      await Promise.all(batch.plan(opened).map(async ({ collection, ids }) => batch.give(collection, await loadSome(collection, ids))))
      batch.fold()
      pace.note(batch.bytes() - bytesBefore)
    },
    /**
     * `news` are the parked entries that are new or longer; `parking` writes them. Throws if too much is parked, and with `stop` if
     * anything is.
     */
    result: (onPoison: OnPoison = 'park') => {
      const news: ParkedDocuments = new Map([...unread, ...batch.parked()])
      const [first] = news.values()
      if (first && onPoison === 'stop') throw new PoisonEvent(first)
      const count = new Set([...known.keys(), ...news.keys()]).size
      if (first && count > MAX_PARKED_EVENTS)
        throw new Error(`${count} documents are parked, most recently by: ${new PoisonEvent(first).message}`)
      return { changes: batch.changes(), parking: [...news.values()].map(toParkingWrite), news }
    },
  }
}
