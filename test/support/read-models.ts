import { copyFileSync, cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { everyDocument } from '../../projections/engine/digest.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import type { Ports, Runner } from '../../projections/engine/runner.ts'
import { diskBlobs } from '../../src/adapters/disk/blobs.ts'
import { type Local, localStores } from '../../src/adapters/sqlite/local-stores.ts'
import { toEventTest } from '../../src/adapters/sqlite/log.ts'
import { openWriter } from '../../src/adapters/sqlite/schema.ts'
import type { Logged } from '../../src/domain/events.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import type { Collection, Document, DocumentStore } from '../../src/ports/documents.ts'
import type { EventStore, LeftOut, Position } from '../../src/ports/event-store.ts'
import { stampedOf } from './logged-events.ts'
import { temporaryDirectory } from './temporary.ts'

/** A data file of its own, empty or a copy of another that is closed, with what it takes to write events and project them. */
export const openFile = (t: ExecutionContext, original?: string) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  if (original !== undefined) copyFileSync(original, file)
  if (existsSync(`${original}.blobs`)) cpSync(`${original}.blobs`, `${file}.blobs`, { recursive: true })
  const connection = openWriter(file)
  t.teardown(() => {
    if (connection.db.isOpen) connection.close()
  })
  const local: Local = localStores(connection)
  const { events, documents, vault } = local.ports
  const keys = openKeyring(vault)
  const { seal, open } = codec(keys)
  const ports: Ports = { events, documents, open }

  /** Appends the events of a history. They get the positions that the history names if nothing else is written. */
  const append = async (told: readonly Logged[]): Promise<void> => {
    const sealed = await seal(told.map(stampedOf))
    connection.write('NORMAL', () => {
      sealed.forEach((event, i) => {
        const { stream = '', revision = 0 } = told[i] ?? {}
        const { outcome } = local.log.append({ stream, expected: revision === 0 ? 'none' : revision - 1, events: [event] })
        if (outcome === 'conflict') throw new Error(`${stream} is not at ${revision - 1}`)
      })
    })
  }
  return { file, connection, writer: local.documents, stores: { ...local.ports, blobs: diskBlobs(`${file}.blobs`) }, ports, keys, append }
}

export const catchUp = async (runner: Runner, limit = 100): Promise<void> => {
  while ((await runner.next(limit)).events > 0);
}

export const allOf = async <D extends Document>(documents: DocumentStore, collection: Collection<D>): Promise<readonly D[]> => {
  const all: D[] = []
  for await (const document of everyDocument(documents, collection)) all.push(document)
  return all
}

/** Returns every collection's documents, by the collection's name. */
export const contentsOf = async (documents: DocumentStore, projections: readonly Projection[]) => {
  const contents: Record<string, readonly Document[]> = {}
  for (const { collection } of projections) contents[collection.name] = await allOf(documents, collection)
  return contents
}

/** Watches the log of a file that somebody else writes to. */
export const watchForeignLog = ({ readAll, head, glance }: EventStore) => ({
  readAll,
  head,
  glance,
  subscribe: async function* (after: Position, signal: AbortSignal, leftOut?: LeftOut) {
    for (let position = after; !signal.aborted; ) {
      const events = await readAll(position, 7)
      position = events.at(-1)?.position ?? position
      if (events.length > 0) yield { events: leftOut ? events.filter(toEventTest(leftOut)) : events, position }
      else await sleep(5)
    }
  },
})
