// Decisions 38 and 44.

import type { Duplex } from 'node:stream'
import { EventStoreDBClient } from '@eventstore/db-client'
import type { ConnectionSettings } from './connection-string.ts'
import { UNAVAILABLE } from './failures.ts'
import { appendCall, type SendAppend } from './own-calls/append-call.ts'
import { allowTlsByAddress } from './tls-by-address.ts'
import { acceptUncompressedOnly } from './uncompressed.ts'

/** A client of the database, and functions that append and that dispose of it. */
export type LogClient = {
  readonly client: EventStoreDBClient
  readonly append: SendAppend
  readonly close: () => Promise<void>
}

type Closable = { close(): void }

/** The internals of the client that are patched here. The package is at its last version, so it will not change. */
type Inside = {
  GRPCStreamCreator: (
    service: unknown,
    name: string,
    create: (client: unknown) => Duplex | Promise<Duplex>,
    cache?: object,
  ) => () => Promise<Duplex>
  handleError: (client: unknown, error: Error) => Promise<void>
  createChannel: () => Promise<Closable>
}

const DEADLINE_MS = 60_000 // sent as a time of day: a shorter one fails every append once the server's clock is ahead by as much
const KEEP_ALIVE_MS = 10_000

const CANCELLED = 1

/**
 * Makes a cancelled read fail. Disposing of a client also cancels reads and subscriptions of other clients, and the client treats each
 * cancelled read as complete: a stream cut short, or one without events. A cancelled subscription would fall silent.
 */
const mendRead = (stream: Duplex): Duplex => {
  const emit = stream.emit.bind(stream) as (name: string | symbol, ...args: readonly unknown[]) => boolean
  stream.emit = ((name: string | symbol, ...args: readonly unknown[]) => {
    const [error] = args
    if (name === 'error' && error instanceof Error && 'code' in error && error.code === CANCELLED)
      Object.assign(error, { code: UNAVAILABLE, details: 'the read was cut off', message: 'the read was cut off' })
    return emit(name, ...args)
  }) as Duplex['emit']
  return stream
}

const READS: ReadonlySet<string> = new Set(['readStream', 'readAll', 'subscribeToAll'])

/** Patches the client. Returns a function that closes the connections it leaves open, and those it may still make. */
const mend = (client: EventStoreDBClient): (() => void) => {
  const inside = client as unknown as Inside
  const channels = new Set<Closable>()
  let closed = false
  const { GRPCStreamCreator, handleError, createChannel } = inside
  inside.GRPCStreamCreator = (service, name, create, cache) => {
    const createMended = READS.has(name) ? async (grpc: unknown) => mendRead(await create(grpc)) : create
    return GRPCStreamCreator(service, name, createMended, cache)
  }
  // This call awaits a connection that may fail, and nobody awaits the call. Its rejection would end the process.
  inside.handleError = (grpc, error) => handleError(grpc, error).catch(() => undefined)
  inside.createChannel = async () => {
    const channel = await createChannel()
    channels.add(channel)
    if (!closed) return channel
    channel.close()
    throw new Error('the client is closed')
  }
  return () => {
    closed = true
    for (const channel of channels) channel.close()
  }
}

allowTlsByAddress()
acceptUncompressedOnly()

let clients = 0

/** Creates a client with a TCP connection of its own. `purpose` shows in the server's log. */
export const createClient = (connection: ConnectionSettings, purpose: string): LogClient => {
  const { hosts, discover, credentials, tls, settings } = connection
  const common = {
    ...settings,
    defaultDeadline: settings.defaultDeadline ?? DEADLINE_MS,
    connectionName: `${connection.connectionName ?? 'rostra'}-${purpose}`,
    // Connections with equal options are shared below the client; a new client must not get the old one's dead connection.
    keepAliveInterval: (settings.keepAliveInterval ?? KEEP_ALIVE_MS) + (clients++ % 1_000),
  }
  const channel = {
    insecure: tls === undefined,
    ...(tls?.authority && { rootCertificate: tls.authority }),
    ...(tls?.userCertificate && { userCertFile: tls.userCertificate }),
    ...(tls?.userKey && { userKeyFile: tls.userKey }),
  }
  const [first] = hosts
  const client = discover
    ? new EventStoreDBClient({ ...common, discover: first }, channel, credentials)
    : hosts.length > 1
      ? new EventStoreDBClient({ ...common, endpoints: [...hosts] }, channel, credentials)
      : new EventStoreDBClient({ ...common, endpoint: first }, channel, credentials)
  const closeChannels = mend(client)
  return {
    client,
    append: appendCall(client),
    close: async () => {
      await client.dispose()
      closeChannels()
    },
  }
}
