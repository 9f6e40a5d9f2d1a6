import { cacheBounds } from '../../ports/cache-bounds.ts'
import type { Collection, Document, DocumentStore, SearchQuery } from '../../ports/documents.ts'
import type { AppendResult, EventStore, Position } from '../../ports/event-store.ts'
import type { StoreFault } from '../../ports/faults.ts'
import type { Freshness } from '../../ports/freshness.ts'
import { recentChanges } from '../../ports/recent-changes.ts'
import type { Vault } from '../../ports/vault.ts'
import type { DataFile } from './connection.ts'
import { type DocumentRows, documentRows, learnTables } from './document-rows.ts'
import { documentReads } from './documents.ts'
import { noHeldDocuments } from './held-documents.ts'
import { type KnownValues, knownValues, shareKnownValues } from './known-values.ts'
import { lock } from './lock.ts'
import { type Bell, bell, checkAppend, glanceIn, openLog, sharePages, subscription } from './log.ts'
import { type Overlay, openOverlay } from './overlay.ts'
import { integrityErrors, LOG_LIMITS, type LogLimits, openReader } from './schema.ts'
import { openSearcher, type Searcher } from './searcher.ts'
import { openStreamEnds, type StreamEnds } from './stream-ends.ts'
import { progress, type StoreThread, startThread } from './thread.ts'
import { openVault } from './vault.ts'
import { HOLD_LIMITS, type HoldLimits } from './write-behind.ts'

export type SqliteOptions = {
  readonly file: string
  /** The module whose `createProjector` keeps the read models up to date, in the thread that writes. */
  readonly projector?: URL
  /** True to only read. A server may run meanwhile. */
  readonly readOnly?: boolean
  /** True to write beside a server that may be running, without owning the file: for a small append from the command line. */
  readonly beside?: boolean
  /** The limits within which changes of read models may be in memory alone. */
  readonly hold?: HoldLimits
  readonly log?: LogLimits
}

export type SqliteStores = {
  readonly events: EventStore
  readonly documents: DocumentStore
  readonly vault: Vault
  /** Returns the position of the read models. */
  readonly projected: () => Position
  /** Tells whether the read models reach a position within so many milliseconds. */
  readonly waitUntilProjected: (position: Position, ms: number) => Promise<boolean>
  /** Returns a number that grows when documents of a collection may have changed. */
  readonly generation: (collectionName: string) => number
  /** Returns the documents of a collection that changed since a generation. */
  readonly changes: Freshness['changes']
  /** Returns the fault that keeps the read models from being updated, if any. */
  readonly lastFault: () => StoreFault | Error | undefined
  /** Empties the write-ahead log, so that nothing deleted is left in it. */
  readonly scrub: () => Promise<void>
  /** Returns the errors in the file, none if it is sound. It is slow, and blocks this thread. */
  readonly integrity: () => readonly string[]
  /** Resolves when all requested work is done and on disk. */
  readonly close: () => Promise<void>
}

const POLL_INTERVAL_MS = 200 // ms between looks at writes of another process

const refuseWrites = (): never => {
  throw new Error('the store was opened for reading only')
}

const readOnlyThread: StoreThread = { ask: async () => refuseWrites(), receive: () => {}, close: async () => {} }

type LogParts = {
  readonly reader: DataFile
  readonly thread: StoreThread
  readonly appended: Bell
  readonly closed: AbortSignal
  /** Undefined if other processes own the file. */
  readonly ends: StreamEnds | undefined
}

const eventStore = ({ reader, thread: { ask }, appended, closed, ends }: LogParts): EventStore => {
  const log = openLog(reader)
  const followed = sharePages(log.readAll)
  return {
    append: async (stream, expected, events) => {
      const append = { stream, expected, events }
      checkAppend(append)
      const send = () => ask<AppendResult>({ task: 'append', append })
      return ends ? ends.around(stream, send) : send()
    },
    read: async (stream, from, limit) => {
      const read = () => log.read(stream, from, limit)
      return ends ? ends.readFrom(stream, from, read) : read()
    },
    readBackwards: async (stream, from, limit) => log.readBackwards(stream, from, limit),
    readAll: async (after, limit) => log.readAll(after, limit),
    subscribe: (after, signal, leftOut) => subscription(followed, appended, after, AbortSignal.any([signal, closed]), leftOut),
    glance: async (after, leftOut) => glanceIn(followed, after, leftOut),
    head: async () => log.head(),
    last: async () => log.last(),
    close: async () => {},
  }
}

// Messages to the thread are copied, so they contain only the fields that the thread uses.
const toDeclaration = ({ name, version, indexes, unique, search, seldomFound }: Collection<Document>): Collection<Document> => ({
  name,
  version,
  indexes,
  ...(unique && { unique }),
  ...(search && { search }),
  ...(seldomFound && { seldomFound }),
})
const toNameOnly = ({ name, version }: Collection<Document>): Collection<Document> => ({ name, version, indexes: [] })

type DocumentParts = {
  readonly connection: DataFile
  readonly stored: DocumentRows
  readonly thread: StoreThread
  readonly searches: Searcher
  /** Undefined if everything that can be read is in the file. */
  readonly held: Overlay | undefined
  /** Undefined if other processes may write documents. */
  readonly values: KnownValues | undefined
  readonly readOnly: boolean
}

