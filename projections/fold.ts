import type { Logged } from '../src/domain/events.ts'
import type { Change, Collection, Document, Versioned } from '../src/ports/documents.ts'
import { type ParkedDocument, parkedBehind, parkedBy, parkedId } from './parked.ts'
import type { Projection, Touch } from './projection.ts'

export const collectionKey = ({ name, version }: Collection<Document>): string => `${name}_v${version}`

type Step = { readonly event: Logged; readonly change: Touch<Document>['change'] }

/** What a batch of events will do to one collection: for each document the changes in log order. */
export type Work = {
  readonly collection: Collection<Document>
  readonly steps: ReadonlyMap<string, readonly Step[]>
}

/** By id. */
export type Parked = ReadonlyMap<string, ParkedDocument>
export type Plan = { readonly work: readonly Work[]; readonly parked: Parked }
export type Outcome = { readonly changes: readonly Change[]; readonly parked: Parked }

type Reader = { readonly at: number; readonly key: string; readonly read: (event: Logged) => readonly Touch<Document>[] }

const TRIES = 3

/** Once more for what may have been a passing fault of the machine; an error that stays is the event's own. */
const insist = <T>(work: () => T): T => {
  for (let left = TRIES; ; left--) {
    try {
      return work()
    } catch (error) {
      if (left === 1) throw error
    }
  }
}

/** Who reads which event, looked up once for all projections. */
const readersOf = (projections: readonly Projection[]): ReadonlyMap<string, readonly Reader[]> => {
  const readers = new Map<string, Reader[]>()
  projections.forEach(({ collection, on }, at) => {
    for (const [type, read] of Object.entries(on)) {
      const known = readers.get(type) ?? []
      known.push({ at, key: collectionKey(collection), read: read as Reader['read'] })
      readers.set(type, known)
    }
  })
  return readers
}

/**
 * The first half of the pure step: which documents a batch of events touches, and how. `mine` leaves out documents that are another
 * worker's. What was parked before stays parked; what is parked newly is part of the plan.
 */
export const planner = (projections: readonly Projection[], mine: (document: string) => boolean = () => true) => {
  const readers = readersOf(projections)
  return (events: readonly Logged[], known: Parked): Plan => {
    const parked = new Map<string, ParkedDocument>()
    const steps = projections.map(() => new Map<string, Step[]>())

    const touchesOf = ({ key, read }: Reader, event: Logged): readonly Touch<Document>[] => {
      const stopped =
        known.size + parked.size > 0 ? (parked.get(parkedId(key, event.stream)) ?? known.get(parkedId(key, event.stream))) : undefined
      if (stopped) {
        parked.set(stopped.id, parkedBehind(stopped, event.position))
        return []
      }
      try {
        return insist(() => read(event))
      } catch (error) {
        const entry = parkedBy({ collection: key, document: event.stream }, event, error)
        parked.set(entry.id, entry)
        return []
      }
    }

    for (const event of events) {
      for (const reader of readers.get(event.type) ?? []) {
        const own = steps[reader.at]
        for (const { id, change } of touchesOf(reader, event)) {
          if (!mine(id)) continue
          const before = own?.get(id)
          if (before) before.push({ event, change })
          else own?.set(id, [{ event, change }])
        }
      }
    }
    const work = projections.map(({ collection }, at) => ({ collection, steps: steps[at] ?? new Map() }))
    return { work: work.filter((one) => one.steps.size > 0), parked }
  }
}

/**
 * The second half: what becomes of the documents of one collection, given as they were loaded. Events at or before a document's
 * position change nothing, so that redelivery is harmless.
 */
export const fold = ({ collection, steps }: Work, loaded: ReadonlyMap<string, Versioned<Document>>, known: Parked): Outcome => {
  const key = collectionKey(collection)
  const changes: Change[] = []
  const parked = new Map<string, ParkedDocument>()

  for (const [id, todo] of steps) {
    const before = loaded.get(id)
    let document = before?.document
    let position = before?.position ?? ''
    let stopped = known.size > 0 ? known.get(parkedId(key, id)) : undefined
    const start = position

    for (const { event, change } of todo) {
      if (event.position <= start) continue
      if (stopped) {
        stopped = parkedBehind(stopped, event.position)
        continue
      }
      try {
        const current = document
        const next = insist(() => change(current))
        if (next !== document) {
          document = next
          position = event.position
        }
      } catch (error) {
        stopped = parkedBy({ collection: key, document: id }, event, error)
      }
    }
    if (position !== start) changes.push({ collection, id, position, document })
    if (stopped) parked.set(stopped.id, stopped)
  }
  return { changes, parked }
}
