import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { projections } from '../projections/all.ts'
import { participation, participationId } from '../projections/participation.ts'
import { collectionsOf } from '../projections/sets.ts'
import { timers } from '../projections/timers.ts'
import { openSqlite } from './adapters/sqlite/stores.ts'
import type { App, Freshness } from './app.ts'
import { answering } from './commands/answering.ts'
import { idempotency } from './commands/idempotency.ts'
import { openMint } from './commands/mint.ts'
import { runner } from './commands/run.ts'
import { type Config, urlOf } from './config.ts'
import { checkHealth } from './health.ts'
import { endpoints } from './http/endpoints/all.ts'
import { openPipeline } from './http/pipeline.ts'
import { listen } from './http/server.ts'
import { openSessions } from './http/sessions.ts'
import { openTokens } from './http/tokens.ts'
import { codec } from './log/codec.ts'
import { keyring } from './log/keys.ts'
import { openLog } from './logging.ts'
import { openMetrics } from './metrics.ts'
import type { DocumentStore } from './ports/documents.ts'
import type { EventStore } from './ports/event-store.ts'
import type { Vault } from './ports/vault.ts'
import { remembering } from './queries/remembering.ts'
import { watchExpiry } from './reactions/expiry.ts'
import { following } from './reactions/follow.ts'
import { processReactions } from './reactions/process.ts'
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

/** Milliseconds between two looks for what has expired in the vault. */
const SWEEP = 3_600_000

/** What runs beside the requests, and how to end it. */
type Assembled = { readonly app: App; readonly close: () => Promise<void> }

const assemble = async (config: Config, stores: Stores, log: Logger): Promise<Assembled> => {
  const { vault, freshness } = stores
  const documents = remembering(stores.documents, freshness)
  const clock = Date.now
  const health = () => checkHealth({ events: stores.events, freshness, stalled: stores.stalled, clock })
  const metrics = openMetrics({ health, documents })
  const events = metrics.counting(stores.events)
  const { mint, close: closeMint } = await openMint(vault, randomUUID(), clock)
  const logCodec = codec(keyring(vault))
  const base = runner({ events, codec: logCodec })
  const hasParticipated = async (account: string, subsite: string, before: string) => {
    await freshness.waitUntil(before, 1_000)
    const id = participationId(account, subsite)
    return (await documents.getMany(participation, [id])).has(id)
  }
  const follow = following({ run: base.run, load: base.load, hasParticipated }, logCodec)
  const report = (err: unknown, event?: { readonly id: string; readonly type: string }) =>
    log.error({ err, ...(event && { event: event.id, type: event.type }) }, 'what follows from an event is late')
  const { run, load } = answering(base, { follow, waitUntilProjected: freshness.waitUntil, report })

  const stopping = new AbortController()
  const dueBans = (now: number) => documents.find(timers, { where: { due: { lte: now } }, order: ['due', 'id'], page: { limit: 100 } })
  const beside = [
    processReactions({ events, documents, follow, report }, stopping.signal),
    watchExpiry({ run: base.run, dueBans, clock, report }, stopping.signal),
  ]
  const sweeping = setInterval(() => vault.sweep(clock()).catch(report), SWEEP).unref()

  const app: App = {
    config,
    log,
    run,
    load,
    documents,
    vault,
    sessions: openSessions(vault, stores.sessionSecret, clock, config.publicUrl.startsWith('https:')),
    tokens: openTokens(vault, clock),
    freshness,
    idempotency: idempotency({ vault, mint, clock }),
    health,
    metrics,
    clock,
    mint,
  }
  return {
    app,
    close: async () => {
      clearInterval(sweeping)
      stopping.abort()
      await Promise.all(beside)
      await closeMint()
      metrics.close()
    },
  }
}

/** Put the parts together and start: stores, read models up to date, then the port. */
export const start = async (configured: Config, log: Logger = openLog(configured.logLevel)): Promise<Running> => {
  const stores = await openStores(configured)
  try {
    const listening = await listen(configured.host, configured.port)
    const url = urlOf(configured.host, listening.port)
    const publicUrl = configured.port === 0 && configured.publicUrl === urlOf(configured.host, 0) ? url : configured.publicUrl
    const config = { ...configured, port: listening.port, publicUrl }
    const { app, close } = await assemble(config, stores, log)
    listening.serve(openPipeline(app, endpoints), { trustProxy: config.trustProxy, log })
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
