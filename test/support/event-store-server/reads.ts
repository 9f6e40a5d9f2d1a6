import { randomUUID } from 'node:crypto'
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { type ServerWritableStream, status } from '@grpc/grpc-js'
import type { CallCounter } from '../call-counts.ts'
import { type Faults, strikes } from './faults.ts'
import type { Gate } from './gate.ts'
import type { Log, Stored } from './log.ts'
import type { OpenCalls } from './open-calls.ts'
import { callError, caughtUpMessage, checkpointMessage, confirmationMessage, eventMessage, notFoundMessage } from './wire.ts'

type Call = ServerWritableStream<ReadReq, ReadResp>

export type ReadingParts = {
  readonly log: Log
  readonly faults: Faults
  readonly open: OpenCalls
  readonly gate: Gate
  readonly counted: ReadCounts
  readonly calls: CallCounter
}

/** Reads of a stream or of the log that were answered, and the events that went out with them. */
export type ReadCounts = { pages: number; events: number }

const DEFAULT_WINDOW = 32
const SEARCHED_BACKWARDS = 10

const acceptAll = (): boolean => true

/** Returns the name that the client gives its connection. */
const callerOf = ({ metadata }: Call): string => String(metadata.get('connection-name')[0] ?? 'unnamed')

const filterOf = (filter: ReadReq.Options.FilterOptions | undefined): ((event: Stored) => boolean) => {
  const byType = filter?.getEventType()
  const expression = byType ?? filter?.getStreamIdentifier()
  if (!expression) return acceptAll
  const named = (event: Stored): string => (byType ? event.type : event.stream)
  const pattern = new RegExp(expression.getRegex())
  const prefixes = expression.getPrefixList()
  return prefixes.length > 0 ? (event) => prefixes.some((prefix) => named(event).startsWith(prefix)) : (event) => pattern.test(named(event))
}

const waitForDrain = (call: Call): Promise<void> =>
  new Promise((resolve) => {
    const stopWaiting = (): void => {
      call.off('drain', stopWaiting)
      call.off('cancelled', stopWaiting)
      resolve()
    }
    call.on('drain', stopWaiting)
    call.on('cancelled', stopWaiting)
  })

