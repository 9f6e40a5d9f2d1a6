import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { modLog } from '../projections/mod-log.ts'
import { snapshots } from '../projections/snapshots.ts'
import { noAdmins, openAdmins } from './auth/admins.ts'
import { openCaptchas } from './auth/captcha.ts'
import { openFeedTokens } from './auth/feed-tokens.ts'
import { openPasswordLane } from './auth/password-lane.ts'
import { openSessions } from './auth/sessions.ts'
import { openTokens } from './auth/tokens.ts'
import { documentsWithOverseer, loadWithOverseer, readsWithOverseer } from './commands/read-only-overseer.ts'
import type { Config } from './config.ts'
import { urlOf } from './config-variables.ts'
import { HOUR } from './domain/time.ts'
import type { History } from './history/history.ts'
import { endpoints } from './http/endpoints/all.ts'
import { operationEndpoints } from './http/endpoints/service.ts'
import { openService } from './http/pipeline/application.ts'
import { openFollowers } from './http/pipeline/followers.ts'
import { openViewerNow } from './http/pipeline/identity.ts'
import { openHandling } from './http/pipeline/run-endpoint.ts'
import { listen } from './http/pipeline/server.ts'
import { fairSearches } from './http/workers/fair-searches.ts'
import { openRateLimit, type RateLimit } from './limits/rate-limit.ts'
import { codec } from './log/codec.ts'
import { textOpener } from './log/event-texts.ts'
import { openKeyring } from './log/keys.ts'
import { openStreams } from './log/opened-streams.ts'
import { ADMINS_DIFFER, checkHealth } from './operations/health.ts'
import { openLog } from './operations/logging.ts'
import { openMetrics } from './operations/metrics.ts'
import { recentWarnings } from './operations/recent-warnings.ts'
import { type RefusedWrites, watchWrites } from './operations/refused-writes.ts'
import { openHistoryOf, openNumberedReads } from './operations/site-history.ts'
import { type UnheededProxy, watchForProxy } from './operations/unheeded-proxy.ts'
import { SERVICE_VERSION } from './operations/version.ts'
import { getOne } from './ports/documents.ts'
import { withinLimits } from './ports/within-limits.ts'
import { commentIndexes } from './queries/comment-indexes.ts'
import { openOpaqueAnchors } from './queries/opaque-anchors.ts'
import { anchors } from './queries/ordered-source.ts'
import { cacheReads } from './queries/read-cache.ts'
import { watchDuties } from './reactions/duties-watch.ts'
import { listQueued } from './reactions/queue.ts'
import { openReactions, startDuties } from './reactions/reactions.ts'
import { openRetries } from './reactions/retries.ts'
import { idempotency } from './runtime/idempotency.ts'
import { refuseLogAhead } from './runtime/log-clock.ts'
import { watchLog } from './runtime/log-watch.ts'
import { noMint, openMint } from './runtime/mint.ts'
import { awaitProjection, runner } from './runtime/run.ts'
import { openStores, type Stores } from './stores.ts'

/** The parts that requests are served with. No file of `src/http/` names it as a whole: each names the parts that it uses. */
type App = Parameters<typeof openHandling>[0] & Omit<Parameters<typeof openService>[0], 'limit' | 'handle'>

/** A running site. */
export type RunningSite = {
  readonly url: string
  readonly app: App
  readonly stores: Stores
  /**
   * Accepts nothing more, finishes requests in flight, and leaves everything acknowledged on disk. On connections that are kept alive,
   * requests are answered for `drain` milliseconds more (0).
   */
  readonly stop: (drain?: number) => Promise<void>
}

/** The time between two looks for expired records in the vault. */
const SWEEP_INTERVAL_MS = HOUR
/** The work beside the requests, and the way to end it. */
type SiteParts = { readonly app: App; readonly limit: RateLimit; readonly endStreams: () => void; readonly close: () => Promise<void> }

