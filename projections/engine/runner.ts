import type { Logged } from '../../src/domain/events.ts'
import { UnreadableEvent } from '../../src/log/codec.ts'
import type { Change, CheckpointMove, Collection, Document, DocumentStore, Versioned } from '../../src/ports/documents.ts'
import { type EventStore, PAGE_EVENTS, type Position, type RecordedEvent, START } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { openBatch, type Parked, readersOf } from './batch.ts'
import { seenIds } from './bloom-filter.ts'
import { addedBy, openPace } from './pace.ts'
import { MOST_PARKED, type ParkedDocument, PoisonEvent, parked, parkedBehind, parkedBy, parkedId } from './parked.ts'
import type { Projection } from './projection.ts'

export type Ports = {
  readonly events: Pick<EventStore, 'readAll' | 'head'>
  readonly documents: DocumentStore
  /** Decodes and unseals. Throws when one of the events cannot be read. */
  readonly open: (recorded: readonly RecordedEvent[]) => Promise<readonly Logged[]>
  /** Called once for each document or stream that a failing event stops, after that is stored. */
  readonly onParked?: (poison: PoisonEvent) => void
}

/** `park`: park a failing event and everything that depends on it, and go on. `stop`: throw `PoisonEvent`. */
export type OnPoison = 'park' | 'stop'

/** `more`: it stopped before the requested end, to write the documents in memory. */
export type Progress = {
  readonly position: Position
  readonly touched: readonly string[]
  readonly events: number
  readonly more: boolean
}

export type Runner = {
  /** How far the read models are. */
  readonly position: () => Position
  readonly parked: () => readonly ParkedDocument[]
  /**
   * Project at most `limit` events further, none beyond `target`. `touched` names the collections that changed;
   * `events` is 0 when there was nothing to do. Must not be called again before it has resolved.
   */
  readonly next: (limit: number, target?: Position) => Promise<Progress>
}

/** Another worker advanced the checkpoint: this one stops. */
export class Fenced extends Error {
  constructor(checkpoint: string) {
    super(`another projection runner advances the checkpoint ${checkpoint}; this one stops`)
    this.name = 'Fenced'
  }
}

const IDS_A_CALL = 1_000
/** Bytes in memory at once: bounds the memory of a batch, whatever its limit. */
const IN_HAND = 16 * 1024 * 1024

export const load = async (documents: DocumentStore, collection: Collection<Document>, ids: readonly string[]) => {
  if (ids.length === 0) return new Map<string, Versioned<Document>>()
  if (ids.length <= IDS_A_CALL) return documents.load(collection, ids)
  const loaded = new Map<string, Versioned<Document>>()
  for (let from = 0; from < ids.length; from += IDS_A_CALL) {
    for (const [id, versioned] of await documents.load(collection, ids.slice(from, from + IDS_A_CALL))) loaded.set(id, versioned)
  }
  return loaded
}

/** The collection name in a parked entry for an event that failed before any collection was reached. */
export const EVERY = '*'

/** Whether an error may be temporary: a fault of a store and not of the event, for which nothing is parked. */
const asStoreFault = (fault: unknown): StoreFault => {
  if (fault instanceof StoreFault) return fault
  const why = fault instanceof Error ? fault.message : String(fault)
  return new StoreFault('unavailable', `events cannot be decrypted now: ${why}`, { cause: fault })
}

/** The events, or the error of one that cannot be read. Throws temporary errors. */
const tryOpen = async ({ open }: Pick<Ports, 'open'>, recorded: readonly RecordedEvent[]): Promise<readonly Logged[] | UnreadableEvent> => {
  try {
    return await open(recorded)
  } catch (fault) {
    if (fault instanceof UnreadableEvent) return fault
    throw asStoreFault(fault)
  }
}

