import { setTimeout as sleep } from 'node:timers/promises'
import { projections } from '../projections/all.ts'
import { collectionsOf } from '../projections/engine/sets.ts'
import { codec } from '../src/log/codec.ts'
import { openKeyring } from '../src/log/keys.ts'
import type { EventStore } from '../src/ports/event-store.ts'
import type { CallCounts } from '../test/support/call-counts.ts'
import { countRows } from './count-rows.ts'
import { fillLog } from './fill-log.ts'
import { history } from './history.ts'
import { openServers } from './servers.ts'
import { type Service, start } from './service.ts'
import { newest, register, type Session, threadPath } from './session.ts'
import { startStandIn } from './stand-ins.ts'
import { ratio, say, toTable } from './table.ts'
import { caughtUp, startWorkers } from './workers.ts'

const LINKS = 300
const THREAD = 300
const VOTERS = 16
/** Milliseconds until a process has the leases of its duties, and until its caches are no longer of the start. */
const SETTLED_MS = 4_000

/** The calls during a piece of work, to both servers together. */
export type Asked = { readonly done: number; readonly calls: CallCounts }

/** A running site of two API processes and a worker. The first API process has the duties, the second serves alone. */
export type Stage = {
  readonly first: Service
  readonly second: Service
  readonly links: readonly string[]
  readonly thread: string
  readonly events: EventStore
  readonly voters: readonly Session[]
  /** Does some work, which returns how much it did, and tells what it and its followers asked for. */
  readonly during: (work: () => Promise<number>) => Promise<Asked>
}

/** Returns the sum of the calls whose label matches, for each piece of work. */
export const countEach = ({ done, calls }: Asked, label: RegExp): number =>
  Object.entries(calls).reduce((sum, [name, count]) => sum + (label.test(name) ? count : 0), 0) / done

/** Runs jobs with so many in flight; returns how many. */
export const inFlight = async <T>(jobs: readonly T[], width: number, run: (job: T) => Promise<unknown>): Promise<number> => {
  const rest = jobs.values()
  const lane = async () => {
    for (const job of rest) await run(job)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return jobs.length
}

const program = (name: string): string => new URL(`../src/${name}.ts`, import.meta.url).pathname

/** Counts the calls to the servers, beside the goals. Returns false if a count is over its bound. */
export const serversCounts = async (
  only: string,
  verbose: boolean,
  addCleanUp: (cleanUp: () => Promise<void>) => void,
): Promise<boolean> => {
  const [log, documents] = await Promise.all([startStandIn('event-store-server'), startStandIn('document-store-server')])
  const servers = await openServers(log.url, documents.url, addCleanUp)
  const site = await servers.openSite()
  await site.documents.prepare(collectionsOf(projections))
  await fillLog(site.events, codec(openKeyring(site.vault)), history(LINKS, [THREAD]))
  const environment = (label: string, more = {}) => ({
    ...site.environment,
    EVENT_STORE_URL: `${log.url}&connectionName=${label}`,
    DOCUMENT_STORE_URL: `${site.documentStoreUrl}&appName=${label}`,
    ...more,
  })
  const api = { CAPTCHA: 'off', TRUST_PROXY: '1' }
  await startWorkers(1, environment('worker'))
  await caughtUp(site.documents, await site.events.head())
  const first = await start(program('main'), [], environment('first', { ...api, RATE_LIMITS: 'on' }))
  await sleep(SETTLED_MS)
  const second = await start(program('main'), [], environment('second', { ...api, RATE_LIMITS: 'off' }))
  const voters: Session[] = []
  for (let n = 0; n < VOTERS; n++) voters.push(await register(second.url, `voter_${n}`))
  await sleep(SETTLED_MS)

  const calls = async (): Promise<CallCounts> => ({ ...(await log.calls()), ...(await documents.calls()) })
  const stage: Stage = {
    first,
    second,
    links: await newest(second.url, LINKS),
    thread: await threadPath(second.url, THREAD),
    events: site.events,
    voters,
    during: async (work) => {
      await calls()
      const done = await work()
      await sleep(300)
      return { done, calls: await calls() }
    },
  }
  const results: { readonly name: string; readonly now: number; readonly wanted: number; readonly bound: number }[] = []
  for (const { name, wanted, bound = wanted, measure } of countRows.filter((row) => row.name.includes(only))) {
    const { now, asked } = await measure(stage)
    results.push({ name, now, wanted, bound })
    if (verbose)
      say(
        `${name}: ${JSON.stringify(
          asked.map(({ done, calls: all }) => ({ done, ...all })),
          null,
          1,
        )}`,
      )
  }
  await Promise.all([first.stop(), second.stop()])
  await site.close()
  const verdict = ({ now, wanted, bound }: (typeof results)[number]) =>
    now <= wanted ? 'met' : now <= bound ? `missed, bound ${ratio(bound)}` : 'OVER'
  say(
    toTable(
      ['', 'now', 'wanted', ''],
      results.map((row) => [row.name, ratio(row.now), ratio(row.wanted), verdict(row)]),
    ),
  )
  return results.every(({ now, bound }) => now <= bound)
}