const assemble = async (
  config: Config,
  stores: Stores,
  log: Logger,
  { proxy, history, writes }: { readonly proxy: UnheededProxy; readonly history: History | undefined; readonly writes: RefusedWrites },
): Promise<SiteParts> => {
  const { vault, freshness, asOf } = stores
  const isOverseen = asOf !== undefined && config.readOnlyAs !== 'anybody'
  const remembered = fairSearches(cacheReads(withinLimits(stores.documents), freshness))
  const documents = isOverseen ? documentsWithOverseer(remembered) : remembered
  const clock = asOf ? () => asOf.at : Date.now
  const { mint, unableToMint, close: closeMint } = asOf ? noMint : await openMint(vault, randomUUID(), clock)
  const isHistoryStopped = () => history?.stopped() !== undefined
  const isHeadUnwritten = () => history?.isHeadUnwritten() === true
  const unseenBy = () => history?.unseenBy().map(([{ name }]) => name) ?? []
  const dutiesWatch = config.duties === 'off' ? watchDuties(vault) : undefined
  const areDutiesLeft = () => dutiesWatch?.areLeft() === true
  const readDifferingAdmins = () => admins.differing()
  const readProved = () => history?.proved()
  const health = () =>
    checkHealth({
      ...stores,
      unableToMint,
      clock,
      differing: readDifferingAdmins,
      proxy,
      isHistoryStopped,
      isHeadUnwritten,
      areDutiesLeft,
      unseenBy,
      proved: readProved,
      writes,
    })
  const passwords = openPasswordLane()
  const metrics = openMetrics({
    stores: stores.alone ? 'sqlite' : 'servers',
    health,
    documents,
    events: stores.events,
    passwords,
    isHistoryStopped,
    writes,
    queued: async () => (await listQueued(vault)).length,
    clock,
  })
  const events = metrics.timeCalls(stores.events)
  const keys = openKeyring(vault)
  const logCodec = codec(keys)
  const watch = asOf
    ? undefined
    : watchLog(
        events,
        (err) => log.warn({ err }, 'the subscription to the log failed; commands read the log each time instead'),
        () => {
          keys.forget()
          base.forget()
        },
        // to read a data file takes less time than any wait
        stores.alone ? 0 : undefined,
      )
  const snapshotOf = (stream: string) => getOne(stores.documents, snapshots, stream)
  const { append, ...streams } = openStreams(events, logCodec)
  const base = runner({ events: { ...events, append }, codec: logCodec, snapshots: snapshotOf, ...(watch && { watch }) })
  const sessions = openSessions(vault, stores.sessionSecret, clock, config.publicUrl.startsWith('https:'))
  const tokens = openTokens(vault, clock)
  const follow = openReactions({
    base,
    keys,
    events,
    open: logCodec.open,
    admins: config.admins,
    documents,
    vault,
    blobs: stores.blobs,
    freshness,
    sessions,
    tokens,
  })
  const report = (err: unknown, event?: { readonly id: string; readonly type: string }) =>
    log.error({ err, ...(event && { event: event.id, type: event.type }) }, 'reaction failed, will retry')
  const reportSweep = (err: unknown) => log.error({ err }, 'expired records of the vault could not be deleted, will retry')
  const reportAdmins = (err: unknown) => log.error({ err }, 'the configured admins could not be recorded, will retry')
  const { run, ...loads } = awaitProjection(base, { follow, waitUntilProjected: stores.waitUntilProjected, report })
  const load = isOverseen ? loadWithOverseer(loads.load) : loads.load
  const loadRecent = isOverseen ? loadWithOverseer(loads.loadRecent) : loads.loadRecent
  const openReads: typeof base.openReads = (mayGuess) =>
    isOverseen ? readsWithOverseer(loads.openReads(mayGuess)) : loads.openReads(mayGuess)
  const admins = asOf
    ? noAdmins
    : openAdmins({
        run: base.run,
        load,
        mint,
        configured: config.admins,
        warn: (accounts) => log.warn({ accounts }, ADMINS_DIFFER),
        report: reportAdmins,
      })
  await admins.record()
  const hasDuties = !asOf && config.duties !== 'off'
  const endDuties = hasDuties
    ? startDuties(stores, {
        run: base.run,
        events,
        open: logCodec.open,
        documents,
        vault,
        freshness,
        follow,
        clock,
        report,
        history,
      })
    : async () => {}
  const sweeping = hasDuties ? setInterval(() => vault.sweep(clock()).catch(reportSweep), SWEEP_INTERVAL_MS).unref() : undefined

  const numbered = openNumberedReads(history, { events, history: stores.history, texts: textOpener(keys) })
  const followers = openFollowers({
    state: async () => {
      await freshness.refresh?.()
      const shown = [freshness.settled?.() ?? freshness.position(), freshness.generation(modLog.name)]
      return `${await numbered.numberedEvents?.size()} ${shown.join(' ')}`
    },
    report: (err) => log.warn({ err }, 'an event stream to a client ended with an error'),
  })
  const app: App = {
    config,
    log,
    run,
    load,
    loadRecent,
    openReads,
    ...streams,
    documents,
    vault,
    sessions,
    tokens,
    feedTokens: openFeedTokens(vault, stores.sessionSecret),
    blobs: stores.blobs,
    followers,
    viewerNow: openViewerNow({ config, load, loadRecent, clock, sessions, tokens }),
    ...numbered,
    openEvents: logCodec.open,
    passwords,
    captchas: openCaptchas(vault, stores.sessionSecret, clock),
    freshness,
    audienceState: () => watch?.audienceState(),
    anchors: anchors(),
    opaqueAnchors: openOpaqueAnchors(stores.sessionSecret),
    commentIndexes: commentIndexes({ documents, freshness }),
    idempotency: idempotency({ vault, mint, clock, alone: stores.alone }),
    admins,
    health,
    metrics,
    operations: {
      version: SERVICE_VERSION,
      started: clock(),
      head: () => events.head(),
      projected: stores.projected,
      queued: () => listQueued(vault),
      retryReactions: openRetries({ events, vault, follow }),
      counts: metrics.counts,
      warnings: recentWarnings,
    },
    clock,
    mint,
  }
  const limit = openRateLimit({
    clock: Date.now,
    enforced: config.rateLimits,
    ...(!stores.alone && { vault }),
    report: (err) => log.warn({ err }, 'shared rate limit unavailable; this process counts requests on its own'),
  })
  return {
    app,
    limit,
    endStreams: followers.close,
    close: async () => {
      clearInterval(sweeping)
      dutiesWatch?.close()
      admins.close()
      await limit.close()
      await Promise.all([endDuties(), watch?.close()])
      await closeMint()
    },
  }
}

