import type { Logged } from '../../src/domain/events.ts'
import {
  type Collection,
  collectionKey,
  type Document,
  type DocumentChange,
  type DocumentName,
  type VersionedDocument,
} from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import { bytesOf } from '../../src/ports/size.ts'
import { type ParkedDocument, type ParkedDocuments, parkBehind, parkedKey, toParked } from './parked.ts'
import type { Projection, Touch } from './projection.ts'

type Reader = {
  readonly at: number
  readonly key: string
  readonly inLogOrder: boolean
  readonly read: (event: Logged) => readonly Touch<Document>[]
}
export type Readers = ReadonlyMap<string, readonly Reader[]>

/** Maps each type of event to the projections that read it, once for all batches. */
export const readersOf = (projections: readonly Projection[]): Readers => {
  const readers = new Map<string, Reader[]>()
  projections.forEach(({ collection, on, inLogOrder = false }, at) => {
    for (const [type, read] of Object.entries(on)) {
      const known = readers.get(type) ?? []
      known.push({ at, key: collectionKey(collection), inLogOrder, read: read as Reader['read'] })
      readers.set(type, known)
    }
  })
  return readers
}

/** A document while a batch works on it. `loaded` is its position in the store, undefined until that is known. */
type Draft = {
  readonly id: string
  loaded: Position | undefined
  position: Position
  document: Document | undefined
  stopped: ParkedDocument | undefined
}

type Drafts = {
  readonly collection: Collection<Document>
  readonly key: string
  readonly byId: Map<string, Draft>
  unknown: Draft[]
  /** The effects of the events planned last, in log order: three parallel lists, since there are millions of these. */
  events: Logged[]
  drafts: Draft[]
  touches: Touch<Document>[]
}

const NEVER: Position = ''
/** Memory of a loaded document beyond its content, in bytes. */
const DRAFT_BYTES = 300
const MAX_ATTEMPTS = 3

/** Tries `work` again when it throws, since the error may be a temporary fault of the machine. A lasting error is the event's own. */
const insist = <Given, T>(work: (given: Given) => T, given: Given): T => {
  for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft--) {
    try {
      return work(given)
    } catch (error) {
      if (attemptsLeft === 1) throw error
    }
  }
}

export type Batch = {
  /** Lists the documents that more events touch and the batch does not have yet. They must be loaded before the next `fold`. */
  readonly plan: (events: readonly Logged[]) => readonly { readonly collection: Collection<Document>; readonly ids: readonly string[] }[]
  readonly give: (collection: Collection<Document>, loaded: ReadonlyMap<string, VersionedDocument<Document>>) => void
  /** Applies the planned events. An event at or before a document's position changes nothing, so redelivery is harmless. */
  readonly fold: () => void
  /** The approximate memory that the batch's documents took when they were loaded, without what events add to them. */
  readonly bytes: () => number
  readonly changes: () => readonly DocumentChange[]
  /** Returns the documents that did not change because they are beyond a position already: an earlier try or another writer wrote them. */
  readonly writtenBeyond: (position: Position) => readonly DocumentName[]
  /** Parked documents and events: the new ones, and those behind earlier ones. */
  readonly parked: () => ParkedDocuments
}

/**
 * The pure part of projecting: turns events and the documents they touch into changed documents. Each document is written once, however
 * many events touched it. `isOurs` excludes documents of other workers, and events applied before. `after` is a place in the log before the
 * events.
 */
