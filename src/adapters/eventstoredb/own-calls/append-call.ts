import type { EventStoreDBClient } from '@eventstore/db-client'
import CommandError from '@eventstore/db-client/dist/utils/CommandError.js'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { CallOptions, ClientDuplexStream, Metadata } from '@grpc/grpc-js'
import { UNAVAILABLE } from '../failures.ts'
import {
  type AppendRequest,
  appendRequest,
  appendResponse,
  type RequestMessage,
  type ResponseMessage,
  type TryOutcome,
} from './append-message.ts'

const { StreamsClient, StreamsService } = services

/**
 * Sends one append, to be done before a time of day. Rejects with the error of the stream that carried it, and waits while the server is
 * silent.
 */
export type SendAppend = (request: AppendRequest, deadline: number) => Promise<TryOutcome>

type Stream = ClientDuplexStream<RequestMessage, ResponseMessage>

/** The internals with which the client makes its calls. */
type Inside = {
  GRPCStreamCreator: (
    service: unknown,
    name: string,
    create: (client: InstanceType<typeof StreamsClient>) => Stream,
  ) => () => Promise<Stream>
  callArguments: (options: object, call: Partial<CallOptions>) => [Metadata, Partial<CallOptions>]
  supports: (method: unknown) => Promise<boolean>
}

/** A stream of appends, and those that it has not answered. */
type Carrier = { readonly call: Stream; readonly waiting: Map<number, PromiseWithResolvers<TryOutcome>>; ended: Error | undefined }

const unavailableError = (details: string): Error => Object.assign(new Error(details), { code: UNAVAILABLE, details })

/** Sends appends on one stream of a client, and opens it again after it ended. README.md says why the client's own call is not safe. */
export const appendCall = (client: EventStoreDBClient): SendAppend => {
  const inside = client as unknown as Inside
  let opening: Promise<Carrier> | undefined
  let last = 0

  const open = async (): Promise<Carrier> => {
    // This is the first question to a server. Without a server it fails here, where it is certain that nothing was sent.
    await inside.supports(StreamsService.batchAppend)
    const [metadata, options] = inside.callArguments({}, { deadline: Number.POSITIVE_INFINITY })
    const begin = inside.GRPCStreamCreator(StreamsClient, 'appendToStream', (grpc) => grpc.batchAppend(metadata, options))
    const opened = opening
    const call = await begin()
    const carrier: Carrier = { call, waiting: new Map(), ended: undefined }
    let answered = false
    const end = (error: Error): void => {
      if (opening === opened) opening = undefined
      // After an answer, the server had let the client in. Appends in flight may have been written, even if it refuses now.
      carrier.ended ??= CommandError.convertToCommandError(answered ? unavailableError(error.message) : error)
      for (const { reject } of carrier.waiting.values()) reject(carrier.ended)
      carrier.waiting.clear()
    }
    // All listeners are added in one tick and never removed: an unhandled error event ends the process.
    call.on('error', end)
    call.on('close', () => end(unavailableError('the append stream was closed')))
    call.on('end', () => call.destroy(unavailableError('the server ended the append stream')))
    call.on('data', (response: ResponseMessage) => {
      const { id, outcome } = appendResponse(response)
      answered = true
      carrier.waiting.get(id)?.resolve(outcome)
      carrier.waiting.delete(id)
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
