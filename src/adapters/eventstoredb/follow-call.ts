import type { EventStoreDBClient } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { CallOptions, Client, ClientReadableStream, Metadata } from '@grpc/grpc-js'
import { LOG_START, type Position } from '../../ports/event-store.ts'
import { positionOf } from './event-text.ts'

/** What the client itself makes its calls with. */
type Inside = {
  GRPCStreamCreator: <Stream>(service: unknown, name: string, create: (client: Client) => Stream) => () => Promise<Stream>
  callArguments: (options: object, call: Partial<CallOptions>) => [Metadata, Partial<CallOptions>]
}

const CHECKPOINT_EVERY = 8 // times the server's search window of 32 events
const NOT_OF_THE_SERVER = '^[^$].*'

const { StreamsClient, StreamsService } = services
const { ReadReq } = streams

/** Everything of ours after a position, now and from now on. */
const requestFrom = (after: Position): InstanceType<typeof ReadReq> => {
  const { AllOptions, FilterOptions, Position: At, SubscriptionOptions, UUIDOption } = ReadReq.Options
  const empty = new shared.Empty()
  const all = new AllOptions()
  const { commit, prepare } = positionOf(after)
  if (after === LOG_START) all.setStart(empty)
  else all.setPosition(new At().setCommitPosition(String(commit)).setPreparePosition(String(prepare)))
  const filter = new FilterOptions()
    .setEventType(new FilterOptions.Expression().setRegex(NOT_OF_THE_SERVER))
    .setCount(empty)
    .setCheckpointintervalmultiplier(CHECKPOINT_EVERY)
  const options = new ReadReq.Options()
    .setAll(all)
    .setSubscription(new SubscriptionOptions())
    .setUuidOption(new UUIDOption().setString(empty))
    .setFilter(filter)
  return new ReadReq().setOptions(options)
}

export const asTheyCome = (bytes: Buffer): Buffer => bytes

/** A subscription as the client makes it, on the same connection; its messages as they come, for `readMessage`. */
export const followCall =
  (client: EventStoreDBClient) =>
  (after: Position): Promise<ClientReadableStream<Buffer>> => {
    const inside = client as unknown as Inside
    const { path, requestSerialize } = StreamsService.read
    const [metadata, options] = inside.callArguments({}, { deadline: Number.POSITIVE_INFINITY })
    const begin = inside.GRPCStreamCreator(StreamsClient, 'subscribeToAll', (grpc) =>
      grpc.makeServerStreamRequest(path, requestSerialize, asTheyCome, requestFrom(after), metadata, options),
    )
    return begin()
  }
