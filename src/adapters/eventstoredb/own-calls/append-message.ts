import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js'
import type { ExpectedRevision, Position, ProposedEvent } from '../../../ports/event-store.ts'
import { positionText } from '../event-text.ts'
import { type Failure, failureOf } from '../failures.ts'

/** An append of events in their stored form, see `stored`. */
export type AppendRequest = {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: readonly ProposedEvent[]
}

/** The result of one try. */
export type TryOutcome = { readonly kind: 'success'; readonly revision: number; readonly position: Position | undefined } | Failure

export type RequestMessage = InstanceType<typeof streams.BatchAppendReq>
export type ResponseMessage = InstanceType<typeof streams.BatchAppendResp>

const { BatchAppendReq } = streams

const toProposedMessage = ({ id, type, data, meta }: ProposedEvent): InstanceType<typeof BatchAppendReq.ProposedMessage> => {
  const message = new BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(Buffer.from(data))
    .setCustomMetadata(Buffer.from(meta))
  message.getMetadataMap().set('type', type).set('content-type', 'application/json')
  return message
}

/** Returns the request id as a UUID of two numbers, which the response repeats. */
const correlation = (id: number): InstanceType<typeof shared.UUID> =>
  new shared.UUID().setStructured(new shared.UUID.Structured().setLeastSignificantBits(String(id)))

/** Returns an append in one message. The client would split it at three mebibytes, and no append of this service is larger than one. */
export const appendRequest = (id: number, { stream, expected, events }: AppendRequest, deadline: number): RequestMessage => {
  const options = new BatchAppendReq.Options()
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setDeadline(timestamp.Timestamp.fromDate(new Date(deadline)))
  if (expected === 'none') options.setNoStream(new empty.Empty())
  else options.setStreamPosition(String(expected))
  return new BatchAppendReq()
    .setCorrelationId(correlation(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(toProposedMessage))
    .setIsFinal(true)
}

const successOf = (success: InstanceType<typeof streams.BatchAppendResp.Success>): TryOutcome => {
  const position = success.getPosition()
  return {
    kind: 'success',
    revision: Number(success.getCurrentRevision()),
    position: position && positionText({ commit: BigInt(position.getCommitPosition()) }),
  }
}

/** Returns a refusal, which names itself by the type of its details. Some have no message. */
const refusalOf = (error: ReturnType<ResponseMessage['getError']>): Failure => {
  const details = error?.getDetails()
  const name = details?.getTypeName() ?? ''
  const wrong = name.endsWith('WrongExpectedVersion')
    ? shared.WrongExpectedVersion.deserializeBinary(details?.getValue_asU8() ?? new Uint8Array())
    : undefined
  const actual = wrong?.hasCurrentStreamRevision() ? BigInt(wrong.getCurrentStreamRevision()) : undefined
  return failureOf(name.replace(/^.*[./]/, ''), error?.getMessage() ?? 'an empty response', actual)
}

/** Returns which append a response answers, and the result of that append. */
export const appendResponse = (response: ResponseMessage): { readonly id: number; readonly outcome: TryOutcome } => {
  const success = response.getSuccess()
  return {
    id: Number(response.getCorrelationId()?.getStructured()?.getLeastSignificantBits() ?? 0),
    outcome: success ? successOf(success) : refusalOf(response.getError()),
  }
}
