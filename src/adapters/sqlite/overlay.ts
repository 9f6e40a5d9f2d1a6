// Decision 129.

import type { ChangedDocument } from '../../ports/freshness.ts'
import type { DataFile } from './connection.ts'
import { type DocumentRows, EXACT } from './document-rows.ts'
import { type ChangingTable, documentOf, type HeldDocument, type HeldDocuments, heldTable, type TableChanges } from './held-documents.ts'
import type { TableLayout } from './tables.ts'

/*
 * The documents that the writing thread holds, as the reading thread knows them. Changes are announced before they are in the file, so a
 * snapshot may have changes that have not been read here yet: they are taken in after the snapshot was taken. A change leaves when a notice
 * says that it is in the file, but never during a snapshot, which may be older than that.
 */
export type Overlay = HeldDocuments & {
  readonly add: (changed: readonly TableChanges[], number: number) => void
  /** Notes that all changes up to this number are in the file. */
  readonly noteFlushed: (upTo: number) => void
  /** Called before a table is searched in the file. Returns a promise if the search must wait to find all matches. */
  readonly readySearch: (table: TableLayout) => Promise<void> | undefined
}

/** A search writes up to 50 changes that only move matches in their order first. If there are more, its order may be a second old. */
const MAX_FLUSHED_FOR_ORDER = 50
const MAX_SEARCH_LAG_MS = 1_000

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

export const overlay = (connection: DataFile, stored: DocumentRows, { receive, flush, onChanged, onReordered }: OverlayParts): Overlay => {
  const tables = new Map<string, ChangingTable<NumberedDocument>>()
  const searchChanged = new Map<string, number>()
  /** Collections that were searched without waiting for changes of their order. */
  const lagging = new Set<string>()
  let inFile = 0
  let searchedAt = Number.NEGATIVE_INFINITY
  let dropped = 0
  stored.trustCache()

  const settle = (): void => {
    if (dropped === inFile || !connection.db.isOpen || connection.db.isTransaction) return
    dropped = inFile
    for (const [table, told] of tables) {
      for (const id of told.keys()) {
        const { number, parsed, position, text } = told.get(id) as NumberedDocument
        if (number > inFile) continue
        told.delete(id)
        // The number of its row is not needed here.
        if (parsed) stored.remember(table, { n: 0, position, document: parsed, seen: EXACT }, text?.length ?? 0)
      }
      if (told.size === 0) tables.delete(table)
    }
  }

  /** Ends the lag even if nothing changes or is searched any more: pages of the older order are cached until then. */
  const endLagAt = (at: number): void => {
    const end = () => (lagging.size > 0 ? flush() : Promise.resolve())
    setTimeout(() => end().catch(() => undefined), at - performance.now()).unref() // a flush that fails is tried again
  }

  return {
    of: (table) => tables.get(table),
    settle,
    catchUp: receive,
    flush,
    add: (changed, number) => {
      settle()
      for (const { table, collection, ids, positions, texts, isSearchAffected } of changed) {
        const told = tables.get(table) ?? heldTable<NumberedDocument>()
        tables.set(table, told)
        ids.forEach((id, i) => {
          stored.forget(table, id)
          const one: NumberedDocument = { number, position: positions[i] ?? 0, text: texts[i], parsed: undefined }
          told.set(id, one)
          onChanged(collection, { id, document: () => documentOf(one) }, one.text?.length ?? 0)
        })
        if (isSearchAffected) searchChanged.set(table, number)
      }
    },
    noteFlushed: (upTo) => {
      inFile = upTo
      settle()
      for (const collection of lagging) onReordered(collection)
      lagging.clear()
    },
    readySearch: ({ name, collection }) => {
      const told = tables.get(name)
      if (told === undefined) return undefined
      const isOtherFound = (searchChanged.get(name) ?? 0) > inFile
      if (!isOtherFound && told.size > MAX_FLUSHED_FOR_ORDER && performance.now() - searchedAt < MAX_SEARCH_LAG_MS) {
        if (lagging.size === 0) endLagAt(searchedAt + MAX_SEARCH_LAG_MS)
        lagging.add(collection.name)
        return undefined
      }
      searchedAt = performance.now()
      return flush()
    },
  }
}