const documentStore = ({ connection, stored, thread: { ask }, searches, held, values, readOnly }: DocumentParts): DocumentStore => {
  const reads = documentReads(connection, stored, held ?? noHeldDocuments, values)
  /** everything was in the file before its rows were removed */
  const forget = () => {
    held?.dropFlushed()
    stored.forgetAll()
  }
  return {
    ...reads,
    search: async <D extends Document>(collection: Collection<D>, query: SearchQuery, abandoned?: AbortSignal) => {
      const ready = held?.readySearch(stored.table(collection))
      if (ready) await ready
      const ids = await searches.ids(toDeclaration(collection), query, abandoned)
      const documents = await reads.getMany(collection, ids)
      return ids.flatMap((id) => documents.get(id) ?? [])
    },
    prepare: async (collections, indexes) => {
      if (!readOnly) await ask({ task: 'prepare', collections: collections.map(toDeclaration), indexes })
      learnTables(connection, stored, collections.map(toDeclaration))
    },
    write: async (changes, checkpoint, isCurrent = () => true) =>
      isCurrent()
        ? ask({ task: 'write', changes: changes.map((change) => ({ ...change, collection: toNameOnly(change.collection) })), checkpoint })
        : 'fenced',
    clear: async (collections, checkpoint) => {
      await ask({ task: 'clear', collections: collections.map(toNameOnly), checkpoint })
      forget()
    },
    sweep: (collection, upTo, limit) => ask({ task: 'sweep', collection: toNameOnly(collection), upTo, limit }),
    obsolete: (current) => ask({ task: 'obsolete', current: current.map(toNameOnly) }),
    drop: async (name) => {
      await ask({ task: 'drop', name })
      forget()
    },
    close: async () => {},
  }
}

const vaultOf = (reader: DataFile, { ask }: StoreThread): Vault => {
  const vault = openVault(reader)
  return {
    get: async (kind, id) => vault.get(kind, id),
    getMany: async (kind, ids) => vault.getMany(kind, ids),
    list: async (kind, owner) => vault.list(kind, owner),
    put: (kind, id, entry) => ask({ task: 'put', kind, id, entry }),
    putIf: (kind, id, version, entry) => ask({ task: 'putIf', kind, id, version, entry }),
    add: (additions) => ask({ task: 'add', additions }),
    take: (kind, id) => ask({ task: 'take', kind, id }),
    delete: (kind, id) => ask({ task: 'delete', kind, id }),
    deleteAll: (kind, owner) => ask({ task: 'deleteAll', kind, owner }),
    sweep: (now) => ask({ task: 'sweepVault', now }),
  }
}

const readerBeside = async (thread: StoreThread, file: string): Promise<DataFile> => {
  try {
    return openReader(file)
  } catch (error) {
    await thread.close()
    throw error
  }
}

/** Opens the data file: one thread writes it, this one reads it. Only one process at a time may own it. */
export const openSqlite = async ({
  file,
  projector,
  readOnly = false,
  beside = false,
  hold = HOLD_LIMITS,
  log = LOG_LIMITS,
}: SqliteOptions): Promise<SqliteStores> => {
  const unlock = readOnly || beside ? () => {} : lock(file)
  try {
    const appended = bell()
    const progressed = progress()
    const recent = recentChanges()
    const owns = !readOnly && !beside
    const ends = owns ? openStreamEnds() : undefined
    const memory = owns ? shareKnownValues() : undefined
    let held: Overlay | undefined
    const thread = readOnly
      ? readOnlyThread
      : await startThread(
          { file, projector: projector?.href, hold: owns ? hold : undefined, log, values: memory },
          {
            onAppended: appended.ring,
            onAppendedElsewhere: () => ends?.forget(),
            onChanged: ({ changed, number }) => {
              if (!held) throw new Error('documents changed before they could be read')
              held.add(changed, number)
            },
            onFlushed: ({ upTo }) => {
              held?.noteFlushed(upTo)
              progressed.recover()
            },
            onProjected: progressed.advance,
            onStalled: progressed.stall,
            onRecovered: progressed.recover,
          },
        )
    const connection = await readerBeside(thread, file)
    const stored = documentRows(connection, cacheBounds.storedDocuments)
    if (owns)
      held = openOverlay(connection, stored, {
        receive: thread.receive,
        flush: () => thread.ask({ task: 'flush' }),
        onChanged: recent.add,
        onReordered: recent.touch,
      })
    const searches = openSearcher(file)
    const closed = new AbortController()
    const poll = readOnly ? setInterval(appended.ring, POLL_INTERVAL_MS).unref() : undefined
    return {
      events: eventStore({ reader: connection, thread, appended, closed: closed.signal, ends }),
      documents: documentStore({ connection, stored, thread, searches, held, values: memory && knownValues(memory), readOnly }),
      vault: vaultOf(connection, thread),
      projected: progressed.position,
      waitUntilProjected: progressed.reached,
      generation: readOnly ? connection.dataVersion : recent.generation,
      changes: readOnly ? () => undefined : recent.since,
      lastFault: progressed.fault,
      scrub: () => thread.ask({ task: 'scrub' }),
      integrity: () => integrityErrors(connection),
      close: async () => {
        if (closed.signal.aborted) return
        closed.abort()
        clearInterval(poll)
        await searches.close()
        connection.close() // closes this first, so that the thread is the last to leave and tidies the file up
        await thread.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}
