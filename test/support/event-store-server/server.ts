import { randomUUID } from 'node:crypto'
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { Server, ServerCredentials, type status, type UntypedServiceImplementation } from '@grpc/grpc-js'
import { type CallCounter, openCallCounter } from '../call-counts.ts'
import { openRelay, type Relay } from '../relay.ts'
import { appends } from './appends.ts'
import { type Compression, compression, type Gzip, ordinaryGzip } from './compression.ts'
import { type Faults, noFaults } from './faults.ts'
import { gateFor } from './gate.ts'
import { createLog, type Log } from './log.ts'
import { type CallKind, openCalls } from './open-calls.ts'
import { type ReadCounts, reads } from './reads.ts'
import { callError } from './wire.ts'

export type Member = { readonly host: string; readonly port: number; readonly alive: boolean; readonly leader: boolean }

export type ServerOptions = {
  readonly port?: number
  /** Names and passwords; with any, calls without a right pair are refused. */
  readonly users?: Readonly<Record<string, string>>
  readonly tls?: { readonly certificate: Buffer; readonly key: Buffer; readonly clientAuthority?: Buffer }
  /** Shared by the nodes of a cluster, as if replicated at once. */
  readonly log?: Log
  /** Returns the members that gossip names; this node alone by default. */
  readonly members?: () => readonly Member[]
  readonly gzip?: Gzip
}

export type EventStoreServer = Omit<Relay, 'down' | 'up'> & {
  readonly log: Log
  readonly compression: Pick<Compression, 'accepted' | 'compressed'>
  readonly faults: Faults
  /** Grows; tests may set it back. */
  readonly counted: ReadCounts
  /** Calls by the name of the client's connection. */
  readonly calls: CallCounter
  readonly openCalls: (kind: CallKind) => number
  readonly endCalls: (kind: CallKind) => void
  readonly failCalls: (kind: CallKind, code: status, details?: string) => void
  /** Ends the server as SIGKILL does: what it has not written is lost. */
  readonly kill: () => Promise<void>
  /** Come back on the same port with the same events. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

const FOLLOWER = 6
const LEADER = 8
const FIRST_SYSTEM_EVENTS = 3 // a real log begins with the server's own users and settings

const host = '127.0.0.1'

const supportedMethods = () => {
  const answer = new features.SupportedMethods().setEventStoreServerVersion('24.10.5')
  for (const method of ['Read', 'Append', 'BatchAppend', 'Delete', 'Tombstone']) {
    answer.addMethods(
      new features.SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName(method.toLowerCase()),
    )
  }
  return answer
}

const clusterInfo = (members: readonly Member[]) => {
  const answer = new gossip.ClusterInfo()
  for (const member of members) {
    answer.addMembers(
      new gossip.MemberInfo()
        .setInstanceId(new shared.UUID().setString(randomUUID()))
        .setTimeStamp(String(Date.now()))
        .setState(member.leader ? LEADER : FOLLOWER)
        .setIsAlive(member.alive)
        .setHttpEndPoint(new gossip.EndPoint().setAddress(member.host).setPort(member.port)),
    )
  }
  return answer
}

/**
 * An EventStoreDB at the wire: what a real one of the 23.10 and 24.10 lines answers, in memory, and misbehaving on demand. It compresses
 * its answers as KurrentDB from 25.1 on does.
 */
export const startEventStoreServer = async (options: ServerOptions = {}): Promise<EventStoreServer> => {
  const log = options.log ?? createLog()
  if (!options.log) log.writeSystemEvents(FIRST_SYSTEM_EVENTS)
  const faults = noFaults()
  const open = openCalls()
  const gate = gateFor(options.users, faults)
  let lives = 0

  const compressing = compression(options.gzip ?? ordinaryGzip())
  const server = new Server({
    'grpc.max_receive_message_length': 32 * 1024 * 1024,
    'grpc.max_concurrent_streams': 10_000,
    interceptors: [compressing.interceptor],
  })
  compressing.observe(server)
  const counted: ReadCounts = { pages: 0, events: 0 }
  const calls = openCallCounter()
  const parts = { log, faults, open, gate, counted, calls, life: () => lives }
  const serve = (service: Parameters<Server['addService']>[0], implementation: object): void =>
    server.addService(service, implementation as UntypedServiceImplementation)
  serve(streamServices.StreamsService, { ...appends(parts), ...reads(parts) })
  serve(featureServices.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, done: (error: null, answer: object) => void) => done(null, supportedMethods()),
  })
  serve(gossipServices.GossipService, {
    read: (_: unknown, done: (error: null, answer: object) => void) => done(null, clusterInfo(members())),
  })

  const credentials = options.tls
    ? ServerCredentials.createSsl(
        options.tls.clientAuthority ?? null,
        [{ cert_chain: options.tls.certificate, private_key: options.tls.key }],
        options.tls.clientAuthority !== undefined,
      )
    : ServerCredentials.createInsecure()
  const inner = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`${host}:0`, credentials, (error, port) => (error ? reject(error) : resolve(port))),
  )
  const relay = await openRelay({ host, port: inner }, options.port)
  const members = options.members ?? (() => [{ host, port: relay.port, alive: true, leader: true }])

  const kill = async (): Promise<void> => {
    lives++
    await relay.down()
  }
  return {
    ...relay,
    log,
    compression: compressing,
    faults,
    counted,
    calls,
    openCalls: open.count,
    endCalls: open.end,
    failCalls: (kind, code, details = 'broken by the test') => open.fail(kind, callError(code, details)),
    kill,
    restart: async () => {
      log.restart()
      await relay.up()
    },
    stop: async () => {
      await kill()
      server.forceShutdown()
    },
  }
}
