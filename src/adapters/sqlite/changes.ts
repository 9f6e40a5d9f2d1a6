import type { Change, CheckpointMove, Collection, Document } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { refuseUnstableOrders } from '../../ports/orders.ts'
import { type CachedDocument, frozen } from './cache.ts'
import type { Connection } from './connection.ts'
import type { DocumentReader } from './documents.ts'
import { clearWords, writeWords } from './full-text-index.ts'
import { fromPosition } from './log.ts'
import { makeTable } from './make-table.ts'
import { type ColumnValue, columnOf, columnValues, quoted, registeredTables, type Table, tableKey, toStored } from './tables.ts'

/** The writing half of the document store, over the connection that writes. Each call is a transaction of its own. */
export type DocumentWriter = {
  readonly prepare: (collections: readonly Collection<Document>[], indexes?: 'now' | 'later') => void
  readonly write: (changes: readonly Change[], checkpoint: CheckpointMove | readonly CheckpointMove[]) => 'written' | 'fenced'
  readonly clear: (collections: readonly Collection<Document>[], checkpoint: string) => void
  readonly sweep: (collection: Collection<Document>, upTo: Position, limit: number) => number
  readonly obsolete: (current: readonly Collection<Document>[]) => readonly string[]
  readonly drop: (name: string) => void
}

export const documentWriter = (connection: Connection, reader: DocumentReader): DocumentWriter => {
  const { rows, change } = connection

  /** Inserts without caching: most new documents are votes, which are rarely read again. False if the document exists already. */
  const insert = (table: Table, position: number, document: Document): boolean => {
    const statement = rows(table.insert)
    statement.setReadBigInts(true) // full-text tables leave a last row number that is too large for a number
    const { changes, lastInsertRowid } = statement.run(document.id, position, ...columnValues(table, document), JSON.stringify(document))
    if (changes === 0n) return false
    writeWords(connection, table, Number(lastInsertRowid), undefined, document)
    return true
  }

  /** Only columns whose value changed are set, since the engine rewrites just the indexes that have one of them. */
  const update = (table: Table, { n, document: before }: CachedDocument, position: number, document: Document, body: string): void => {
    const old = before as Readonly<Record<string, unknown>> & Document
    const fields = document as Readonly<Record<string, unknown>> & Document
    const changed = table.columns.filter((field) => old[field] !== fields[field])
    const columns = ['pos', ...changed.map(columnOf), 'body']
    const values: readonly ColumnValue[] = changed.map((field) => toStored(fields[field]))
    change(`UPDATE ${table.name} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE n = ?`, position, ...values, body, n)
  }

  const store = (table: Table, current: CachedDocument | undefined, position: number, document: Document, version: number): void => {
    if (!current) {
      insert(table, position, document)
      return
    }
    const body = JSON.stringify(document)
    update(table, current, position, document, body)
    writeWords(connection, table, current.n, current.document, document)
    reader.remember(table, { n: current.n, position, document: frozen(document), seen: version }, body.length)
  }

  const bury = (table: Table, current: CachedDocument | undefined, position: number, id: string): void => {
    if (current) {
      writeWords(connection, table, current.n, current.document, undefined)
      change(`DELETE FROM ${table.name} WHERE n = ?`, current.n)
    }
    reader.forget(table, id)
    change('INSERT OR REPLACE INTO tombstone(collection, id, pos) VALUES(?, ?, ?)', table.number, id, position)
  }

  const graveOf = (table: Table, id: string): number | undefined =>
    (rows('SELECT pos FROM tombstone WHERE collection = ? AND id = ?').get(table.number, id) as unknown as [number] | undefined)?.[0]

  const apply = ({ collection, id, position: at, document, fresh }: Change, version: number): void => {
    if (document && document.id !== id) throw new Error(`a change of ${id} holds the document ${document.id}`)
    const table = reader.table(collection)
    const position = fromPosition(at)
    if (fresh && document && insert(table, position, document)) return
    const current = reader.current(table, id, version)
    const grave = current ? undefined : graveOf(table, id)
    if (position <= (current?.position ?? grave ?? -1)) return
    if (!document) {
      bury(table, current, position, id)
      return
    }
    if (grave !== undefined) change('DELETE FROM tombstone WHERE collection = ? AND id = ?', table.number, id)
    store(table, current, position, document, version)
  }

  const stands = ({ name, from }: CheckpointMove): boolean =>
    (rows('SELECT position FROM checkpoint WHERE name = ?').get(name) as unknown as [Position] | undefined)?.[0] === from

  const move = ({ name, to }: CheckpointMove): void => change('INSERT OR REPLACE INTO checkpoint(name, position) VALUES(?, ?)', name, to)

  /** A transaction; if it fails, what was cached during it is dropped. */
  const transaction = <T>(work: () => T): T => {
    try {
      return connection.write('NORMAL', work)
    } catch (error) {
      reader.forgetAll()
      throw error
    }
  }

  return {
    prepare: (collections, indexes = 'now') => {
      refuseUnstableOrders(collections)
      transaction(() => {
        for (const collection of collections) reader.learn(makeTable(connection, collection, indexes))
      })
    },
    write: (changes, checkpoint) =>
      transaction(() => {
        const moves = [checkpoint].flat()
        if (!moves.every(stands)) return 'fenced'
        for (const one of moves) move(one)
        const version = connection.dataVersion() // no other connection can write until this transaction ends
        for (const change of changes) apply(change, version)
        return 'written'
      }),
    clear: (collections, checkpoint) =>
      transaction(() => {
        for (const table of collections.map(reader.table)) {
          change(`DELETE FROM ${table.name}`)
          change('DELETE FROM tombstone WHERE collection = ?', table.number)
          clearWords(connection, table)
        }
        change('DELETE FROM checkpoint WHERE name = ?', checkpoint)
        reader.forgetAll()
      }),
    sweep: (collection, upTo, limit) =>
      transaction(() => {
        const some = 'SELECT id FROM tombstone WHERE collection = :number AND pos <= :upTo LIMIT :limit'
        const swept = rows(`DELETE FROM tombstone WHERE collection = :number AND id IN (${some})`)
        return Number(swept.run({ number: reader.table(collection).number, upTo: fromPosition(upTo), limit }).changes)
      }),
    obsolete: (current) => {
      const kept = new Set(current.map(tableKey))
      return registeredTables(connection)
        .map(({ key }) => key)
        .filter((key) => !kept.has(key))
    },
    drop: (name) =>
      transaction(() => {
        const table = registeredTables(connection).find(({ key }) => key === name)
        if (table === undefined) return
        connection.db.exec(`DROP TABLE IF EXISTS ${quoted(name)}; DROP TABLE IF EXISTS ${quoted(`${name}_words`)}`)
        change('DELETE FROM tombstone WHERE collection = ?', table.number)
        change('DELETE FROM collection WHERE number = ?', table.number)
        reader.forgetAll()
      }),
  }
}