/** Puts the parts together and starts: stores, read models up to date, then the port. `signal` gives up waiting for servers. */
export const start = async (configured: Config, log: Logger = openLog(configured.logLevel), signal?: AbortSignal): Promise<RunningSite> => {
  const opened = await openStores(configured, log, signal)
  const writes = watchWrites(log)
  const stores = opened.asOf ? opened : writes.watchStores(opened)
  try {
    if (!stores.asOf) await refuseLogAhead(stores.events, Date.now)
    const history = stores.asOf ? undefined : await openHistoryOf(configured, stores, log)
    const listening = await listen(configured.host, configured.port)
    const url = urlOf(configured.host, listening.port)
    const publicUrl = configured.port === 0 && configured.publicUrl === urlOf(configured.host, 0) ? url : configured.publicUrl
    const isServing = configured.duties !== 'only'
    const config = { ...configured, port: listening.port, publicUrl, pages: configured.pages && isServing }
    const proxy = watchForProxy(log)
    const { app, limit, endStreams, close } = await assemble(config, stores, log, { proxy, history, writes })
    const { trustProxy } = config
    const served = isServing ? endpoints : operationEndpoints
    const connections = { publicUrl, trustProxy, isClosing: listening.isClosing, seeUntrusted: proxy.see }
    listening.serve(openService({ ...app, limit, handle: openHandling(app) }, served, connections), publicUrl)
    return {
      url,
      app,
      stores,
      stop: async (drain) => {
        endStreams()
        await listening.close(drain)
        await close()
        writes.close()
        await stores.close()
      },
    }
  } catch (error) {
    await stores.close()
    throw error
  }
}