/** Events that can be read, and the streams of those that cannot, parked. Slow only if there are unreadable ones. */
export const readable = async (ports: Pick<Ports, 'open'>, recorded: readonly RecordedEvent[], known: Parked) => {
  const entries = new Map<string, ParkedDocument>()
  const stopped = ({ stream, position }: RecordedEvent) => {
    const entry = entries.get(parkedId(EVERY, stream)) ?? known.get(parkedId(EVERY, stream))
    return entry && position >= entry.position ? entry : undefined // earlier events are applied, also by a later run
  }
  const free = known.size === 0 ? recorded : recorded.filter((one) => !stopped(one))
  const all = await tryOpen(ports, free)
  if (!(all instanceof UnreadableEvent) && free.length === recorded.length) return { opened: all, entries }
  const events: Logged[] = []
  for (const one of recorded) {
    const before = stopped(one)
    if (before) {
      entries.set(before.id, parkedBehind(before, one.position))
      continue
    }
    const opened = await tryOpen(ports, [one])
    if (opened instanceof UnreadableEvent) {
      const entry = parkedBy({ collection: EVERY, document: one.stream }, one, opened)
      entries.set(entry.id, entry)
    } else events.push(...opened)
  }
  return { opened: events, entries }
}

export const readParked = (documents: DocumentStore): Promise<readonly ParkedDocument[]> =>
  documents.walk(parked, undefined, MOST_PARKED + 1)

export type Following = {
  readonly checkpoint: string
  readonly onPoison: OnPoison
  /** The collections are empty, without tombstones. */
  readonly empty?: boolean
  /** Bytes that a batch may hold: the more, the fewer documents are written twice. */
  readonly inHand?: number
}

/** Follows the log from the checkpoint on. The collections must have been prepared, `parked` among them. */
export const openRunner = async (
  ports: Ports,
  projections: readonly Projection[],
  { checkpoint, onPoison, empty = false, inHand = IN_HAND }: Following,
): Promise<Runner> => {
  const { events: log, documents } = ports
  const readers = readersOf(projections)
  const made = empty ? seenIds() : undefined
  const known = new Map(onPoison === 'park' ? (await readParked(documents)).map((entry) => [entry.id, entry]) : [])
  const pace = openPace(PAGE_EVENTS)
  let from: CheckpointMove['from'] = await documents.checkpoint(checkpoint)

  /** Reads pages of the log into one batch: small ones, so that each page's memory is soon freed. */
  const project = async (limit: number, target: Position | undefined) => {
    const batch = openBatch(projections, readers, known)
    const unread = new Map<string, ParkedDocument>()
    let to = from ?? START
    let events = 0
    let added = 0
    let ended = false
    while (events < limit && batch.bytes() + added < inHand) {
      const page = await log.readAll(to, Math.min(pace.events(), limit - events))
      const recorded = target === undefined ? page : page.filter(({ position }) => position <= target)
      const last = recorded.at(-1)
      ended = last === undefined
      if (last === undefined) break
      const before = batch.bytes()
      const { opened, entries } = await readable(ports, recorded, new Map([...known, ...unread]))
      for (const [id, entry] of entries) unread.set(id, entry)
      for (const { collection, ids } of batch.plan(opened)) {
        const old = made ? ids.filter((id) => made.see(collection.name, id)) : ids
        batch.give(collection, await load(documents, collection, old))
      }
      batch.fold()
      pace.note(batch.bytes() - before)
      added += addedBy(recorded)
      to = last.position
      events += recorded.length
    }
    return { to, events, more: !ended, changes: batch.changes(), news: new Map([...unread, ...batch.parked()]) }
  }

  const check = (news: Parked): void => {
    const [first] = news.values()
    if (first && onPoison === 'stop') throw new PoisonEvent(first)
    const all = new Set([...known.keys(), ...news.keys()])
    if (first && all.size > MOST_PARKED)
      throw new Error(`${all.size} documents are parked, most recently by: ${new PoisonEvent(first).message}`)
  }

  return {
    position: () => from ?? START,
    parked: () => [...known.values()],
    next: async (limit, target) => {
      const { to, events, more, changes, news } = await project(limit, target)
      if (events === 0) return { position: to, touched: [], events, more: false }
      check(news)
      const entries = [...news.values()].map(
        (document): Change => ({ collection: parked, id: document.id, position: document.last, document }),
      )
      if ((await documents.write([...changes, ...entries], { name: checkpoint, from, to })) === 'fenced') throw new Fenced(checkpoint)
      for (const [id, entry] of news) {
        if (!known.has(id)) ports.onParked?.(new PoisonEvent(entry))
        known.set(id, entry)
      }
      from = to
      return { position: to, touched: [...new Set(changes.map(({ collection }) => collection.name))], events, more }
    },
  }
}
