import type { AppendReq, AppendResp, BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import { type ServerDuplexStream, type ServerReadableStream, type sendUnaryData, status } from '@grpc/grpc-js'
import { type Faults, strikes } from './faults.ts'
import type { Gate } from './gate.ts'
import type { ExpectedVersion, Log, Proposal } from './log.ts'
import type { OpenCalls } from './open-calls.ts'
import { type AppendAnswer, batchAnswer, callError, proposalOf, singleAnswer } from './wire.ts'

const WRITE_TIMEOUT = 2_000
const OVERTAKEN_DELAY_MS = 50

export type AppendingParts = {
  readonly log: Log
  readonly faults: Faults
  readonly open: OpenCalls
  readonly gate: Gate
  /** Grows with each death of the server: what was not written before it never is. */
  readonly life: () => number
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const expectedOf = (options: BatchAppendReq.Options): ExpectedVersion => {
  if (options.hasNoStream()) return 'no_stream'
  if (options.hasAny()) return 'any'
  return options.hasStreamExists() ? 'stream_exists' : Number(options.getStreamPosition())
}

/** A text, or two numbers, of which the service counts the second. */
const correlationOf = (request: BatchAppendReq): string => {
  const id = request.getCorrelationId()
  const numbers = id?.getStructured()
  return numbers ? `${numbers.getMostSignificantBits()} ${numbers.getLeastSignificantBits()}` : (id?.getString() ?? '')
}

export const appends = ({ log, faults, open, gate, life }: AppendingParts) => {
  const inFlight = new Set<string>()

  const write = (stream: string, expected: ExpectedVersion, events: readonly Proposal[]): AppendAnswer => {
    const size = log.all.length
    const verdict = log.append(stream, expected, events)
    const repeated = verdict.kind === 'success' && log.all.length === size
    return repeated && strikes(faults, 'denyKnown') ? { kind: 'wrong-version', actual: verdict.revision } : verdict
  }

  // Answers at once where nothing delays, so that appends sent one after another are decided in that order.
  const decide = (
    stream: string,
    expected: ExpectedVersion,
    events: readonly Proposal[],
    deadline: number,
    answer: (it: AppendAnswer) => void,
  ): void => {
    const born = life()
    const place = `${stream} ${events.map(({ id }) => id).join(' ')}`
    const timeout = Math.min(deadline - (Date.now() + faults.clockAhead), WRITE_TIMEOUT)
    if (timeout <= 0) {
      answer({ kind: 'timeout' })
      return
    }
    if (inFlight.has(place)) {
      void pause(faults.inFlightSilence).then(() => answer({ kind: 'timeout' }))
      return
    }
    if (strikes(faults, 'hangAppends')) return
    if (strikes(faults, 'busy')) {
      answer({ kind: 'busy' })
      return
    }
    const lost = strikes(faults, 'loseAnswers')
    const late = Math.random() < faults.stallRate ? faults.stall : faults.answerDelay
    const reply = (it: AppendAnswer): void => {
      if (lost) return
      if (late > 0) void pause(late).then(() => answer(it))
      else answer(it)
    }
    if (strikes(faults, 'overtaken')) {
      void pause(OVERTAKEN_DELAY_MS).then(() => reply(write(stream, expected, events)))
      return
    }
    if (faults.appendDelay === 0) {
      reply(write(stream, expected, events))
      return
    }
    inFlight.add(place)
    const timedOut = faults.appendDelay > timeout
    if (timedOut) void pause(timeout).then(() => answer({ kind: 'timeout' }))
    void pause(faults.appendDelay).then(() => {
      inFlight.delete(place)
      if (born !== life()) return
      const verdict = write(stream, expected, events)
      if (!timedOut) reply(verdict)
    })
  }

  const batchAppend = (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void => {
    const refused = gate(call, true)
    if (refused) return void call.emit('error', refused)
    const closed = open.add('append', call)
    const parts = new Map<string, { readonly options: BatchAppendReq.Options; readonly events: Proposal[] }>()
    call.on('data', (request: BatchAppendReq) => {
      if (faults.leader) {
        const { host, port } = faults.leader
        const more = { 'leader-endpoint-host': host, 'leader-endpoint-port': String(port) }
        return void call.emit('error', callError(status.NOT_FOUND, 'Leader info available', 'not-leader', more))
      }
      const id = correlationOf(request)
      const options = request.getOptions() ?? parts.get(id)?.options
      if (!options) return
      const part = parts.get(id) ?? { options, events: [] }
      parts.set(id, part)
      part.events.push(...request.getProposedMessagesList().map(proposalOf))
      if (!request.getIsFinal()) return
      parts.delete(id)
      const stream = Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8')
      const expected = expectedOf(options)
      const deadline = options.getDeadline()?.toDate().getTime() ?? Number.POSITIVE_INFINITY
      decide(stream, expected, part.events, deadline, (it) => {
        const response = batchAnswer(request, stream, expected, it)
        if (strikes(faults, 'garbleAnswers')) response.serializeBinary = () => Uint8Array.of(0x0f)
        if (!closed()) call.write(response)
      })
    })
    call.on('end', () => call.end())
  }

  const append = (call: ServerReadableStream<AppendReq, AppendResp>, done: sendUnaryData<AppendResp>): void => {
    const refused = gate(call, true)
    if (refused) {
      done(refused)
      return
    }
    let options: AppendReq.Options | undefined
    const events: Proposal[] = []
    call.on('data', (request: AppendReq) => {
      options = request.getOptions() ?? options
      const proposed = request.getProposedMessage()
      if (proposed) events.push(proposalOf(proposed))
    })
    call.on('end', () => {
      const stream = Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8')
      const expected = options?.hasNoStream() ? 'no_stream' : options?.hasRevision() ? Number(options.getRevision()) : 'any'
      decide(stream, expected, events, Number.POSITIVE_INFINITY, (it) => {
        const answer = singleAnswer(stream, expected, it)
        if (answer instanceof Error) done(answer)
        else done(null, answer)
      })
    })
  }

  return { append, batchAppend }
}
