import { type CheckpointMove, type Collection, collectionKey, type Document, type DocumentChange } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { refuseUnstableOrders } from '../../ports/orders.ts'
import { type CachedDocument, freezeDeep } from './cache.ts'
import type { DataFile } from './connection.ts'
import type { DocumentRows } from './document-rows.ts'
import { readCheckpoint } from './documents.ts'
import { clearWords, writeWords } from './full-text-index.ts'
import { fromPosition } from './log.ts'
import { makeTable } from './make-table.ts'
import { type ColumnValue, columnOf, columnValues, listTables, quoteName, type TableLayout, toStored } from './tables.ts'

/** A change whose document was written as JSON before. */
export type TextChange = DocumentChange & { readonly text?: string | undefined }

/** The writing half of the document store, over the connection that writes. Each call is a transaction of its own. */
export type DocumentWriter = {
  readonly prepare: (collections: readonly Collection<Document>[], indexes?: 'now' | 'later') => void
  readonly write: (changes: readonly TextChange[], checkpoint: CheckpointMove | readonly CheckpointMove[]) => 'written' | 'fenced'
  /** Writes all changes that come, and then makes the moves that are asked for after the last. */
  readonly writeSome: (changes: Iterable<TextChange>, checkpoints: () => readonly CheckpointMove[]) => void
  readonly clear: (collections: readonly Collection<Document>[], checkpoint: string) => void
  readonly sweep: (collection: Collection<Document>, upTo: Position, limit: number) => number
  readonly obsolete: (current: readonly Collection<Document>[]) => readonly string[]
  readonly drop: (name: string) => void
}

export const documentWriter = (connection: DataFile, stored: DocumentRows): DocumentWriter => {
  const { rows, change } = connection

  /** Inserts without caching: most new documents are votes, which are rarely read again. Returns false if the document exists already. */
  const insert = (table: TableLayout, position: number, document: Document, body: string): boolean => {
    const statement = rows(table.insert)
    statement.setReadBigInts(true) // full-text tables leave a last row number that is too large for a number
    const { changes, lastInsertRowid } = statement.run(document.id, position, ...columnValues(table, document), body)
    if (changes === 0n) return false
    writeWords(connection, table, Number(lastInsertRowid), undefined, document)
    return true
  }

  /** Updates a row. It sets only columns whose value changed, since the engine rewrites just the indexes that have one of them. */
  const update = (
    table: TableLayout,
    { n, document: before }: CachedDocument,
    position: number,
    document: Document,
    body: string,
  ): void => {
    const old = before as Readonly<Record<string, unknown>> & Document
    const fields = document as Readonly<Record<string, unknown>> & Document
    const changed = table.columns.filter((field) => old[field] !== fields[field])
    const columns = ['pos', ...changed.map(columnOf), 'body']
    const values: readonly ColumnValue[] = changed.map((field) => toStored(fields[field]))
    change(`UPDATE ${table.name} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE n = ?`, position, ...values, body, n)
  }

  const store = (table: TableLayout, current: CachedDocument, position: number, document: Document, body: string): void => {
    update(table, current, position, document, body)
    writeWords(connection, table, current.n, current.document, document)
    stored.remember(table.name, { n: current.n, position, document: freezeDeep(document), seen: current.seen }, body.length)
  }

  const bury = (table: TableLayout, current: CachedDocument | undefined, position: number, id: string): void => {
    if (current) {
      writeWords(connection, table, current.n, current.document, undefined)
      change(`DELETE FROM ${table.name} WHERE n = ?`, current.n)
    }
    stored.forget(table.name, id)
    change('INSERT OR REPLACE INTO tombstone(collection, id, pos) VALUES(?, ?, ?)', table.number, id, position)
  }

  const apply = ({ collection, id, position: at, document, text, fresh }: TextChange, version: number): void => {
    if (document && document.id !== id) throw new Error(`the change of document ${id} contains a document with the id ${document.id}`)
    const table = stored.table(collection)
    const position = fromPosition(at)
    const body = document && (text ?? JSON.stringify(document))
    if (fresh && document && body !== undefined && insert(table, position, document, body)) return
    const current = stored.current(table, id, version)
    const grave = current ? undefined : stored.grave(table, id)
    if (position <= (current?.position ?? grave ?? -1)) return
    if (!document || body === undefined) {
      bury(table, current, position, id)
      return
    }
    if (grave !== undefined) change('DELETE FROM tombstone WHERE collection = ? AND id = ?', table.number, id)
    if (current) store(table, current, position, document, body)
    else insert(table, position, document, body)
  }

  const applyAll = (changes: Iterable<TextChange>): void => {
    const version = stored.version() // no other connection can write until this transaction ends
    for (const change of changes) apply(change, version)
  }

  const stands = ({ name, from }: CheckpointMove): boolean => readCheckpoint(connection, name) === from

  const move = ({ name, to }: CheckpointMove): void => change('INSERT OR REPLACE INTO checkpoint(name, position) VALUES(?, ?)', name, to)

  /** Runs a transaction. If it fails, entries that were cached during it are dropped. */
  const transaction = <T>(work: () => T): T => {
    try {
      return connection.write('NORMAL', work)
    } catch (error) {
      stored.forgetAll()
      throw error
    }
  }

  return {
    prepare: (collections, indexes = 'now') => {
      refuseUnstableOrders(collections)
      transaction(() => {
        for (const collection of collections) stored.learn(makeTable(connection, collection, indexes))
      })
    },
    write: (changes, checkpoint) =>
      transaction(() => {
        const moves = [checkpoint].flat()
        if (!moves.every(stands)) return 'fenced'
        for (const one of moves) move(one)
        applyAll(changes)
        return 'written'
      }),
    writeSome: (changes, checkpoints) =>
      transaction(() => {
        applyAll(changes)
        const moves = checkpoints()
        if (!moves.every(stands)) throw new Error('another process moved a checkpoint of the read models in this file')
        for (const one of moves) move(one)
      }),
    clear: (collections, checkpoint) =>
      transaction(() => {
        for (const table of collections.map(stored.table)) {
          change(`DELETE FROM ${table.name}`)
          change('DELETE FROM tombstone WHERE collection = ?', table.number)
          clearWords(connection, table)
        }
        change('DELETE FROM checkpoint WHERE name = ?', checkpoint)
        stored.forgetAll()
      }),
    sweep: (collection, upTo, limit) =>
      transaction(() => {
        const selectSwept = 'SELECT id FROM tombstone WHERE collection = :number AND pos <= :upTo LIMIT :limit + 0'
        const swept = rows(`DELETE FROM tombstone WHERE collection = :number AND id IN (${selectSwept})`)
        return Number(swept.run({ number: stored.table(collection).number, upTo: fromPosition(upTo), limit }).changes)
      }),
    obsolete: (current) => {
      const currentKeys = new Set(current.map(collectionKey))
      return listTables(connection)
        .map(({ key }) => key)
        .filter((key) => !currentKeys.has(key))
    },
    drop: (name) =>
      transaction(() => {
        const table = listTables(connection).find(({ key }) => key === name)
        if (table === undefined) return
        connection.db.exec(`DROP TABLE IF EXISTS ${quoteName(name)}; DROP TABLE IF EXISTS ${quoteName(`${name}_words`)}`)
        change('DELETE FROM tombstone WHERE collection = ?', table.number)
        change('DELETE FROM collection WHERE number = ?', table.number)
        stored.forgetAll()
      }),
  }
}
