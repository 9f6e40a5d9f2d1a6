// Decision 89.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { projections } from '../projections/all.ts'
import { readersOf } from '../projections/engine/batch.ts'
import { refuseOtherHistory } from '../projections/engine/other-history.ts'
import { checkpointOf, collectionsOf } from '../projections/engine/sets.ts'
import { shardCheckpoints, shardsTouchedBy } from '../projections/engine/shards.ts'
import { openWorker, type Worker } from '../projections/engine/worker.ts'
import { snapshots } from '../projections/snapshots.ts'
import { diskBlobs } from './adapters/disk/blobs.ts'
import type { EventStoreDb } from './adapters/eventstoredb/event-store.ts'
import { emptyHistory, sqliteHistory } from './adapters/sqlite/history.ts'
import { lock } from './adapters/sqlite/lock.ts'
import { openSqlite } from './adapters/sqlite/stores.ts'
import { sessionSecretBeside } from './auth/session-secret.ts'
import type { Config } from './config.ts'
import type { Stored } from './domain/events.ts'
import { timeOf } from './history/milestones.ts'
import { codec } from './log/codec.ts'
import { openKeyring } from './log/keys.ts'
import { isSystemError } from './operations/error-message.ts'
import type { Blobs } from './ports/blobs.ts'
import type { DocumentStore, SharedDocumentStore } from './ports/documents.ts'
import { type EventStore, LOG_START, type Position } from './ports/event-store.ts'
import { isDamage, StoreFault } from './ports/faults.ts'
import type { Freshness } from './ports/freshness.ts'
import type { HistoryStore } from './ports/history.ts'
import type { Vault } from './ports/vault.ts'
import { watchShards } from './runtime/shard-watch.ts'

/** The stores of one configuration, of either kind. */
export type Stores = {
  readonly events: EventStore
  readonly documents: DocumentStore
  readonly vault: Vault
  readonly blobs: Blobs
  /** Trees over the log, and their signed heads. */
  readonly history: HistoryStore
  readonly freshness: Freshness
  /** Returns the positions of the read models: one, or one for each shard. */
  readonly projected: () => readonly Position[]
  /** Resolves to true once the read models show the events up to a position, or just these events, if they are given. */
  readonly waitUntilProjected: (position: Position, ms: number, shown?: readonly Stored[]) => Promise<boolean>
  /** Returns the reason why the read models are not updated; undefined while they are. */
  readonly stalled: () => Error | undefined
  readonly sessionSecret: string
  /** Present if the stores are only read: the last event of the site and its time, which is the present time there. */
  readonly asOf?: { readonly n: number; readonly at: number }
  /** True if no other process uses these stores. */
  readonly alone: boolean
  readonly close: () => Promise<void>
}

/** The checkpoint of a replayed data file: the position of the last event of the site, before today's deletions. */
export const REPLAY_CHECKPOINT = 'replayed-until'

/**
 * Returns the file of the history, beside the data file. It is not in it, so restoring a copy of the data file does not restore the history
 * with it.
 */
export const historyFile = (file: string): string => `${file}.history`

const openEmbedded = async (file: string, secret: string | undefined): Promise<Stores> => {
  const sessionSecret = secret ?? (await sessionSecretBeside(file))
  const stores = await openSqlite({ file, projector: new URL('../projections/engine/data-file-projector.ts', import.meta.url) })
  await stores.documents.prepare(collectionsOf(projections))
  await refuseCopy(file, stores).catch(async (fault) => {
    await stores.close()
    throw fault
  })
  const history = sqliteHistory(historyFile(file))
  return {
    ...stores,
    blobs: diskBlobs(`${file}.blobs`),
    history,
    freshness: { position: stores.projected, waitUntil: stores.waitUntilProjected, generation: stores.generation, changes: stores.changes },
    projected: () => [stores.projected()],
    stalled: stores.lastFault,
    sessionSecret,
    alone: true,
    close: async () => {
      await history.close()
      await stores.close()
    },
  }
}

