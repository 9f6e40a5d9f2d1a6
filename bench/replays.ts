import { projections } from '../projections/all.ts'
import { parked } from '../projections/engine/parked.ts'
import { collectionsOf } from '../projections/engine/sets.ts'
import { vaultRecords } from '../src/cli/export-vault.ts'
import { LOG_START, type Position } from '../src/ports/event-store.ts'
import { type BareWrites, bareWrites } from './bare-documents.ts'
import { openBareLog } from './bare-log.ts'
import type { Rate } from './in-flight.ts'
import { numberingRate } from './numbering.ts'
import type { Servers, Site } from './servers.ts'
import { caughtUp, startWorkers } from './workers.ts'

const PAGE_EVENTS = 500
const KEYS_AT_ONCE = 100

/** The rate of some workers, and the most MiB that one of them had resident. */
type WorkersRate = Rate & { readonly most: number }

export type Replays = {
  readonly events: number
  readonly read: Rate
  readonly write: BareWrites
  readonly numbering: Rate
  /** The rate by the number of workers, with the processor time of all of them. */
  readonly workers: ReadonlyMap<number, WorkersRate>
}

/** Counts the events of a log and the accounts that registered in it. */
const survey = async ({ events }: Pick<Site, 'events'>) => {
  const accounts = new Set<string>()
  let count = 0
  for (let after: Position = LOG_START; ; ) {
    const page = await events.readAll(after, PAGE_EVENTS)
    for (const { type, stream } of page) if (type === 'AccountRegistered') accounts.add(stream.slice(stream.indexOf('-') + 1))
    count += page.length
    const last = page.at(-1)
    if (!last) return { count, accounts, head: after }
    after = last.position
  }
}

/**
 * Opens a site without read models. It has the keys of the authors, since otherwise all text would be read as erased, which costs nothing.
 */
const openEmpty = async (servers: Servers, from: Pick<Site, 'vault'>, accounts: ReadonlySet<string>): Promise<Site> => {
  const site = await servers.openSite()
  const keys = await vaultRecords(from.vault, accounts, 'keys')
  for (let n = 0; n < keys.length; n += KEYS_AT_ONCE)
    await Promise.all(
      keys
        .slice(n, n + KEYS_AT_ONCE)
        .map(({ kind, id, owner, value }) => site.vault.putIf(kind, id, 0, { value, owner: owner ?? undefined })),
    )
  await site.documents.prepare(collectionsOf(projections))
  return site
}

/** Measures from the moment when the first worker is ready until all shards have reached the end of the log. */
const replayBy = async (count: number, { documents, environment }: Site, events: number, head: Position): Promise<WorkersRate> => {
  const begun = performance.now()
  const workers = await startWorkers(count, environment)
  const cpu = () => workers.reduce((sum, worker) => sum + worker.cpu(), 0)
  const before = cpu()
  await caughtUp(documents, head)
  const seconds = (performance.now() - begun) / 1000 - Math.min(...workers.map(({ startup }) => startup))
  const took = cpu() - before
  const most = Math.max(...workers.map(({ resident }) => resident().most))
  await Promise.all(workers.map(({ stop }) => stop()))
  const failed = await documents.walk(parked, undefined, 1)
  if (failed.length > 0) throw new Error('an event could not be projected')
  return { perSecond: events / seconds, cpu: (took / events) * 1e6, most }
}

/** Numbers the whole log, then builds all read models from it again and again, each time in an empty database, while no process uses the log. */
export const replays = async (servers: Servers, site: Pick<Site, 'events' | 'vault'>, counts: readonly number[]): Promise<Replays> => {
  const { count: events, accounts, head } = await survey(site)
  const bareLog = openBareLog(servers.eventStoreUrl)
  const read = await bareLog.catchUp(events)
  await bareLog.close()
  const inEmpty = async <T>(use: (empty: Site) => Promise<T>): Promise<T> => {
    const empty = await openEmpty(servers, site, accounts)
    try {
      return await use(empty)
    } finally {
      await empty.close()
    }
  }
  const write = await inEmpty(bareWrites)
  const numbering = await inEmpty((empty) => numberingRate(empty, events))
  const workers = new Map<number, WorkersRate>()
  for (const count of counts) workers.set(count, await inEmpty((empty) => replayBy(count, empty, events, head)))
  return { events, read, write, numbering, workers }
}
