// Decision 41.

import { createHash } from 'node:crypto'
import { type Collection, collectionKey, type Document, type DocumentStore } from '../../src/ports/documents.ts'
import { LOG_START, type Position } from '../../src/ports/event-store.ts'
import { findBy, listingIndex } from '../../src/ports/indexed.ts'
import { ANY_COLLECTION, parked } from './parked.ts'
import type { OnPoison } from './projecting.ts'
import { collection, type Projection } from './projection.ts'
import { retryParked } from './retry-parked.ts'
import { Fenced, openRunner, type Ports, type Runner, readParked } from './runner.ts'

/** Collections that were current together at some time; the id names their common checkpoint. */
export type SetDocument = Document & { readonly collections: readonly string[] }

export const sets = collection<SetDocument>({ name: 'read_model_sets', version: 1, indexes: [{ fields: ['id'] }] })

/** Returns the names of the projections' collections, with versions. */
export const keysOf = (projections: readonly Projection[]): readonly string[] =>
  projections.map((one) => collectionKey(one.collection)).sort()

/** Returns the checkpoint that a set of collection versions shares. Another version of any of them makes another set. */
export const checkpointOf = (projections: readonly Projection[], prefix = 'read-models'): string =>
  `${prefix}-${createHash('sha256').update(keysOf(projections).join(',')).digest('hex').slice(0, 12)}`

/** Returns all collections that must be prepared to run these projections. */
export const collectionsOf = (projections: readonly Projection[]): readonly Collection<Document>[] => [
  ...projections.map((one) => one.collection),
  parked,
  sets,
]

/** Reports how far a build has come. It is called after every batch. */
export type ReportProgress = (progress: { readonly position: Position; readonly target: Position; readonly events: number }) => void

/** As many events as memory allows, so that a document is written once for many votes. */
export const BUILD_BATCH_EVENTS = 1_000_000
/** The most bytes of a batch; while building, nothing else needs the memory. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024

const ALL_SETS = listingIndex(sets, [], ['id'])
const MAX_SETS = 1_000
/** Documents can be written only together with a checkpoint. This one serves the writes of parked entries and nothing else. */
const RESTORE = 'restore-parked'

export const listSets = (documents: DocumentStore): Promise<readonly SetDocument[]> => findBy(documents, ALL_SETS, {}, { limit: MAX_SETS })

type Predecessor = { readonly collections: readonly string[]; readonly position: Position }

/** Returns the set that shares a collection with this one and has come furthest. */
const predecessorOf = async (documents: DocumentStore, projections: readonly Projection[]): Promise<Predecessor | undefined> => {
  const keys = keysOf(projections)
  let best: Predecessor | undefined
  for (const { id, collections } of await listSets(documents)) {
    const position = await documents.checkpoint(id)
    if (position === undefined || !collections.some((key) => keys.includes(key))) continue
    if (best === undefined || position > best.position) best = { collections, position }
  }
  return best
}

const register = async (documents: DocumentStore, projections: readonly Projection[], position: Position): Promise<void> => {
  const id = checkpointOf(projections)
  const change = { collection: sets, id, position, document: { id, collections: keysOf(projections) } }
  if ((await documents.write([change], { name: id, from: undefined, to: position })) === 'fenced') throw new Fenced(id)
}

/**
 * Deletes the documents of these projections, and before them every checkpoint that covers them. Wherever this is interrupted, the next
 * start then rebuilds the documents instead of assuming that they are complete. The collections must be prepared again: clearing may drop
 * them, and leaves them without indexes.
 */
const forget = async (documents: DocumentStore, projections: readonly Projection[]): Promise<void> => {
  const keys = keysOf(projections)
  for (const { id, collections } of await listSets(documents)) {
    if (collections.some((key) => keys.includes(key))) await documents.clear([], id)
  }
  const collections = projections.map((one) => one.collection)
  await documents.prepare(collections, 'later') // emptying is faster without the indexes, too
  await documents.clear(collections, checkpointOf(projections, 'build'))
}

/** Drops the parked entries of rebuilt collections. The entry of an unreadable event stays until all collections are rebuilt. */
const dropParked = async (documents: DocumentStore, keys: readonly string[], all: boolean): Promise<void> => {
  const entries = await readParked(documents)
  const remaining = entries.filter(({ collection }) => (collection === ANY_COLLECTION ? !all : !keys.includes(collection)))
  if (remaining.length === entries.length) return
  await documents.clear([parked], RESTORE)
  await documents.prepare([parked])
  const changes = remaining.map((document) => ({ collection: parked, id: document.id, position: document.last, document }))
  await documents.write(changes, { name: RESTORE, from: undefined, to: LOG_START })
}

type Building = { readonly target: Position; readonly onPoison: OnPoison }

