import { setTimeout as sleep } from 'node:timers/promises'
import { openBareLog } from './bare-log.ts'
import type { Effort } from './compare.ts'
import { type Rate, rateOf } from './in-flight.ts'
import { type Asked, load } from './load.ts'
import type { Servers, Site } from './servers.ts'
import type { Service } from './service.ts'
import type { VoteAppend, VoteSupply } from './vote-appends.ts'
import { caughtUp } from './workers.ts'

/** Votes of one round, all with the same number in flight. */
export type VoteRates = {
  /** Appended by the bare client. */
  readonly bare: Rate
  /** The rate while that client receives all events, as a process of the service does. */
  readonly echoed: Rate
  /** The rate through the port, which adds its guards. */
  readonly port: Rate
  /** Cast over HTTP: decided, appended and shown by the read models; with the processor time of the API process. */
  readonly service: Rate
}

type Parts = {
  readonly servers: Pick<Servers, 'eventStoreUrl'>
  readonly site: Pick<Site, 'events' | 'documents'>
  readonly api: Service
  readonly worker: Service
  readonly ask: Asked | (() => Asked)
  readonly supply: VoteSupply
}

/** Appends of the bare client in a round at most: afterwards the read models must catch up with them. */
const MAX_BARE_APPENDS = 2_000
/** Milliseconds for the requests that were under way when the load ended. */
const DRAIN_MS = 1_500

/**
 * Measures the service, the bare client and the port in turn. While only the log is written, the service's processes are suspended, so that
 * the machine belongs to the client; afterwards the read models catch up. The first round only warms up.
 */
export const voteRates = async (
  { servers, site, api, worker, ask, supply }: Parts,
  { connections, seconds, rounds }: Effort,
): Promise<readonly VoteRates[]> => {
  const bareLog = openBareLog(servers.eventStoreUrl)
  const each = seconds / rounds

  const rate = async (calling: (append: VoteAppend) => () => Promise<unknown>): Promise<Rate> => {
    const ready = (await supply.fill(MAX_BARE_APPENDS)).slice(0, MAX_BARE_APPENDS)
    const calls = ready.map(calling).map((call) => () => {
      supply.next() // unsent votes come first the next time, so that revisions go on in order
      return call()
    })
    return rateOf(calls.values(), connections, each)
  }
  const throughPort =
    ({ stream, expected, event }: VoteAppend) =>
    async () => {
      const { outcome } = await site.events.append(stream, expected, [event])
      if (outcome !== 'appended') throw new Error(`${stream} does not stand at ${expected}`)
    }
  const settled = async () => caughtUp(site.documents, await site.events.head())

  const round = async (): Promise<VoteRates> => {
    const before = api.cpu()
    const { answers, seconds: took } = await load({ url: api.url, connections, seconds: each, ask })
    await sleep(DRAIN_MS)
    const cpu = ((api.cpu() - before) / answers) * 1e6
    await settled()
    for (const process of [api, worker]) process.pause()
    const bare = await rate(bareLog.prepareAppend)
    const unfollow = await bareLog.follow()
    const echoed = await rate(bareLog.prepareAppend)
    await unfollow()
    const port = await rate(throughPort)
    for (const process of [api, worker]) process.resume()
    await settled()
    return { bare, echoed, port, service: { perSecond: answers / took, cpu } }
  }

  try {
    await round()
    const measured: VoteRates[] = []
    for (let i = 0; i < rounds; i += 1) measured.push(await round())
    return measured
  } finally {
    await bareLog.close()
  }
}
