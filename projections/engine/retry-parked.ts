// Decision 41.

import { collectionKey, type Document, type DocumentChange, type VersionedDocument } from '../../src/ports/documents.ts'
import { LOG_START, MAX_PAGE_EVENTS, type Position, type RecordedEvent } from '../../src/ports/event-store.ts'
import { readersOf } from './batch.ts'
import { openPace } from './pace.ts'
import { byKey, type ParkedDocument, parkedKey, toParkingWrite, toUnparkingWrite } from './parked.ts'
import { type LoadSome, load, openProjecting } from './projecting.ts'
import type { Projection } from './projection.ts'
import type { Ports } from './runner.ts'

/** The checkpoint that covers a document, and its position. */
type Covering = { readonly name: string; readonly at: Position }

type Retry = {
  readonly entries: readonly ParkedDocument[]
  /** Returns the checkpoint that covers a document; undefined if the document is not to be tried. */
  readonly findCover: (document: string) => Covering | undefined
  /** Returns false once another process may move the checkpoints. */
  readonly isCurrent?: () => boolean
}

/** A parked document that is tried again. */
type Tried = {
  /** Its entries, the first event first. There are several if an earlier try ended midway. */
  readonly entries: readonly ParkedDocument[]
  readonly entry: ParkedDocument
  readonly after: Position
  readonly cover: Covering
  /** The document as the events so far have made it. */
  document: DocumentChange | undefined
  /** The new entry, if an event failed again. */
  failedEntry: ParkedDocument | undefined
}

/** Returns the documents to try, by their keys. A document whose entry is beyond its checkpoint is of a batch that is still to be projected. */
const triedOf = (projections: readonly Projection[], { entries, findCover }: Retry): Map<string, Tried> => {
  const keys = new Set(projections.map(({ collection }) => collectionKey(collection)))
  const tried = new Map<string, Tried>()
  for (const [key, entriesOfDocument] of Map.groupBy(entries, parkedKey)) {
    const ordered = entriesOfDocument.toSorted((one, other) => (one.position < other.position ? -1 : 1))
    const [entry] = ordered
    const cover = entry && keys.has(entry.collection) ? findCover(entry.document) : undefined
    if (entry?.after === undefined || cover === undefined || entry.position > cover.at) continue
    tried.set(key, { entries: ordered, entry, after: entry.after, cover, document: undefined, failedEntry: undefined })
  }
  return tried
}

/** Writes the documents as the tries have made them, and the entries that remain. Returns all entries that are left. */
const writeTried = async (
  documents: Ports['documents'],
  tried: Iterable<Tried>,
  { entries, isCurrent }: Retry,
): Promise<readonly ParkedDocument[]> => {
  const settled = new Set<ParkedDocument>()
  const stillParked: ParkedDocument[] = []
  for (const [name, group] of Map.groupBy(tried, ({ cover }) => cover.name)) {
    const at = group[0]?.cover.at ?? LOG_START
    const move = { name, from: at, to: at }
    // a complete document counts as changed now, so that looks for changes find it
    const changes = group.flatMap(({ document, failedEntry }) => [
      ...(document ? [{ ...document, position: failedEntry ? document.position : at }] : []),
      ...(failedEntry ? [toParkingWrite(failedEntry)] : []),
    ])
    const former = group.flatMap((one) => one.entries)
    // entries are removed last: a store may have parts of a write alone
    const stays = new Set(group.flatMap(({ failedEntry }) => failedEntry?.id ?? []))
    const removals = former.filter(({ id }) => !stays.has(id)).map(toUnparkingWrite)
    if ((await documents.write(changes, move, isCurrent)) === 'fenced') continue
    if ((await documents.write(removals, move, isCurrent)) === 'fenced') continue
    for (const entry of former) settled.add(entry)
    stillParked.push(...group.flatMap(({ failedEntry }) => failedEntry ?? []))
  }
  return [...entries.filter((entry) => !settled.has(entry)), ...stillParked]
}

/**
 * Tries parked documents again, all in one pass over the log: the code may have changed since they were parked. The events of a document
 * are applied in the order of the log, from the one that stopped it up to the checkpoint that covers it, whose events are applied to all
 * other documents. If one fails, the document stays as it was before that one. Returns the entries that are left. No runner may work on
 * these documents meanwhile.
 */
export const retryParked = async (
  { events: log, documents, open }: Pick<Ports, 'documents' | 'open'> & { readonly events: Pick<Ports['events'], 'readAll'> },
  projections: readonly Projection[],
  retry: Retry,
): Promise<readonly ParkedDocument[]> => {
  const { entries } = retry
  const readers = readersOf(projections)
  const pace = openPace(MAX_PAGE_EVENTS)
  const tried = triedOf(projections, retry)
  const others = byKey(entries.filter((entry) => !tried.has(parkedKey(entry))))

  const loadSome: LoadSome = async (collection, ids) => {
    const changeOf = (id: string) => tried.get(parkedKey({ collection: collectionKey(collection), document: id }))?.document
    const changed = ids.flatMap((id): [string, VersionedDocument<Document>][] => {
      const change = changeOf(id)
      return change ? [[id, change]] : []
    })
    const stored = await load(
      documents,
      collection,
      ids.filter((id) => changeOf(id) === undefined),
    )
    return new Map([...stored, ...changed])
  }

  /** Applies some events. Returns false after one that cannot be assigned to documents: it may be for any of these. */
  const apply = async (after: Position, page: readonly RecordedEvent[]): Promise<boolean> => {
    const failedEntries = [...tried].flatMap(([key, one]): [string, ParkedDocument][] => (one.failedEntry ? [[key, one.failedEntry]] : []))
    // events before an entry are applied already, and what they left may be swept
    const isTried = (document: string, collection: string, position: Position) => {
      const one = tried.get(parkedKey({ collection, document }))
      return one !== undefined && position >= one.entry.position && position <= one.cover.at
    }
    const known = new Map([...others, ...failedEntries])
    const projecting = openProjecting({ open, projections, readers, known, loadSome, pace, after, isOurs: isTried })
    await projecting.step(page)
    const { changes, news } = projecting.result()
    for (const change of changes) {
      const one = tried.get(parkedKey({ collection: collectionKey(change.collection), document: change.id }))
      if (one) one.document = change
    }
    for (const [key, entry] of news) {
      const one = tried.get(key)
      if (one) one.failedEntry = entry
      else if (!others.has(key)) return false
    }
    return true
  }

  for (let from = LOG_START; tried.size > 0; ) {
    const [first = LOG_START] = [...tried.values()].map(({ after }) => after).sort()
    if (from < first) from = first
    const covered = [...tried.values()].map(({ cover }) => cover.at).sort()
    const end = covered.at(-1) ?? LOG_START
    const page = from < end ? (await log.readAll(from, pace.events())).filter(({ position }) => position <= end) : []
    const last = page.at(-1)
    if (last === undefined) break
    const isAssigned = await apply(
      from,
      page.filter(({ type }) => readers.has(type)),
    )
    if (!isAssigned) return entries
    for (const [key, { entry, failedEntry }] of tried) if (failedEntry?.event === entry.event) tried.delete(key)
    from = last.position
  }

  return writeTried(documents, tried.values(), retry)
}
