import type { Logger } from 'pino'
import { projections } from '../projections/all.ts'
import { checkpointOf, collectionsOf } from '../projections/sets.ts'
import { keepReadModels } from '../projections/worker.ts'
import { openSqlite } from './adapters/sqlite/stores.ts'
import type { Freshness } from './app.ts'
import { watchCheckpoint } from './checkpoint-watch.ts'
import type { Config } from './config.ts'
import { codec } from './log/codec.ts'
import { keyring } from './log/keys.ts'
import type { DocumentStore } from './ports/documents.ts'
import type { EventStore } from './ports/event-store.ts'
import type { Vault } from './ports/vault.ts'
import { sessionSecretBeside } from './session-secret.ts'

/** The stores of one configuration, whichever they are. */
export type Stores = {
  readonly events: EventStore
  readonly documents: DocumentStore
  readonly vault: Vault
  readonly freshness: Freshness
  /** Why the read models stand still; undefined while they do not. */
  readonly stalled: () => Error | undefined
  readonly sessionSecret: string
  /** No other process uses these stores. */
  readonly alone: boolean
  readonly close: () => Promise<void>
}

const openEmbedded = async (file: string, secret: string | undefined): Promise<Stores> => {
  const sessionSecret = secret ?? (await sessionSecretBeside(file))
  const stores = await openSqlite({ file, projector: new URL('../projections/local.ts', import.meta.url) })
  await stores.documents.prepare(collectionsOf(projections))
  return {
    ...stores,
    freshness: { position: stores.projected, waitUntil: stores.waitUntilProjected, generation: stores.generation },
    stalled: stores.lastFault,
    sessionSecret,
    alone: true,
  }
}

export type Connected = Pick<Stores, 'events' | 'documents' | 'vault' | 'close'>

/** Connect to an EventStoreDB and a MongoDB; waits for servers that are not there yet. */
export const connectStores = async ({ eventStoreUrl, documentStoreUrl }: Config, log: Logger): Promise<Connected> => {
  const journal = {
    info: (fields: object, message: string) => log.info(fields, message),
    warn: (fields: object, message: string) => log.warn(fields, message),
  }
  // drivers that one data file has no use for: a third of a second at each start, and 80 MB
  const { openMongo } = await import('./adapters/mongodb/open.ts')
  const { openEventStoreDb } = await import('./adapters/eventstoredb/event-store.ts')
  const mongo = await openMongo({ url: documentStoreUrl, journal })
  try {
    const events = await openEventStoreDb({ url: eventStoreUrl, journal })
    const close = async () => {
      await events.close()
      await mongo.close()
    }
    return { events, documents: mongo.documents, vault: mongo.vault, close }
  } catch (error) {
    await mongo.close()
    throw error
  }
}

/** Keeps the read models of these stores, as one of any number of workers, until the signal aborts. */
export const workOn = ({ events, documents, vault }: Connected, log: Logger, signal: AbortSignal): Promise<void> => {
  const { open } = codec(keyring(vault))
  const report = (err: unknown) => log.error({ err }, 'the read models stand still; trying again')
  return keepReadModels({ events, documents, vault, open, clock: Date.now, report }, projections, signal)
}

const openDistributed = async (config: Config, log: Logger): Promise<Stores> => {
  const connected = await connectStores(config, log)
  const { documents } = connected
  await documents.prepare(collectionsOf(projections))
  const stopping = new AbortController()
  const working = config.projections === 'inline' ? workOn(connected, log, stopping.signal) : Promise.resolve()
  const checkpoint = checkpointOf(projections)
  const freshness = watchCheckpoint(
    () => documents.checkpoint(checkpoint),
    (err) => log.warn({ err }, 'cannot see how far the read models are'),
  )
  return {
    ...connected,
    freshness,
    stalled: () => undefined,
    sessionSecret: config.sessionSecret ?? '',
    alone: false,
    close: async () => {
      freshness.close()
      stopping.abort()
      await working
      await connected.close()
    },
  }
}

export const openStores = (config: Config, log: Logger): Promise<Stores> =>
  config.eventStoreUrl.startsWith('sqlite:')
    ? openEmbedded(config.eventStoreUrl.slice('sqlite:'.length), config.sessionSecret)
    : openDistributed(config, log)
