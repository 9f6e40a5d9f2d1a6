// Decision 129.

import type { ChangedDocument } from '../../ports/freshness.ts'
import type { DataFile } from './connection.ts'
import { type DocumentRows, EXACT_VERSION } from './document-rows.ts'
import { type ChangingTable, documentOf, type HeldDocument, type HeldDocuments, heldTable, type TableChanges } from './held-documents.ts'
import type { TableLayout } from './tables.ts'

/*
 * The documents that the writing thread holds, as the reading thread knows them. The writing thread numbers its notices of changes, and
 * announces each before the change is in the file. A snapshot of the file may therefore have changes whose notices were not read here yet:
 * they are read after the snapshot was taken. A document is dropped when the file has its change, but never during a snapshot, which may
 * be older than that.
 */
export type Overlay = HeldDocuments & {
  /** Takes in one notice: the changed documents, and its number. */
  readonly add: (changed: readonly TableChanges[], number: number) => void
  /** Notes that the changes of all notices up to this number are in the file. */
  readonly noteFlushed: (upTo: number) => void
  /** Called before a table is searched in the file. Returns a promise if the search must wait to find all matches. */
  readonly readySearch: (table: TableLayout) => Promise<void> | undefined
}

/** A search writes up to 50 changes that only move matches in their order first. If there are more, its order may be a second old. */
const MAX_FLUSHED_FOR_ORDER = 50
const MAX_SEARCH_LAG_MS = 1_000

/** A held document with the number of its notice. */
type NumberedDocument = HeldDocument & { readonly number: number }

type OverlayParts = {
  /** Takes in every notice that was sent so far. */
  readonly receive: () => void
  readonly flush: () => Promise<void>
  /** Called with each changed document and the length of its text, in characters. */
  readonly onChanged: (collection: string, changed: ChangedDocument, characters: number) => void
  /** Called with the name of a collection if a search in it may have another order than one that did not wait. */
  readonly onReordered: (collection: string) => void
}

export const openOverlay = (
  connection: DataFile,
  stored: DocumentRows,
  { receive, flush, onChanged, onReordered }: OverlayParts,
): Overlay => {
  const tables = new Map<string, ChangingTable<NumberedDocument>>()
  /** The last notice that changed what a search in a table finds. */
  const lastSearchChange = new Map<string, number>()
  /** Collections that were searched without waiting for changes of their order. */
  const lagging = new Set<string>()
  /** The last notice whose changes are in the file, and the last one whose documents were dropped for it. */
  let lastInFile = 0
  let lastDropped = 0
  /** The time (`performance.now()`) of the last search that waited for all changes. */
  let flushedForSearchAt = Number.NEGATIVE_INFINITY
  stored.trustCache()

  const dropFlushed = (): void => {
    if (lastDropped === lastInFile || !connection.db.isOpen || connection.db.isTransaction) return
    lastDropped = lastInFile
    for (const [table, documents] of tables) {
      for (const id of documents.keys()) {
        const { number, parsed, position, text } = documents.get(id) as NumberedDocument
        if (number > lastInFile) continue
        documents.delete(id)
        // the number of its row is not needed here
        if (parsed) stored.remember(table, { n: 0, position, document: parsed, seen: EXACT_VERSION }, text?.length ?? 0)
      }
      if (documents.size === 0) tables.delete(table)
    }
  }

  /** Ends the lag even if nothing changes or is searched any more: pages of the older order are cached until then. */
  const endLagAt = (at: number): void => {
    const end = () => (lagging.size > 0 ? flush() : Promise.resolve())
    setTimeout(() => end().catch(() => undefined), at - performance.now()).unref() // a flush that fails is tried again
  }

  return {
    heldIn: (table) => tables.get(table),
    dropFlushed,
    receiveChanges: receive,
    flush,
    add: (changed, number) => {
      dropFlushed()
      for (const { table, collection, ids, positions, texts, isSearchAffected } of changed) {
        const documents = tables.get(table) ?? heldTable<NumberedDocument>()
        tables.set(table, documents)
        ids.forEach((id, i) => {
          stored.forget(table, id)
          const one: NumberedDocument = { number, position: positions[i] ?? 0, text: texts[i], parsed: undefined }
          documents.set(id, one)
          onChanged(collection, { id, document: () => documentOf(one) }, one.text?.length ?? 0)
        })
        if (isSearchAffected) lastSearchChange.set(table, number)
      }
    },
    noteFlushed: (upTo) => {
      lastInFile = upTo
      dropFlushed()
      for (const collection of lagging) onReordered(collection)
      lagging.clear()
    },
    readySearch: ({ name, collection }) => {
      const documents = tables.get(name)
      if (documents === undefined) return undefined
      const findsOthers = (lastSearchChange.get(name) ?? 0) > lastInFile
      if (!findsOthers && documents.size > MAX_FLUSHED_FOR_ORDER && performance.now() - flushedForSearchAt < MAX_SEARCH_LAG_MS) {
        if (lagging.size === 0) endLagAt(flushedForSearchAt + MAX_SEARCH_LAG_MS)
        lagging.add(collection.name)
        return undefined
      }
      flushedForSearchAt = performance.now()
      return flush()
    },
  }
}
