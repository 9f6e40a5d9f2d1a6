import { randomBytes } from 'node:crypto'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { START } from '../../src/ports/event-store.ts'
import { startEventStoreServer } from './event-store-server/server.ts'
import { realEventStore } from './real-event-store.ts'
import { openRelay } from './relay.ts'

/** A log for a whole site, and what can happen to it while the site stands on it. */
export type LogServer = {
  readonly url: string
  /** Undefined where its nodes are reached directly, so that nothing can be done to the way there. */
  readonly trouble: Trouble | undefined
  /** A name that no earlier site on the same log has. */
  readonly named: (name: string) => string
  readonly stop: () => Promise<void>
}

export type Trouble = {
  /** Connections stay, and not a byte moves. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Every connection breaks and new ones are refused, until it is up again. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
}

const LOOPBACK = /^(?:esdb|kurrentdb|kurrent|kdb):\/\/(?<user>[^@/?]*@)?(?<host>127\.0\.0\.1|localhost):(?<port>\d+)(?<rest>\/?(\?.*)?)$/

const atTheWire = async (): Promise<LogServer> => {
  const server = await startEventStoreServer()
  return {
    url: `esdb://127.0.0.1:${server.port}?tls=false`,
    trouble: { freeze: server.freeze, thaw: server.thaw, down: server.kill, up: server.restart },
    named: (name) => name,
    stop: server.stop,
  }
}

/** Other events would stop the workers of a site, as they should. */
const refuseForeign = async (url: string): Promise<void> => {
  const log = await openEventStoreDb({ url })
  const [first] = await log.readAll(START, 1)
  await log.close()
  if (first && !eventDefinitions.has(first.type))
    throw new Error(`the log at TEST_EVENT_STORE_URL begins with ${first.type}: it is no site's`)
}

/**
 * The server at TEST_EVENT_STORE_URL (in the full suite alone, since the contract suites write what is no site's) or in a container, behind a
 * relay where it is a single node on this machine; else one at the wire.
 */
export const logServer = async (): Promise<LogServer> => {
  if (process.env.TEST_EVENT_STORE_URL && process.env.FULL_DISTRIBUTED !== '1') return atTheWire()
  const real = await realEventStore()
  if ('missing' in real) return atTheWire()
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
