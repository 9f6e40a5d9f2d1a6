import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { projections } from '../projections/all.ts'
import { collectionsOf } from '../projections/sets.ts'
import { openSqlite } from './adapters/sqlite/stores.ts'
import type { App, Freshness } from './app.ts'
import { answering } from './commands/answering.ts'
import { idempotency } from './commands/idempotency.ts'
import { openMint } from './commands/mint.ts'
import { runner } from './commands/run.ts'
import { type Config, urlOf } from './config.ts'
import { endpoints } from './http/endpoints/all.ts'
import { openPipeline } from './http/pipeline.ts'
import { listen } from './http/server.ts'
import { openSessions } from './http/sessions.ts'
import { openTokens } from './http/tokens.ts'
import { codec } from './log/codec.ts'
import { keyring } from './log/keys.ts'
import { openLog } from './logging.ts'
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
  }
}

const openStores = ({ eventStoreUrl, sessionSecret }: Config): Promise<Stores> =>
  openEmbedded(eventStoreUrl.slice('sqlite:'.length), sessionSecret)

/** A site that runs. */
export type Running = {
  readonly url: string
  readonly app: App
  readonly stores: Stores
  /** Accept nothing more, finish what is in flight, leave everything acknowledged on disk. */
  readonly stop: () => Promise<void>
}

const appOf = async (config: Config, stores: Stores, log: Logger): Promise<{ readonly app: App; readonly close: () => Promise<void> }> => {
  const { vault, events, freshness } = stores
  const clock = Date.now
  const mint = await openMint(vault, randomUUID(), clock)
  const commands = answering(runner({ events, codec: codec(keyring(vault)) }), {
    follow: async () => undefined,
    waitUntilProjected: freshness.waitUntil,
    report: (err) => log.error({ err }, 'what follows from a command is late'),
  })
  const app: App = {
    config,
    log,
    run: commands.run,
    load: commands.load,
    documents: stores.documents,
    vault,
    sessions: openSessions(vault, stores.sessionSecret, clock, config.publicUrl.startsWith('https:')),
    tokens: openTokens(vault, clock),
    freshness,
    idempotency: idempotency({ vault, mint: mint.mint, clock }),
    clock,
    mint: mint.mint,
  }
  return { app, close: mint.close }
}

/** Put the parts together and start: stores, read models up to date, then the port. */
export const start = async (configured: Config, log: Logger = openLog(configured.logLevel)): Promise<Running> => {
  const stores = await openStores(configured)
  try {
    const listening = await listen(configured.host, configured.port)
    const url = urlOf(configured.host, listening.port)
    const publicUrl = configured.port === 0 && configured.publicUrl === urlOf(configured.host, 0) ? url : configured.publicUrl
    const config = { ...configured, port: listening.port, publicUrl }
    const { app, close } = await appOf(config, stores, log)
    listening.serve(
      openPipeline(app, endpoints, () => {}),
      { trustProxy: config.trustProxy, log },
    )
    return {
      url,
      app,
      stores,
      stop: async () => {
        await listening.close()
        await close()
        await stores.close()
      },
    }
  } catch (error) {
    await stores.close()
    throw error
  }
}
