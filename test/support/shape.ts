import type { Config } from '../../src/config.ts'
import type { EventStoreServer } from './event-store-server/server.ts'
import { serverStores } from './server-stores.ts'

type Shape = Pick<Config, 'eventStoreUrl' | 'documentStoreUrl' | 'sessionSecret'>

export type Servers = {
  /** Stores that nobody else has; for the same name the same ones. */
  readonly join: (name: string) => Promise<Shape>
  /** The site ended; another one may take its stores up, for a while. */
  readonly leave: (name: string) => void
  /** The site ended, and its stores with it. */
  readonly end: (name: string) => Promise<void>
}

const LEFT_STORES_MS = 3_000

/** Loads the servers only here, because most threads of tests run without them. */
const openServers = async (): Promise<Servers> => {
  const { documentServer } = await import('./document-server.ts')
  const { refuseCompression } = await import('./event-store-server/compression.ts')
  const { startEventStoreServer } = await import('./event-store-server/server.ts')
  const documents = await documentServer()
  if (typeof documents === 'string') throw new Error(`SITE_SHAPE=servers needs a document server: ${documents}`)
  const known = new Map<string, { readonly log: EventStoreServer; readonly shape: Shape }>()
  const leaving = new Map<string, NodeJS.Timeout>()
  const end = async (name: string): Promise<void> => {
    const ended = known.get(name)
    known.delete(name)
    if (!ended) return
    await ended.log.stop()
    refuseCompression(ended.log.compression)
    await documents.drop(ended.shape.documentStoreUrl)
  }
  return {
    join: async (name) => {
      clearTimeout(leaving.get(name))
      const there = known.get(name)
      if (there) return there.shape
      const log = await startEventStoreServer()
      const shape = serverStores(log, documents)
      known.set(name, { log, shape })
      return shape
    },
    leave: (name) => {
      leaving.set(name, setTimeout(end, LEFT_STORES_MS, name).unref())
    },
    end,
  }
}

/** True if a part of repeated cases is enough, as in the gate's sample of the files on servers. */
export const isSample = process.env.SERVERS_SAMPLE === '1'

/** With SITE_SHAPE=servers every site of the tests stands on EventStoreDB and MongoDB instead of one data file. */
export const servers: Servers | undefined = process.env.SITE_SHAPE === 'servers' ? await openServers() : undefined
