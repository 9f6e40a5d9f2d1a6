import type { Document, DocumentChange } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { freezeDeep } from './cache.ts'
import type { DocumentRows } from './document-rows.ts'
import type { HeldDocument, TableChanges } from './held-documents.ts'
import { fromPosition } from './log.ts'
import { type TableLayout, toStored } from './tables.ts'

/** The latest state of one document, until it is in the file. */
export type Held = HeldDocument & {
  readonly id: string
  readonly at: Position
  /** True if no document or tombstone is in the file, and none is being written. */
  isNew: boolean
}
/** The latest states of the documents of one table. */
export type StagedTable = { readonly table: TableLayout; readonly byId: Map<string, Held> }
/** Returns the state of a document before a change. `fresh` means that it is not in the file. */
export type StateBefore = (table: TableLayout, id: string, fresh: boolean) => Pick<Held, 'position' | 'parsed' | 'isNew'> | undefined
type News = { readonly collection: string; ids: string[]; positions: number[]; texts: (string | undefined)[]; isSearchAffected: boolean }

/** Throws for values that no column can hold, before anything is held. */
const refuseUnstorable = ({ columns }: TableLayout, document: Document): void => {
  const fields = document as Readonly<Record<string, unknown>> & Document
  for (const field of columns) if (typeof fields[field] === 'object') toStored(fields[field])
}

const isSearchAffected = ({ collection: { search } }: TableLayout, before: Document | undefined, after: Document | undefined): boolean => {
  if (!search) return false
  if (!before || !after) return true
  const [was, now] = [before, after] as unknown as readonly Readonly<Record<string, unknown>>[]
  const fields = [...search.text, ...search.filters, ...(search.only === undefined ? [] : [search.only])]
  return fields.some((field) => was?.[field] !== now?.[field])
}

/** Returns the states of documents after the changes, and the notices for readers. Nothing is held yet, so a failure leaves nothing. */
export const stagedChanges = (stored: Pick<DocumentRows, 'table'>, before: StateBefore, changes: readonly DocumentChange[]) => {
  const results = new Map<string, StagedTable>()
  const news = new Map<string, News>()
  for (const { collection, id, position: at, document, fresh = false } of changes) {
    if (document && document.id !== id) throw new Error(`the change of document ${id} contains a document with the id ${document.id}`)
    const table = stored.table(collection)
    const position = fromPosition(at)
    const byId = results.get(table.name)?.byId ?? new Map<string, Held>()
    const was = byId.get(id) ?? before(table, id, fresh)
    if (was && position <= was.position) continue
    if (document) refuseUnstorable(table, document)
    results.set(table.name, { table, byId })
    byId.set(id, {
      id,
      at,
      position,
      text: document && JSON.stringify(document),
      parsed: document && freezeDeep(document),
      isNew: was?.isNew ?? true,
    })
    const known = news.get(table.name) ?? { collection: collection.name, ids: [], positions: [], texts: [], isSearchAffected: false }
    known.isSearchAffected ||= isSearchAffected(table, was?.parsed, document)
    news.set(table.name, known)
  }
  for (const [name, { byId }] of results) {
    const known = news.get(name)
    for (const { id, position, text } of byId.values()) {
      known?.ids.push(id)
      known?.positions.push(position)
      known?.texts.push(text)
    }
  }
  return { results, news: [...news].map(([table, changes]): TableChanges => ({ table, ...changes })) }
}