export const reads = ({ log, faults, open, gate, counted, calls }: ReadingParts) => {
  const send = async (call: Call, events: readonly Stored[]): Promise<void> => {
    const closed = open.add('read', call)
    counted.pages++
    for (const event of events) {
      if (closed()) return
      counted.events++
      if (!call.write(eventMessage(event))) await waitForDrain(call)
    }
    if (!closed()) call.end()
  }

  const page = (events: readonly Stored[], count: number, backwards: boolean): readonly Stored[] =>
    (backwards ? events.toReversed() : events).slice(0, count)

  const readStream = async (call: Call, options: ReadReq.Options, target: ReadReq.Options.StreamOptions): Promise<void> => {
    const count = Number(options.getCount())
    if (count === 0) return void call.emit('error', callError(status.INVALID_ARGUMENT, 'count must be positive'))
    const name = Buffer.from(target.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8')
    calls.add(`${callerOf(call)} read ${name.split('-')[0]}`)
    if (log.isDeleted(name)) {
      return void call.emit('error', callError(status.FAILED_PRECONDITION, 'deleted', 'stream-deleted', { 'stream-name': name }))
    }
    const events = log.stream(name)
    if (!events) {
      call.write(notFoundMessage(name))
      return void call.end()
    }
    const backwards = options.getReadDirection() === 1
    const from = target.hasRevision() ? Number(target.getRevision()) : undefined
    const chosen = from === undefined ? events : events.filter(({ revision }) => (backwards ? revision <= from : revision >= from))
    await send(call, page(chosen, count, backwards))
  }

  /**
   * Forwards the event at the position is included, backwards it is not. A real server that is asked backwards searches on for some more
   * events than it was asked for.
   */
  const readFiltered = async (
    call: Call,
    options: ReadReq.Options,
    position: ReadReq.Options.Position | undefined,
    count: number,
    backwards: boolean,
  ): Promise<void> => {
    const matches = filterOf(options.getFilter())
    const at = position ? log.indexOf(BigInt(position.getCommitPosition())) : backwards ? log.all.length : 0
    const most = backwards ? count + SEARCHED_BACKWARDS : count
    const found: Stored[] = []
    const step = backwards ? -1 : 1
    for (let next = backwards ? at - 1 : at; next >= 0 && next < log.all.length && found.length < most; next += step) {
      const event = log.all[next]
      calls.add(`${callerOf(call)} looked at`)
      if (event && matches(event)) found.push(event)
    }
    await send(call, found.slice(0, count))
  }

  const readAll = async (call: Call, options: ReadReq.Options, target: ReadReq.Options.AllOptions): Promise<void> => {
    const count = Number(options.getCount())
    if (count === 0) return void open.add('read', call) // a real server never answers this
    const backwards = options.getReadDirection() === 1
    calls.add(`${callerOf(call)} readAll ${backwards ? 'backwards' : 'forwards'}`)
    const startPosition = target.getPosition()
    if (options.hasFilter()) return readFiltered(call, options, startPosition, count, backwards)
    if (!startPosition) return send(call, page(log.all, count, backwards))
    const at = log.indexOf(BigInt(startPosition.getCommitPosition()))
    if (log.all[at]?.position !== BigInt(startPosition.getCommitPosition())) {
      return void call.emit('error', callError(status.UNKNOWN, 'Unexpected ReadAllResult: InvalidPosition'))
    }
    // Forwards the event at the position is included, backwards it is not.
    await send(call, backwards ? page(log.all.slice(Math.max(0, at - count), at), count, true) : log.all.slice(at, at + count))
  }

  const subscribeToAll = (call: Call, options: ReadReq.Options, target: ReadReq.Options.AllOptions): void => {
    const closed = open.add('subscription', call)
    const matches = filterOf(options.getFilter())
    const filter = options.getFilter()
    const interval = (filter?.getCheckpointintervalmultiplier() ?? 1) * (filter?.hasMax() ? filter.getMax() : DEFAULT_WINDOW)
    const after = target.getPosition()
    let next = after ? log.indexOf(BigInt(after.getCommitPosition()) + 1n) : target.hasEnd() ? log.all.length : 0
    let considered = 0
    let live = false
    let blocked = false
    let muted = false

    const say = (message: ReadResp): void => {
      if (!call.write(message)) blocked = true
    }
    const pump = (): void => {
      while (!blocked && !closed()) {
        const event = log.all[next]
        if (!event) break
        next++
        considered++
        if (matches(event)) {
          calls.add(`${callerOf(call)} received ${event.type}`)
          say(eventMessage(event))
        }
        if (filter && considered % interval === 0) say(checkpointMessage(event.position))
      }
      if (closed() || live || next < log.all.length) return
      live = true
      if (filter) say(checkpointMessage(log.all.at(-1)?.position ?? 0n))
      say(caughtUpMessage())
    }
    const stop = log.onWritten(() => {
      if (faults.muteSubscriptions) muted = true
      if (closed()) stop()
      else if (!muted) pump()
      if (live && blocked && log.all.length - next > faults.slowAfter) {
        call.emit(
          'error',
          callError(status.ABORTED, 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.'),
        )
      }
    })
    call.on('drain', () => {
      blocked = false
      pump()
    })
    for (const over of ['cancelled', 'close', 'error'] as const) call.on(over, stop)
    say(confirmationMessage(randomUUID()))
    pump()
  }

  const read = (call: Call): void => {
    const refused = gate(call, false)
    if (refused) return void call.emit('error', refused)
    if (strikes(faults, 'hangReads')) return void open.add('read', call)
    const options = call.request.getOptions()
    const [stream, all] = [options?.getStream(), options?.getAll()]
    const begin = (): void => {
      if (options?.hasSubscription() && all) subscribeToAll(call, options, all)
      else if (options && all) void readAll(call, options, all)
      else if (options && stream) void readStream(call, options, stream)
    }
    if (faults.readDelay > 0) setTimeout(begin, faults.readDelay)
    else begin()
  }

  return { read }
}
