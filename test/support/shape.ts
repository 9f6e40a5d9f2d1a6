import test from 'ava'
import type { Config } from '../../src/config.ts'
import { documentServer } from './document-server.ts'
import { type EventStoreServer, startEventStoreServer } from './event-store-server/server.ts'

type Shape = Pick<Config, 'eventStoreUrl' | 'documentStoreUrl' | 'sessionSecret'>

export type Servers = {
  /** Stores that nobody else has; for the same name the same ones. */
  readonly storesOf: (name: string) => Promise<Shape>
}

const openServers = async (): Promise<Servers> => {
  const documents = await documentServer()
  if (typeof documents === 'string') throw new Error(`SITE_SHAPE=servers needs a document server: ${documents}`)
  const known = new Map<string, Promise<Shape>>()
  const running: EventStoreServer[] = []
  test.after.always(async () => {
    for (const log of running) await log.stop()
    await documents.stop()
  })
  const fresh = async (): Promise<Shape> => {
    const log = await startEventStoreServer()
    running.push(log)
    return {
      eventStoreUrl: `esdb://127.0.0.1:${log.port}?tls=false`,
      documentStoreUrl: documents.freshUrl(),
      sessionSecret: 'a secret of at least 32 characters',
    }
  }
  return {
    storesOf: (name) => {
      const stores = known.get(name) ?? fresh()
      known.set(name, stores)
      return stores
    },
  }
}

/** With SITE_SHAPE=servers every site of the tests stands on EventStoreDB and MongoDB instead of one data file. */
export const servers: Servers | undefined = process.env.SITE_SHAPE === 'servers' ? await openServers() : undefined
