// Decision 129.

import type { CheckpointMove } from '../../ports/documents.ts'
import { LOG_START, type Position } from '../../ports/event-store.ts'
import { compareValues } from '../../ports/orders.ts'
import type { DocumentWriter } from './changes.ts'
import type { DataFile } from './connection.ts'
import type { DocumentRows } from './document-rows.ts'
import { readCheckpoint } from './documents.ts'
import { type ChangingTable, type HeldDocuments, heldTable, type TableChanges, valueIn } from './held-documents.ts'
import { fromPosition, toPosition } from './log.ts'
import { WRITING_MARK } from './schema.ts'
import { type Held, type StagedTable, type StateBefore, stagedChanges } from './staged-changes.ts'
import type { TableLayout } from './tables.ts'

/** The limits with which held changes are written to the file. */
export type HoldLimits = {
  /** Milliseconds since the first change. */
  readonly ms: number
  /** Events of the log: so many are folded again after a kill. */
  readonly events: number
  readonly documents: number
  /** Characters of the texts of one table. */
  readonly characters: number
  /** The approximate time that one step of writing takes with its commit, in milliseconds. Between steps appends are committed. */
  readonly stepMs: number
}

export const HOLD_LIMITS: HoldLimits = { ms: 10_000, events: 30_000, documents: 40_000, characters: 4 * 1024 * 1024, stepMs: 40 }

/** Follows held changes: learns of each change, by number, before it is in the file, and of the number up to which all are. */
export type HoldListener = {
  /** Called with the new states of documents, before `onChanged`. */
  readonly onHeld?: (staged: StagedTable) => void
  readonly onChanged: (changed: readonly TableChanges[], number: number) => void
  /** Called before any announced change is written. */
  readonly onFlushing: () => void
  readonly onFlushed: (upTo: number) => void
}

/**
 * The writing half of the document store that holds changes back: many changes of a document become one, and checkpoints move in the file
 * together with all changes up to them. Until `hold` is called everything is written at once. From then on no other connection writes
 * documents.
 */
export type WriteBehind = Omit<DocumentWriter, 'writeSome'> & {
  readonly held: HeldDocuments
  readonly checkpoint: (name: string) => Position | undefined
  readonly hold: (listener: HoldListener, limits?: HoldLimits) => void
  /** Tells whether some held changes must be written now. */
  readonly isDue: () => boolean
  /** Tells whether so much is held that some of it must be written before anything is added. */
  readonly isFull: () => boolean
  /** Returns how often something was held. */
  readonly holds: () => number
  /** Tells whether everything that had been held by then is in the file. */
  readonly areWritten: (holds: number) => boolean
  /**
   * Writes some held documents, so many or as many as take a few milliseconds. The checkpoints move with the last of them. Throws if that
   * fails; then it is still held.
   */
  readonly writeSome: (documents?: number) => void
  /** Writes everything that is held. */
  readonly flush: () => void
}

type HeldChanges = { readonly table: TableLayout; readonly byId: ChangingTable<Held>; characters: number }
/** The changes that are being written. They are complete in the file when the last of them is there. */
type Writing = {
  readonly changes: readonly { readonly table: TableLayout; readonly held: Held; readonly fresh: boolean }[]
  next: number
  readonly moves: ReadonlyMap<string, CheckpointMove>
  readonly number: number
  readonly holds: number
}

/**
 * Sorts documents so that neighbours in an index are written one after the other, since they share pages. If row numbers matter, in a
 * search, new rows keep the order in which they were made.
 */
const inWritingOrder = ({ collection, indexes }: TableLayout, all: readonly Held[]): readonly Held[] => {
  const field = indexes[0]?.fields[0]?.field
  if (field === undefined) return all
  const isKept = ({ isNew, parsed }: Held) => parsed === undefined || (isNew && collection.search !== undefined)
  const valued = all.filter((held) => !isKept(held)).map((held) => ({ held, value: valueIn(held, field) }))
  valued.sort((a, b) => compareValues(a.value, b.value))
  return [...all.filter(isKept), ...valued.map(({ held }) => held)]
}