const refuseToStart = (line: string): never => {
  throw new StoreFault('unavailable', line)
}

/** Refuses a copy. Nobody can go on with one: the next events in its log are deletions that its site made since. */
export const refuseCopy = async (file: string, { documents }: Pick<Stores, 'documents'>): Promise<void> => {
  if ((await documents.checkpoint(REPLAY_CHECKPOINT)) !== undefined)
    refuseToStart(`${file} is a copy of an earlier state of a site and cannot be written to: serve it with READ_ONLY=on`)
}

/** Returns the end of a data file: the place it was replayed to, or the end of its log. */
const asOfIn = async ({ events, documents }: Pick<Stores, 'events' | 'documents'>): Promise<NonNullable<Stores['asOf']>> => {
  const position = (await documents.checkpoint(REPLAY_CHECKPOINT)) ?? (await events.head())
  const n = Number(position) - 1
  const [last] = await events.readAll(String(n).padStart(LOG_START.length, '0'), 1)
  return { n, at: last ? timeOf(last) : 0 }
}

/** Opens a data file that nobody writes to, without the work beside the requests. */
const openReadOnly = async (file: string, secret: string | undefined): Promise<Stores> => {
  // locks the file of a site, which must not run meanwhile; any number of processes may read a copy
  const unlock = existsSync(`${file}-lock`) ? lock(file) : () => {}
  const stores = await openSqlite({ file, readOnly: true }).catch((error) => {
    unlock()
    throw error
  })
  const close = async () => {
    await stores.close()
    unlock()
  }
  try {
    const head = await stores.events.head()
    if (head === LOG_START) refuseToStart(`${file} has no events`)
    if ((await stores.documents.checkpoint(checkpointOf(projections))) !== head)
      refuseToStart(
        `the read models in ${file} are of another version or behind the log: start the service once without READ_ONLY, or run EVENT_STORE_URL=… npx rostra rebuild`,
      )
    await stores.documents.prepare(collectionsOf(projections))
    const history = emptyHistory()
    const waitUntil = async (position: Position) => position <= head
    return {
      ...stores,
      blobs: diskBlobs(`${file}.blobs`),
      history,
      freshness: { position: () => head, waitUntil, generation: () => 0, changes: () => [] },
      projected: () => [head],
      waitUntilProjected: waitUntil,
      stalled: () => undefined,
      sessionSecret: secret ?? randomBytes(32).toString('hex'),
      asOf: await asOfIn(stores),
      alone: true,
      close: async () => {
        await history.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

export type ServerConnections = Pick<Stores, 'events' | 'documents' | 'vault' | 'close'>
export type Servers = ServerConnections & Pick<Stores, 'blobs' | 'history'> & { readonly events: EventStoreDb }

/** Connects to an EventStoreDB and a MongoDB. Waits for servers that are not there yet, until the signal aborts. */
export const connectStores = async (
  { eventStoreUrl, documentStoreUrl }: Pick<Config, 'eventStoreUrl' | 'documentStoreUrl'>,
  log: Logger,
  signal?: AbortSignal,
): Promise<Servers & { readonly documents: SharedDocumentStore }> => {
  const journal = {
    info: (fields: object, message: string) => log.info(fields, message),
    warn: (fields: object, message: string) => log.warn(fields, message),
  }
  // loads drivers that one data file does not need: a third of a second at each start, and 80 MB
  const { openMongo } = await import('./adapters/mongodb/open.ts')
  const { connectionOf, openEventStoreDb } = await import('./adapters/eventstoredb/event-store.ts')
  connectionOf(eventStoreUrl) // a wrong address is reported before anything waits for a server
  const waiting = { journal, ...(signal && { signal }) }
  const mongo = await openMongo({ url: documentStoreUrl, ...waiting })
  try {
    const events = await openEventStoreDb({ url: eventStoreUrl, ...waiting })
    const close = async () => {
      await events.close()
      await mongo.close()
    }
    return { events, documents: mongo.documents, vault: mongo.vault, blobs: mongo.blobs, history: mongo.history, close }
  } catch (error) {
    await mongo.close()
    throw error
  }
}

/** Keeps the read models of these stores, as one of any number of workers, until the signal aborts. */
export const workOn = ({ events, documents, vault }: ServerConnections, log: Logger, signal: AbortSignal): Worker => {
  const { open } = codec(openKeyring(vault))
  const report = (err: unknown) => log.error({ err }, 'projection failed, will retry')
  return openWorker({ events, documents, vault, open, report }, projections, signal)
}

const openDistributed = async (config: Config, log: Logger, signal: AbortSignal | undefined): Promise<Stores> => {
  const connected = await connectStores(config, log, signal)
  const { documents } = connected
  await documents.prepare(collectionsOf(projections))
  if (config.projections === 'inline')
    await refuseOtherHistory(connected, projections).catch(async (fault) => {
      await connected.close()
      throw fault
    })
  const names = shardCheckpoints(projections)
  // snapshots are never shown, so no response waits for one
  const readers = readersOf(projections.filter(({ collection }) => collection.name !== snapshots.name))
  const collections = new Map(collectionsOf(projections).map((collection) => [collection.name, collection]))
  const watch = watchShards({
    names,
    progress: documents.progress,
    fetch: async (name, ids, whole) => {
      const collection = collections.get(name)
      if (collection === undefined) return new Map() // another version has it, and nothing here reads it
      return whole ? documents.getMany(collection, ids) : documents.getIndexed(collection, ids)
    },
    inLogOrder: projections.filter((one) => one.inLogOrder).map(({ collection }) => collection.name),
  })
  const stopping = new AbortController()
  let broken: Error | undefined
  const working =
    config.projections === 'inline'
      ? workOn(connected, log, stopping.signal).done.catch((err) => {
          broken = err instanceof Error ? err : new Error(String(err))
          log.fatal({ err }, 'projection worker stopped')
        })
      : Promise.resolve()
  return {
    ...connected,
    freshness: watch,
    projected: () => (watch.shards().length > 0 ? watch.shards() : [LOG_START]), // before the first look at the checkpoints it is as if nothing were projected
    waitUntilProjected: (position, ms, shown) => {
      const shards = shown && shardsTouchedBy(readers, shown)
      return shards ? watch.waitFor(shards, position, ms) : watch.waitUntil(position, ms)
    },
    stalled: () => broken ?? watch.fault(),
    sessionSecret: config.sessionSecret ?? '',
    alone: false,
    close: async () => {
      watch.close()
      stopping.abort()
      await working
      await connected.close()
    },
  }
}

/** Returns the error of a file that cannot be used, with the variable to correct. Any other error stays as it is. */
const cannotUse = (url: string, error: unknown): unknown => {
  if (!isSystemError(error) && !isDamage(error) && !(error instanceof StoreFault && error.kind === 'unavailable')) return error
  const line = `EVENT_STORE_URL is "${url}", but must be sqlite:FILE, a data file that can be read and written, or made: ${error.message}`
  return new StoreFault('unavailable', line, { cause: error })
}

/** Opens the stores that the configuration names. `signal` gives up waiting for servers that are not there. */
export const openStores = (config: Config, log: Logger, signal?: AbortSignal): Promise<Stores> =>
  config.eventStoreUrl.startsWith('sqlite:')
    ? (config.readOnlyAs === undefined ? openEmbedded : openReadOnly)(
        config.eventStoreUrl.slice('sqlite:'.length),
        config.sessionSecret,
      ).catch((error) => {
        throw cannotUse(config.eventStoreUrl, error)
      })
    : openDistributed(config, log, signal)
