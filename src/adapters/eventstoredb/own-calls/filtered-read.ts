import type { AllStreamResolvedEvent, EventStoreDBClient, StreamingRead } from '@eventstore/db-client'
import { ReadStream } from '@eventstore/db-client/dist/streams/utils/ReadStream.js'
import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js'
import { LOG_START, type Position } from '../../../ports/event-store.ts'
import { type LogFilter, parsePosition } from '../event-text.ts'

const { StreamsClient } = services
const { ReadReq } = streams

type Call = ClientReadableStream<InstanceType<typeof streams.ReadResp>>

/** The internals with which the client makes its calls. */
type Inside = {
  GRPCStreamCreator: (service: unknown, name: string, create: (client: InstanceType<typeof StreamsClient>) => Call) => () => Promise<Call>
  callArguments: (options: object, call: Partial<CallOptions>) => [Metadata, Partial<CallOptions>]
}

/** Reads the first events of `$all` from a position on that match, from the leader. */
export const readAllFiltered = (
  client: EventStoreDBClient,
  { from, filter: { by, regex }, count }: { readonly from: Position; readonly filter: LogFilter; readonly count: number },
): StreamingRead<AllStreamResolvedEvent> => {
  const inside = client as unknown as Inside
  const { AllOptions, FilterOptions, Position: At, UUIDOption } = ReadReq.Options
  const empty = new shared.Empty()
  const all = new AllOptions()
  const { commit, prepare } = parsePosition(from)
  if (from === LOG_START) all.setStart(empty)
  else all.setPosition(new At().setCommitPosition(String(commit)).setPreparePosition(String(prepare)))
  const expression = new FilterOptions.Expression().setRegex(regex)
  const filter = new FilterOptions().setCount(empty).setCheckpointintervalmultiplier(1)
  if (by === 'type') filter.setEventType(expression)
  else filter.setStreamIdentifier(expression)
  const options = new ReadReq.Options()
    .setAll(all)
    .setCount(String(count))
    .setUuidOption(new UUIDOption().setString(empty))
    .setFilter(filter)
  const [metadata, call] = inside.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY })
  const begin = inside.GRPCStreamCreator(StreamsClient, 'readAll', (grpc) => grpc.read(new ReadReq().setOptions(options), metadata, call))
  return new ReadStream(begin as never, convertGrpcEvent as never, {}) as unknown as StreamingRead<AllStreamResolvedEvent>
}
