import type { EventStoreDBClient } from '@eventstore/db-client'
import CommandError from '@eventstore/db-client/dist/utils/CommandError.js'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { CallOptions, Client, ClientDuplexStream, Metadata } from '@grpc/grpc-js'
import { type AppendRequest, appendRequest, appendResponse, type TryOutcome } from './append-message.ts'
import { UNAVAILABLE } from './failures.ts'
import { asTheyCome } from './follow-call.ts'

/** One append, to be done before a time of day; rejects with the error of the stream that carried it, and waits while the server is silent. */
export type SendAppend = (request: AppendRequest, deadline: number) => Promise<TryOutcome>

type Stream = ClientDuplexStream<Buffer, Buffer>

/** What the client itself makes its calls with. */
type Inside = {
  GRPCStreamCreator: (service: unknown, name: string, create: (client: Client) => Stream) => () => Promise<Stream>
  callArguments: (options: object, call: Partial<CallOptions>) => [Metadata, Partial<CallOptions>]
  supports: (method: unknown) => Promise<boolean>
}

/** A stream of appends, and those that it has not answered. */
type Carrier = { readonly call: Stream; readonly waiting: Map<number, PromiseWithResolvers<TryOutcome>>; ended: Error | undefined }

const { StreamsClient, StreamsService } = services

const unavailable = (details: string): Error => Object.assign(new Error(details), { code: UNAVAILABLE, details })

/**
 * Sends appends on one stream of a client, which is opened again after it ended. The client would keep the promises of all clients in one map, which an error
 * of any stream empties, and would wait for ever for what a stream does not answer that ends without an error.
 */
export const appendCall = (client: EventStoreDBClient): SendAppend => {
  const inside = client as unknown as Inside
  let opening: Promise<Carrier> | undefined
  let last = 0

  const open = async (): Promise<Carrier> => {
    // The first question to a server: without one it fails here, where it is certain that nothing was sent.
    await inside.supports(StreamsService.batchAppend)
    const [metadata, options] = inside.callArguments({}, { deadline: Number.POSITIVE_INFINITY })
    const { path } = StreamsService.batchAppend
    const begin = inside.GRPCStreamCreator(StreamsClient, 'appendToStream', (grpc) =>
      grpc.makeBidiStreamRequest(path, asTheyCome, asTheyCome, metadata, options),
    )
    const own = opening
    const call = await begin()
    const carrier: Carrier = { call, waiting: new Map(), ended: undefined }
    let answered = false
    const end = (error: Error): void => {
      if (opening === own) opening = undefined
      // What is refused after an answer was let in before it: what is in flight may have been written.
      carrier.ended ??= CommandError.convertToCommandError(answered ? unavailable(error.message) : error)
      for (const { reject } of carrier.waiting.values()) reject(carrier.ended)
      carrier.waiting.clear()
    }
    // All listeners in one tick, never removed: an unhandled error event ends the process.
    call.on('error', end)
    call.on('close', () => end(unavailable('the append stream was closed')))
    call.on('end', () => call.destroy(unavailable('the server ended the append stream')))
    call.on('data', (bytes: Buffer) => {
      try {
        const { id, outcome } = appendResponse(bytes)
        answered = true
        carrier.waiting.get(id)?.resolve(outcome)
        carrier.waiting.delete(id)
      } catch (error) {
        end(error as Error)
        setImmediate(() => call.cancel()) // not while it gives a message; destroyed, it would stay open at the server
      }
    })
    return carrier
  }

  return async (request, deadline) => {
    opening ??= open().catch((error) => {
      opening = undefined
      throw error
    })
    const { call, waiting, ended } = await opening
    if (ended) throw ended
    const answer = Promise.withResolvers<TryOutcome>()
    last += 1
    waiting.set(last, answer)
    // The appender limits what is in flight; waiting for `drain` here would never end on a broken stream.
    call.write(appendRequest(last, request, deadline))
    return answer.promise
  }
}
