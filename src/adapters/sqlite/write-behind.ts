import type { Change, CheckpointMove, Document } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { frozen } from './cache.ts'
import type { DocumentWriter } from './changes.ts'
import type { Connection } from './connection.ts'
import type { DocumentRows } from './document-rows.ts'
import { positionOf } from './documents.ts'
import { type ChangingTable, type HeldDocument, type HeldDocuments, heldTable, type TableChanges } from './held-documents.ts'
import { fromPosition } from './log.ts'
import { type Table, toStored } from './tables.ts'

/** When changes are written to the file: what is held may be so old, milliseconds, so many documents, or texts of so many characters. */
export type HoldLimits = {
  readonly ms: number
  readonly documents: number
  readonly characters: number
  /** No more than so many documents are written after so many milliseconds: that takes little time, and waiting would join few changes. */
  readonly few?: { readonly documents: number; readonly ms: number }
}

export const HOLD_LIMITS: HoldLimits = { ms: 1_000, documents: 10_000, characters: 4 * 1024 * 1024, few: { documents: 500, ms: 250 } }

/** Who follows what is held: told of each change, by number, before it is in the file, and up to which number all are. */
export type HoldListener = {
  readonly onChanged: (changed: readonly TableChanges[], number: number) => void
  /** Called before anything of what was told is written. */
  readonly onFlushing: () => void
  readonly onFlushed: (upTo: number) => void
}

/**
 * The writing half of the document store that holds changes back: many changes of a document become one, and checkpoints move in the file
 * together with all changes up to them. Until `hold` is called everything is written at once; from then on no other connection writes
 * documents.
 */
export type WriteBehind = DocumentWriter & {
  readonly held: HeldDocuments
  readonly checkpoint: (name: string) => Position | undefined
  readonly hold: (listener: HoldListener, limits?: HoldLimits) => void
  readonly isDue: () => boolean
  /** Write all that is held, in one transaction. Throws if that fails; then it is still held. */
  readonly flush: () => void
}

type Held = HeldDocument & {
  readonly id: string
  readonly at: Position
  /** No document or tombstone is in the file. */
  readonly isNew: boolean
}
type Staged = { readonly table: Table; readonly byId: Map<string, Held> }
type HeldChanges = { readonly table: Table; readonly byId: ChangingTable<Held> }
type News = { readonly collection: string; ids: string[]; positions: number[]; texts: (string | undefined)[]; isSearchAffected: boolean }

/** Fails for what no column can hold, before anything is held. */
const refuseUnstorable = ({ columns }: Table, document: Document): void => {
  const fields = document as Readonly<Record<string, unknown>> & Document
  for (const field of columns) if (typeof fields[field] === 'object') toStored(fields[field])
}

const isSearchAffected = ({ collection: { search } }: Table, before: Document | undefined, after: Document | undefined): boolean => {
  if (!search) return false
  if (!before || !after) return true
  const [was, is] = [before, after] as unknown as readonly Readonly<Record<string, unknown>>[]
  const fields = [...search.text, ...search.filters, ...(search.only === undefined ? [] : [search.only])]
  return fields.some((field) => was?.[field] !== is?.[field])
}

export const writeBehind = (connection: Connection, stored: DocumentRows, writer: DocumentWriter): WriteBehind => {
  let listener: HoldListener | undefined
  let limits = HOLD_LIMITS
  let number = 0
  let tables = new Map<string, HeldChanges>()
  let moves = new Map<string, CheckpointMove>()
  let since: number | undefined
  let documents = 0
  let characters = 0

  const checkpoint = (name: string): Position | undefined => moves.get(name)?.to ?? positionOf(connection, name)

  const flush = (): void => {
    if (since === undefined) return
    listener?.onFlushing()
    // In the order in which they first changed, so that new rows are numbered as if they had been written at once.
    const changes = [...tables.values()].flatMap(({ table: { collection }, byId }) =>
      [...byId.values()].map(({ id, at: position, parsed: document, text, isNew: fresh }) => ({
        collection,
        id,
        position,
        document,
        text,
        fresh,
      })),
    )
    if (writer.write(changes, [...moves.values()]) === 'fenced') throw new Error('another process writes the read models of this file')
    tables = new Map()
    moves = new Map()
    since = undefined
    documents = 0
    characters = 0
    listener?.onFlushed(number)
  }

  /** The state of a document before a change. */
  const before = (table: Table, id: string, fresh: boolean): Pick<Held, 'position' | 'parsed' | 'isNew'> | undefined => {
    const held = tables.get(table.name)?.byId.get(id)
    if (held || fresh) return held
    const current = stored.known(table, id) ?? stored.current(table, id, stored.version())
    if (current) return { position: current.position, parsed: current.document, isNew: false }
    const grave = stored.grave(table, id)
    return grave === undefined ? undefined : { position: grave, parsed: undefined, isNew: false }
  }

  /** What the changes make of documents, and what readers must know of it; nothing is held yet, so that a failure leaves nothing. */
  const staged = (changes: readonly Change[]) => {
    const results = new Map<string, Staged>()
    const news = new Map<string, News>()
    for (const { collection, id, position: at, document, fresh = false } of changes) {
      if (document && document.id !== id) throw new Error(`a change of ${id} holds the document ${document.id}`)
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
        parsed: document && frozen(document),
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
    return { results, news: [...news].map(([table, of]): TableChanges => ({ table, ...of })) }
  }

  const take = ({ table, byId }: Staged): void => {
    const there = tables.get(table.name)?.byId ?? heldTable<Held>()
    tables.set(table.name, { table, byId: there })
    for (const [id, held] of byId) {
      const replaced = there.get(id)
      if (!replaced) documents += 1
      characters += (held.text?.length ?? 0) - (replaced?.text?.length ?? 0)
      there.set(id, held)
    }
  }

  const write: DocumentWriter['write'] = (changes, checkpoints) => {
    if (!listener) return writer.write(changes, checkpoints)
    const wanted = [checkpoints].flat()
    // A mark that is made without documents must be there before what follows from it.
    if (changes.length === 0 && wanted.some(({ from }) => from === undefined)) {
      flush()
      return writer.write(changes, wanted)
    }
    if (!wanted.every(({ name, from }) => checkpoint(name) === from)) return 'fenced'
    const { results, news } = staged(changes)
    for (const one of results.values()) take(one)
    for (const { name, from, to } of wanted) moves.set(name, { name, from: moves.has(name) ? moves.get(name)?.from : from, to })
    since ??= performance.now()
    if (news.length > 0) listener.onChanged(news, ++number)
    return 'written'
  }

  const flushed =
    <Args extends readonly unknown[], T>(work: (...args: Args) => T) =>
    (...args: Args): T => {
      flush()
      return work(...args)
    }

  return {
    prepare: flushed(writer.prepare),
    write,
    clear: flushed(writer.clear),
    sweep: flushed(writer.sweep),
    obsolete: flushed(writer.obsolete),
    drop: flushed(writer.drop),
    held: { of: (table) => tables.get(table)?.byId, settle: () => {}, catchUp: () => {}, flush: async () => flush() },
    checkpoint,
    hold: (told, within = HOLD_LIMITS) => {
      stored.trustCache()
      listener = told
      limits = within
    },
    isDue: () => {
      if (since === undefined) return false
      const { ms, few = { documents: 0, ms } } = limits
      const age = performance.now() - since
      return age >= (documents <= few.documents ? few.ms : ms) || documents >= limits.documents || characters >= limits.characters
    },
    flush,
  }
}
