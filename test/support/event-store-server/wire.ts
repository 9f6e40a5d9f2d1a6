import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import status from '@eventstore/db-client/generated/status_pb.js'
import type { AppendResp, BatchAppendReq, BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { status as grpcStatus, Metadata, type ServiceError } from '@grpc/grpc-js'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { type ExpectedVersion, MAX_APPEND_SIZE, type Proposal, type Stored, type Verdict } from './log.ts'

/** Between the server's log and the messages of its gRPC interface. */

const TICKS_PER_MILLISECOND = 10_000n

const bytesOf = (name: string): Uint8Array => new Uint8Array(Buffer.from(name, 'utf8'))

const uuidText = (uuid: UUID | undefined): string => uuid?.getString() ?? ''

type ProposedMessage = Pick<BatchAppendReq.ProposedMessage, 'getId' | 'getMetadataMap' | 'getData_asU8' | 'getCustomMetadata_asU8'>

export const proposalOf = (message: ProposedMessage): Proposal => ({
  id: uuidText(message.getId()),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? 'application/octet-stream',
  data: message.getData_asU8(),
  meta: message.getCustomMetadata_asU8(),
})

export const eventMessage = (event: Stored): ReadResp => {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(bytesOf(event.stream)))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(String(event.position))
    .setPreparePosition(String(event.position))
    .setData(event.data)
    .setCustomMetadata(event.meta)
  const properties = recorded.getMetadataMap()
  properties.set('type', event.type)
  properties.set('content-type', event.contentType)
  properties.set('created', String(BigInt(event.created) * TICKS_PER_MILLISECOND))
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(event.position))
  return new streams.ReadResp().setEvent(read)
}

export const notFoundMessage = (stream: string): ReadResp =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(new shared.StreamIdentifier().setStreamName(bytesOf(stream))),
  )

export const confirmationMessage = (id: string): ReadResp =>
  new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id))

export const checkpointMessage = (position: bigint): ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)),
  )

export const caughtUpMessage = (): ReadResp => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())

const detail = (message: { serializeBinary(): Uint8Array }, name: string) => {
  const details = new any.Any()
  details.pack(message.serializeBinary(), `event_store.client.${name}`)
  return details
}

const wrongVersion = (expected: ExpectedVersion, actual: number | 'no_stream') => {
  const answer = new shared.WrongExpectedVersion()
  if (actual === 'no_stream') answer.setCurrentNoStream(new empty.Empty())
  else answer.setCurrentStreamRevision(String(actual))
  if (expected === 'any') answer.setExpectedAny(new empty.Empty())
  else if (expected === 'no_stream') answer.setExpectedNoStream(new empty.Empty())
  else if (expected === 'stream_exists') answer.setExpectedStreamExists(new empty.Empty())
  else answer.setExpectedStreamPosition(String(expected))
  return answer
}

export type AppendAnswer = Verdict | { readonly kind: 'timeout' | 'busy' }

/** The answer to one append on the batch stream; refusals carry no message, as on a real server. */
export const batchAnswer = (request: BatchAppendReq, stream: string, expected: ExpectedVersion, answer: AppendAnswer): BatchAppendResp => {
  const response = new streams.BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(bytesOf(stream)))
  if (answer.kind === 'success') {
    const success = new streams.BatchAppendResp.Success()
    if (answer.revision < 0) success.setNoStream(new empty.Empty())
    else success.setCurrentRevision(String(answer.revision))
    if (answer.position === undefined) success.setNoPosition(new empty.Empty())
    else {
      const position = new shared.AllStreamPosition().setCommitPosition(String(answer.position)).setPreparePosition(String(answer.position))
      success.setPosition(position)
    }
    return response.setSuccess(success)
  }
  const error = new status.Status()
  switch (answer.kind) {
    case 'wrong-version':
      return response.setError(error.setDetails(detail(wrongVersion(expected, answer.actual), 'WrongExpectedVersion')))
    case 'too-large': {
      const exceeded = new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_SIZE)
      return response.setError(error.setDetails(detail(exceeded, 'MaximumAppendSizeExceeded')))
    }
    case 'deleted':
      return response.setError(error.setDetails(detail(new shared.StreamDeleted(), 'StreamDeleted')))
    case 'timeout':
      return response.setError(error.setDetails(detail(new shared.Timeout(), 'Timeout')))
    case 'busy':
      return response.setError(error.setMessage('Server Is Busy').setDetails(detail(new shared.Unknown(), 'Unknown')))
    case 'bad-request':
      return response.setError(error.setMessage('BadRequest').setDetails(detail(new shared.BadRequest(), 'BadRequest')))
  }
}

/** An error that ends a whole call; `exception` is how the server names its own. */
export const callError = (
  code: grpcStatus,
  details: string,
  exception?: string,
  more: Readonly<Record<string, string>> = {},
): ServiceError => {
  const metadata = new Metadata()
  if (exception) metadata.set('exception', exception)
  for (const [name, value] of Object.entries(more)) metadata.set(name, value)
  return Object.assign(new Error(details), { code, details, metadata })
}

/** The answer to one append on a call of its own, or the error that ends that call. */
export const singleAnswer = (stream: string, expected: ExpectedVersion, answer: AppendAnswer): AppendResp | ServiceError => {
  if (answer.kind === 'success') {
    const success = new streams.AppendResp.Success()
    if (answer.revision < 0) success.setNoStream(new shared.Empty())
    else success.setCurrentRevision(String(answer.revision))
    if (answer.position !== undefined) {
      const at = String(answer.position)
      success.setPosition(new streams.AppendResp.Position().setCommitPosition(at).setPreparePosition(at))
    }
    return new streams.AppendResp().setSuccess(success)
  }
  if (answer.kind === 'wrong-version') {
    const wrong = new streams.AppendResp.WrongExpectedVersion()
    if (answer.actual === 'no_stream') wrong.setCurrentNoStream(new shared.Empty())
    else wrong.setCurrentRevision(String(answer.actual))
    if (expected === 'no_stream') wrong.setExpectedNoStream(new shared.Empty())
    else if (typeof expected === 'number') wrong.setExpectedRevision(String(expected))
    return new streams.AppendResp().setWrongExpectedVersion(wrong)
  }
  switch (answer.kind) {
    case 'too-large':
      return callError(grpcStatus.INVALID_ARGUMENT, 'maximum append size exceeded', 'maximum-append-size-exceeded', {
        'maximum-append-size': String(MAX_APPEND_SIZE),
      })
    case 'deleted':
      return callError(grpcStatus.FAILED_PRECONDITION, 'stream is deleted', 'stream-deleted', { 'stream-name': stream })
    case 'timeout':
      return callError(grpcStatus.ABORTED, 'Timeout')
    case 'busy':
      return callError(grpcStatus.UNAVAILABLE, 'Server Is Busy')
    case 'bad-request':
      return callError(grpcStatus.INVALID_ARGUMENT, 'bad request')
  }
}