/** Projects to a position under a checkpoint of its own, and goes on where an earlier try stopped. Indexes are made at the end. */
const build = async (
  ports: Ports,
  projections: readonly Projection[],
  { target, onPoison }: Building,
  report: ReportProgress,
): Promise<void> => {
  const { documents } = ports
  const collections = projections.map((one) => one.collection)
  const checkpoint = checkpointOf(projections, 'build')
  const empty = (await documents.checkpoint(checkpoint)) === undefined
  if (empty) await forget(documents, projections)
  await documents.prepare(collections, 'later')
  const writer = documents.building?.(documents)
  const built = { ...ports, documents: { ...documents, ...writer } }
  try {
    const runner = await openRunner(built, projections, { checkpoint, onPoison, empty, maxBytes: MAX_BATCH_BYTES })
    for (let events = 0; ; ) {
      const batch = await runner.next(BUILD_BATCH_EVENTS, target)
      if (batch.events === 0) break
      events += batch.events
      report({ position: batch.position, target, events })
    }
  } finally {
    await writer?.close()
  }
  await documents.prepare(collections)
}

/** Builds `added` up to the position of the other collections of the set, or all collections up to a position of the log. */
const buildAdded = async (
  ports: Ports,
  projections: readonly Projection[],
  added: readonly Projection[],
  building: Building,
  report: ReportProgress,
): Promise<void> => {
  const { target, onPoison } = building
  if (added.length > 0) await build(ports, added, building, report)
  if (onPoison === 'stop') await dropParked(ports.documents, keysOf(added), added.length === projections.length)
  await register(ports.documents, projections, target)
  await ports.documents.clear([], checkpointOf(added, 'build'))
}

/** Forgets read models that are ahead of the log: they belong to another history, since a backup was restored. */
const forgetOtherHistory = async ({ events, documents }: Ports, projections: readonly Projection[]): Promise<void> => {
  const head = await events.head()
  const ownPosition = await documents.checkpoint(checkpointOf(projections))
  const earlier = await predecessorOf(documents, projections)
  const ahead = (position: Position | undefined) => position !== undefined && position > head
  if (ahead(ownPosition) || ahead(earlier?.position)) {
    await forget(documents, projections)
    await documents.clear([parked], checkpointOf(projections))
    await documents.prepare([parked])
  }
}

/**
 * Opens a runner for the collections as this version declares them. Collections that an earlier version also has are continued from their
 * position. New ones are first built up to that position. A failing event is fatal then, while the earlier version can still be run.
 * Without an earlier version, all are built from the log. After an interruption at any point, the next start goes on. Parked documents are
 * tried again.
 */
export const openReadModels = async (
  ports: Ports,
  projections: readonly Projection[],
  report: ReportProgress = () => {},
): Promise<Runner> => {
  const { documents, events } = ports
  await documents.prepare([parked, sets]) // the others are prepared once it is known which ones are built, which is faster without indexes
  await forgetOtherHistory(ports, projections)
  const checkpoint = checkpointOf(projections)
  if ((await documents.checkpoint(checkpoint)) === undefined) {
    const earlier = await predecessorOf(documents, projections)
    const added = projections.filter((one) => !earlier?.collections.includes(collectionKey(one.collection)))
    if (earlier) await buildAdded(ports, projections, added, { target: earlier.position, onPoison: 'stop' }, report)
    else await buildAdded(ports, projections, projections, { target: await events.head(), onPoison: 'park' }, report)
  }
  await documents.prepare(collectionsOf(projections))
  const at = await documents.checkpoint(checkpoint)
  const findCover = () => (at === undefined ? undefined : { name: checkpoint, at })
  await retryParked(ports, projections, { entries: await readParked(documents), findCover: findCover })
  return openRunner(ports, projections, { checkpoint, onPoison: 'park' })
}

/**
 * Rebuilds the named collections from the log, or all of them if none is named; the others stay as they are. A failing event is fatal.
 * Nothing else may run on these stores meanwhile.
 */
export const rebuild = async (
  ports: Ports,
  projections: readonly Projection[],
  names: readonly string[],
  report: ReportProgress = () => {},
): Promise<void> => {
  const { documents, events } = ports
  await documents.prepare(collectionsOf(projections))
  const position = await documents.checkpoint(checkpointOf(projections))
  const entries = await readParked(documents)
  // an event that could not be read is missing in every collection
  const isPartial = position !== undefined && names.length > 0 && !entries.some(({ collection }) => collection === ANY_COLLECTION)
  const chosen = isPartial ? projections.filter((one) => names.includes(one.collection.name)) : projections
  await forget(documents, chosen)
  await buildAdded(ports, projections, chosen, { target: isPartial ? position : await events.head(), onPoison: 'stop' }, report)
}