export const openBatch = (
  projections: readonly Projection[],
  readers: Readers,
  known: ParkedDocuments,
  after: Position,
  isOurs: (document: string, collection: string, position: Position) => boolean = () => true,
): Batch => {
  const parked = new Map<string, ParkedDocument>()
  let bytes = 0
  const all = projections.map(
    ({ collection }): Drafts => ({
      collection,
      key: collectionKey(collection),
      byId: new Map(),
      unknown: [],
      events: [],
      drafts: [],
      touches: [],
    }),
  )

  const park = (entry: ParkedDocument): ParkedDocument => {
    parked.set(parkedKey(entry), entry)
    return entry
  }

  const postpone = (entry: ParkedDocument, event: Logged): ParkedDocument => park(parkBehind(entry, event.position))

  /**
   * Returns the parked event that blocks a document or a stream. It runs for each document and stream, so it looks nothing up while nothing
   * is parked.
   */
  const findStop = (key: string, name: string): ParkedDocument | undefined => {
    if (known.size + parked.size === 0) return undefined
    const id = parkedKey({ collection: key, document: name })
    return parked.get(id) ?? known.get(id)
  }

  const touchesOf = ({ key, read }: Reader, event: Logged): readonly Touch<Document>[] => {
    const stopped = findStop(key, event.stream)
    if (stopped && event.position >= stopped.position) {
      postpone(stopped, event)
      return []
    }
    try {
      return insist(read, event)
    } catch (error) {
      park(toParked({ collection: key, document: event.stream }, event, error))
      return []
    }
  }

  const draftOf = ({ byId, unknown, key }: Drafts, id: string): Draft => {
    const existing = byId.get(id)
    if (existing) return existing
    const draft: Draft = { id, loaded: undefined, position: NEVER, document: undefined, stopped: findStop(key, id) }
    byId.set(id, draft)
    unknown.push(draft)
    bytes += DRAFT_BYTES
    return draft
  }

  const apply = ({ key }: Drafts, event: Logged, draft: Draft, { change }: Touch<Document>): void => {
    if (draft.loaded === undefined) throw new Error(`${key}/${draft.id} was not loaded`)
    if (event.position <= draft.loaded) return
    if (draft.stopped && event.position >= draft.stopped.position) {
      draft.stopped = postpone(draft.stopped, event)
      return
    }
    try {
      const before = draft.document
      const after = insist(change, before)
      if (after === before) return
      draft.document = after
      draft.position = event.position
    } catch (error) {
      draft.stopped = park(toParked({ collection: key, document: draft.id }, { ...event, after }, error))
    }
  }

  return {
    plan: (events) => {
      for (const event of events) {
        for (const reader of readers.get(event.type) ?? []) {
          const drafts = all[reader.at]
          if (!drafts) continue
          for (const touch of touchesOf(reader, event)) {
            if (!isOurs(touch.id, reader.key, event.position)) continue
            drafts.events.push(event)
            drafts.drafts.push(draftOf(drafts, touch.id))
            drafts.touches.push(touch)
          }
        }
      }
      return all.flatMap(({ collection, unknown }) => (unknown.length === 0 ? [] : [{ collection, ids: unknown.map(({ id }) => id) }]))
    },
    give: (collection, loaded) => {
      const drafts = all.find((one) => one.collection === collection)
      for (const draft of drafts?.unknown ?? []) {
        const found = loaded.get(draft.id)
        draft.loaded = found?.position ?? NEVER
        draft.position = draft.loaded
        draft.document = found?.document
        if (found?.document) bytes += bytesOf(found.document)
      }
      if (drafts) drafts.unknown = []
    },
    fold: () => {
      for (const one of all) {
        const { events, drafts, touches } = one
        for (let i = 0; i < touches.length; i++) {
          const event = events[i]
          const draft = drafts[i]
          const touch = touches[i]
          if (event && draft && touch) apply(one, event, draft, touch)
        }
        one.events = []
        one.drafts = []
        one.touches = []
      }
    },
    bytes: () => bytes,
    changes: () => {
      const changes: DocumentChange[] = []
      for (const { collection, byId } of all) {
        for (const { id, loaded, position, document } of byId.values()) {
          if (position !== loaded) changes.push({ collection, id, position, document, fresh: loaded === NEVER })
        }
      }
      return changes
    },
    writtenBeyond: (bound) => {
      const names: DocumentName[] = []
      for (const { collection, byId } of all)
        for (const { id, loaded, position } of byId.values())
          if (loaded !== undefined && position === loaded && loaded > bound) names.push({ collection, id })
      return names
    },
    parked: () => parked,
  }
}