export const writeBehind = (connection: DataFile, stored: DocumentRows, writer: DocumentWriter): WriteBehind => {
  let listener: HoldListener | undefined
  let limits = HOLD_LIMITS
  let number = 0
  let holds = 0
  let written = 0
  const tables = new Map<string, HeldChanges>()
  let moves = new Map<string, CheckpointMove>()
  let since: number | undefined
  let documents = 0
  let writing: Writing | undefined
  /** The part of a step's time before its commit. */
  let share = 0.5

  const checkpoint = (name: string): Position | undefined =>
    (moves.get(name) ?? writing?.moves.get(name))?.to ?? readCheckpoint(connection, name)

  const fills = (times: number): boolean =>
    documents >= times * limits.documents ||
    [...tables.values()].some(({ characters }) => characters >= times * limits.characters) ||
    [...moves.values()].some(({ from = LOG_START, to }) => Number(to) - Number(from) >= times * limits.events)

  /** Returns everything that is held now. It stays as it is while it is written. */
  const begin = (): Writing => {
    listener?.onFlushing()
    const changes = [...tables.values()].flatMap(({ table, byId }) =>
      inWritingOrder(table, [...byId.values()]).map((held) => ({ table, held, fresh: held.isNew })),
    )
    for (const { held } of changes) held.isNew = false
    const writing = { changes, next: 0, moves, number, holds }
    moves = new Map()
    since = undefined
    return writing
  }

  const end = (done: Writing): void => {
    const { changes, number: upTo } = done
    writing = undefined
    written = done.holds
    for (const { table, held } of changes) {
      const current = tables.get(table.name)
      if (current?.byId.get(held.id) !== held) continue // it has changed since
      current.byId.delete(held.id)
      current.characters -= held.text?.length ?? 0
      documents -= 1
      if (current.byId.size === 0) tables.delete(table.name)
    }
    listener?.onFlushed(upTo)
  }

  /** Writes documents for so many milliseconds, so many at most. With the last of all the checkpoints move. */
  const writeSome = (most = Number.POSITIVE_INFINITY, ms = limits.stepMs): void => {
    if (!writing && since === undefined) return
    writing ??= begin()
    const { changes, next: first, moves: moved } = writing
    const began = performance.now()
    const until = began + ms * share
    let filled = began
    let next = first
    const takeChanges = function* () {
      for (let one = changes[next]; one && next - first < most && (next === first || performance.now() < until); one = changes[next]) {
        next += 1
        const { id, at: position, parsed: document, text } = one.held
        yield { collection: one.table.collection, id, position, document, text, fresh: one.fresh }
      }
    }
    // Raises the mark and never lowers it: documents of a killed process may be newer than those that this one has folded so far.
    const mark = (): CheckpointMove => {
      const from = readCheckpoint(connection, WRITING_MARK)
      const highest = changes.reduce((most, { held }) => Math.max(most, held.position), fromPosition(from ?? LOG_START))
      return { name: WRITING_MARK, from, to: toPosition(highest) }
    }
    const checkpoints = (): readonly CheckpointMove[] => {
      filled = performance.now()
      return next === changes.length ? [...moved.values()] : first === 0 ? [mark()] : []
    }
    writer.writeSome(takeChanges(), checkpoints)
    share = (share + (filled - began) / Math.max(performance.now() - began, 0.01)) / 2
    writing.next = next
    if (next === changes.length) end(writing)
  }

  const flush = (): void => {
    while (writing || since !== undefined) writeSome(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
  }

  /** Returns the state of a document before a change. */
  const readStateBefore: StateBefore = (table, id, fresh) => {
    const held = tables.get(table.name)?.byId.get(id)
    if (held || fresh) return held
    const current = stored.known(table, id) ?? stored.current(table, id, stored.version())
    if (current) return { position: current.position, parsed: current.document, isNew: false }
    const grave = stored.grave(table, id)
    return grave === undefined ? undefined : { position: grave, parsed: undefined, isNew: false }
  }

  const take = ({ table, byId }: StagedTable): void => {
    const staged = tables.get(table.name) ?? { table, byId: heldTable<Held>(), characters: 0 }
    tables.set(table.name, staged)
    for (const [id, held] of byId) {
      const replaced = staged.byId.get(id)
      if (!replaced) documents += 1
      staged.characters += (held.text?.length ?? 0) - (replaced?.text?.length ?? 0)
      staged.byId.set(id, held)
    }
  }

  const hold: DocumentWriter['write'] = (changes, checkpoints) => {
    if (!listener) return writer.write(changes, checkpoints)
    const checkpointMoves = [checkpoints].flat()
    // A mark that is made without documents must be there before what follows from it.
    if (changes.length === 0 && checkpointMoves.some(({ from }) => from === undefined)) {
      flush()
      return writer.write(changes, checkpointMoves)
    }
    if (!checkpointMoves.every(({ name, from }) => checkpoint(name) === from)) return 'fenced'
    const { results, news } = stagedChanges(stored, readStateBefore, changes)
    for (const one of results.values()) {
      take(one)
      listener.onHeld?.(one)
    }
    for (const { name, from, to } of checkpointMoves) moves.set(name, { name, from: moves.has(name) ? moves.get(name)?.from : from, to })
    since ??= performance.now()
    holds += 1
    if (news.length > 0) listener.onChanged(news, ++number)
    return 'written'
  }

  const flushBefore =
    <Args extends readonly unknown[], T>(work: (...args: Args) => T) =>
    (...args: Args): T => {
      flush()
      return work(...args)
    }

  return {
    prepare: flushBefore(writer.prepare),
    write: hold,
    clear: flushBefore(writer.clear),
    sweep: flushBefore(writer.sweep),
    obsolete: flushBefore(writer.obsolete),
    drop: flushBefore(writer.drop),
    held: { heldIn: (table) => tables.get(table)?.byId, dropFlushed: () => {}, receiveChanges: () => {}, flush: async () => flush() },
    checkpoint,
    hold: (holdListener, within = HOLD_LIMITS) => {
      stored.trustCache()
      listener = holdListener
      limits = within
    },
    isDue: () => writing !== undefined || (since !== undefined && (performance.now() - since >= limits.ms || fills(1))),
    isFull: () => fills(2),
    holds: () => holds,
    areWritten: (notice) => notice <= written,
    writeSome,
    flush,
  }
}
