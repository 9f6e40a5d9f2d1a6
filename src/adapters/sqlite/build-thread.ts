import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointMove, Collection, Document } from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { useSmallSlabs } from '../../ports/own-bytes.ts'
import { documentWriter } from './changes.ts'
import { documentRows, learnTables } from './document-rows.ts'
import { writeWords } from './full-text-index.ts'
import { fromPosition } from './log.ts'
import { type Failure, toFailure } from './protocol.ts'
import { openWriter } from './schema.ts'
import { columnOf, columnValues, type TableLayout } from './tables.ts'

/** Changes of one collection as they are sent: lists of the same length, which are copied faster than objects. */
export type ChangeColumns = {
  readonly collection: Collection<Document>
  readonly fresh: Uint8Array
  readonly ids: readonly string[]
  readonly positions: readonly Position[]
  /** Documents as JSON; undefined for a deleted one. */
  readonly texts: readonly (string | undefined)[]
}

/** The end of a batch, which is answered with its outcome. */
export type End = { readonly checkpoint: CheckpointMove | readonly CheckpointMove[] }

export type Outcome = 'written' | 'fenced' | Failure

const CACHE_BYTES = 16 * 1024 * 1024
const ROWS_AT_ONCE = 16

useSmallSlabs()
const port = parentPort
if (!port) throw new Error('src/adapters/sqlite/build-thread.ts runs as a worker thread')
const connection = openWriter(workerData.file)
const { rows, change } = connection
const stored = documentRows(connection, CACHE_BYTES)
const writer = documentWriter(connection, stored)

const parseDocument = (text: string): Document => JSON.parse(text)

const insertion = ({ name, columns }: TableLayout, count: number): string => {
  const stored = ['n', 'id', 'pos', ...columns.map(columnOf), 'body']
  const row = `(${stored.map(() => '?').join(', ')})`
  return `INSERT INTO ${name}(${stored.join(', ')}) VALUES${Array(count).fill(row).join(', ')}`
}

/** Inserts new documents of one collection, several with each statement. */
const insertAll = (table: TableLayout, { ids, positions, texts }: ChangeColumns, numbers: readonly number[]): void => {
  const [last] = rows(`SELECT max(n) FROM ${table.name}`).get() as unknown as [number | null]
  let n = last ?? 0
  for (let from = 0; from < numbers.length; from += ROWS_AT_ONCE) {
    const slice = numbers.slice(from, from + ROWS_AT_ONCE)
    const values = slice.flatMap((number) => {
      const text = texts[number] ?? ''
      const document = parseDocument(text)
      n += 1
      writeWords(connection, table, n, undefined, document)
      return [n, ids[number] ?? '', fromPosition(positions[number] ?? ''), ...columnValues(table, document), text]
    })
    change(insertion(table, slice.length), ...values)
  }
}

/**
 * Writes a part before the checkpoint moves. If this ends in between, the next build finds its documents, with the positions at which they
 * were written.
 */
const write = (part: ChangeColumns): void => {
  learnTables(connection, stored, [part.collection])
  const { collection, fresh, ids, positions, texts } = part
  const inIdOrder = ids.map((_, n) => n).sort((a, b) => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1))
  const isNew = (n: number) => fresh[n] === 1 && texts[n] !== undefined
  connection.write('NORMAL', () => insertAll(stored.table(collection), part, inIdOrder.filter(isNew)))
  const others = inIdOrder.flatMap((n) => {
    const [id, position, text] = [ids[n], positions[n], texts[n]]
    if (isNew(n) || id === undefined || position === undefined) return []
    return [{ collection, id, position, document: text === undefined ? undefined : parseDocument(text), text }]
  })
  if (others.length > 0) writer.write(others, [])
}

let failure: Failure | undefined

port.on('message', (message: ChangeColumns | End | 'close') => {
  if (message === 'close') {
    connection.close()
    port.close()
    return
  }
  let outcome: Outcome = 'written'
  try {
    if ('collection' in message) {
      if (!failure) write(message)
    } else outcome = failure ?? writer.write([], message.checkpoint)
  } catch (error) {
    failure = toFailure(error)
    outcome = failure
  }
  if (!('collection' in message)) port.postMessage(outcome)
})
