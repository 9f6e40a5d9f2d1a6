import { randomBytes } from 'node:crypto'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { startEventStoreServer } from './event-store-server/server.ts'
import { realEventStore } from './real-event-store.ts'
import { openRelay } from './relay.ts'

/** A log for a whole site, and the faults that a test can cause in it while the site uses it. */
export type LogServer = {
  readonly url: string
  /** Undefined where its nodes are reached directly, so that the connection cannot be disturbed. */
  readonly trouble: Trouble | undefined
  /** A name that no earlier site on the same log has. */
  readonly named: (name: string) => string
  readonly stop: () => Promise<void>
}

export type Trouble = {
  /** Connections stay, and no data is sent. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Every connection breaks and new ones are refused, until it is up again. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
}

const LOOPBACK = /^(?:esdb|kurrentdb|kurrent|kdb):\/\/(?<user>[^@/?]*@)?(?<host>127\.0\.0\.1|localhost):(?<port>\d+)(?<rest>\/?(\?.*)?)$/

const simulatedLog = async (): Promise<LogServer> => {
  const server = await startEventStoreServer()
  return {
    url: `esdb://127.0.0.1:${server.port}?tls=false`,
    trouble: { freeze: server.freeze, thaw: server.thaw, down: server.kill, up: server.restart },
    named: (name) => name,
    stop: server.stop,
  }
}

/** Events of other programs would stop the workers of a site, as they should. */
const refuseForeign = async (url: string): Promise<void> => {
  const log = await openEventStoreDb({ url })
  const [first] = await log.readAll(LOG_START, 1)
  await log.close()
  if (first && !eventDefinitions.has(first.type))
    throw new Error(`the log at TEST_EVENT_STORE_URL begins with ${first.type}: it is not the log of a site`)
}

/**
 * The server at TEST_EVENT_STORE_URL (in the full suite alone, since the contract suites write events that no site has) or in a container,
 * behind a relay where it is a single node on this machine; else a simulated server.
 */
export const logServer = async (): Promise<LogServer> => {
  if (process.env.TEST_EVENT_STORE_URL && process.env.FULL_DISTRIBUTED !== '1') return simulatedLog()
  const real = await realEventStore()
  if ('missing' in real) return simulatedLog()
  await refuseForeign(real.url)
  const run = randomBytes(3).toString('hex')
  const named = (name: string) => `${name}_${run}`
  const single = LOOPBACK.exec(real.url)?.groups
  if (!single) return { url: real.url, trouble: undefined, named, stop: real.stop }
  const { user = '', host = '', port = '', rest = '' } = single
  const relay = await openRelay({ host: '127.0.0.1', port: Number(port) })
  return {
    named,
    url: `esdb://${user}${host}:${relay.port}${rest}`,
    trouble: relay,
    stop: async () => {
      await relay.down()
      await real.stop()
    },
  }
}
