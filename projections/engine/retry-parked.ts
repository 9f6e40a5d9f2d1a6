// Decision 41.

import type { DocumentChange } from '../../src/ports/documents.ts'
import { MAX_PAGE_EVENTS, type Position } from '../../src/ports/event-store.ts'
import { collectionKey, readersOf } from './batch.ts'
import { openPace } from './pace.ts'
import { byKey, type ParkedDocument, type ParkedDocuments, parkedKey, toParkingWrite, toUnparkingWrite } from './parked.ts'
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

/**
 * Tries parked documents again: the code may have changed since they were parked. The events of a document are applied in the order of the
 * log, from the one that stopped it up to the checkpoint that covers it, whose events are applied to all other documents. If one fails, the
 * document stays as it was before that one. Returns the entries that are left. No runner may work on these documents meanwhile.
 */
export const retryParked = async (
  { events: log, documents, open }: Pick<Ports, 'documents' | 'open'> & { readonly events: Pick<Ports['events'], 'readAll'> },
  projections: readonly Projection[],
  { entries, findCover: coveredBy, isCurrent }: Retry,
): Promise<readonly ParkedDocument[]> => {
  let left: ParkedDocuments = byKey(entries)

  const retryOne = async (entry: ParkedDocument, projection: Projection, after: Position, { name, at }: Covering) => {
    const key = parkedKey(entry)
    const readers = readersOf([projection])
    const pace = openPace(MAX_PAGE_EVENTS)
    const others = new Map([...left].filter(([other]) => other !== key))
    let again: ParkedDocument | undefined
    let made: DocumentChange | undefined
    const loadSome: LoadSome = async (collection, ids) =>
      made ? new Map(ids.map((id) => [id, made as DocumentChange])) : load(documents, collection, ids)
    for (let from = after; from < at; ) {
      const page = (await log.readAll(from, pace.events())).filter(({ position }) => position <= at)
      const last = page.at(-1)
      if (last === undefined) break
      const known = again ? new Map([...others, [key, again] as const]) : others
      // events before the entry are applied already, and what they left may be swept
      const isOfDocument = (document: string, _: string, position: Position) => document === entry.document && position >= entry.position
      const projecting = openProjecting({
        open,
        projections: [projection],
        readers,
        known,
        loadSome,
        pace,
        after: from,
        isOurs: isOfDocument,
      })
      await projecting.step(page)
      const { changes, news } = projecting.result()
      // an event that cannot be assigned to documents may be for this one
      if ([...news.keys()].some((other) => other !== key && !others.has(other))) return
      again = news.get(key) ?? again
      if (again?.event === entry.event) return
      made = changes[0] ?? made
      from = last.position
    }
    // a complete document counts as changed now, so that looks for changes find it
    const changed = made && { ...made, position: again ? made.position : at }
    // the entry is removed last: a store may have parts of a write alone
    for (const changes of [[...(changed ? [changed] : []), ...(again ? [toParkingWrite(again)] : [])], [toUnparkingWrite(entry)]])
      if ((await documents.write(changes, { name, from: at, to: at }, isCurrent)) === 'fenced') return
    left = again ? new Map([...others, [key, again]]) : others
  }

  for (const entry of entries) {
    const projection = projections.find(({ collection }) => collectionKey(collection) === entry.collection)
    const covered = coveredBy(entry.document)
    // an entry beyond the checkpoint is of a batch that is still to be projected
    const isReached = covered !== undefined && entry.position <= covered.at
    if (projection && isReached && entry.after !== undefined) await retryOne(entry, projection, entry.after, covered)
  }
  return [...left.values()]
}
