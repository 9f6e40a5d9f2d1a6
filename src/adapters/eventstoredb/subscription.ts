import { setTimeout as pause } from 'node:timers/promises'
import type { ClientReadableStream } from '@grpc/grpc-js'
import type { LogBatch, Position, RecordedEvent } from '../../ports/event-store.ts'
import type { LogClient } from './client.ts'
import type { Journal } from './client-handle.ts'
import { positionText } from './event-text.ts'
import { type ReadAhead, readAhead } from './read-ahead.ts'
import { readMessage } from './read-message.ts'
import type { Reads } from './reading.ts'
import { pauseBefore, type Timings } from './timings.ts'

export type SubscriptionParts = {
  readonly connect: () => LogClient
  readonly reads: Reads
  readonly timings: Timings
  readonly journal: Journal
}

/** The result of one subscription: why it ended, whether it received anything, and until when another receives its events. */
type Course = { readonly why: string; readonly moved: boolean; readonly joined: Promise<void> | undefined }

/** A subscription that also fills the buffers of others which have come as far as its own. */
type Leader = { readonly buffer: ReadAhead; readonly led: Map<ReadAhead, () => void> }

export const subscriber = ({ connect, reads, timings, journal }: SubscriptionParts) => {
  let leader: Leader | undefined

  const canJoin = (buffer: ReadAhead): boolean =>
    leader !== undefined && leader.buffer !== buffer && leader.buffer.reached() === buffer.reached() && !leader.buffer.full()

  /** From now on the leader fills this buffer too; resolves when it does so no more, since it ended or one of the two is full. */
  const join = ({ led }: Leader, buffer: ReadAhead, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const leave = (): void => {
        signal.removeEventListener('abort', leave)
        led.delete(buffer)
        resolve()
      }
      signal.addEventListener('abort', leave)
      led.set(buffer, leave)
    })

  /** Gives an event to a buffer, and to those that it leads; false once the buffer is full. */
  const push = (buffer: ReadAhead, event: RecordedEvent): boolean => {
    const hasRoom = buffer.push(event)
    if (leader?.buffer !== buffer) return hasRoom
    for (const [one, leave] of leader.led) if (!one.push(event) || !hasRoom) leave()
    return hasRoom
  }

  const passed = (buffer: ReadAhead, position: Position): void => {
    buffer.passed(position)
    if (leader?.buffer === buffer) for (const one of leader.led.keys()) one.passed(position)
  }

  const fail = (buffer: ReadAhead, error: unknown): void => {
    buffer.fail(error)
    if (leader?.buffer === buffer) for (const one of leader.led.keys()) one.fail(error)
  }

  /** One subscription, from the position of the buffer until it ends for any reason. Never rejects. */
  const follow = (begin: LogClient['follow'], buffer: ReadAhead, signal: AbortSignal): Promise<Course> =>
    new Promise((resolve) => {
      const from = buffer.reached()
      let over = false
      let call: ClientReadableStream<Buffer> | undefined
      const end = (why: string, joined?: Promise<void>): void => {
        if (over) return
        over = true
        clearTimeout(unconfirmed)
        clearInterval(watching)
        signal.removeEventListener('abort', aborted)
        resolve({ why, moved: buffer.reached() !== from, joined })
        // Else the call stays open and the server goes on sending; a call must not be cancelled while it gives a message.
        setImmediate(() => call?.cancel())
      }
      const aborted = (): void => end('unsubscribed')
      const unconfirmed = setTimeout(() => end('the server did not confirm the subscription'), timings.confirmation)
      signal.addEventListener('abort', aborted)

      let stood = { at: from, since: Date.now() }
      const watch = async (): Promise<void> => {
        const newest = await reads.head()
        const at = buffer.reached()
        if (at !== stood.at || at >= newest || buffer.full()) stood = { at, since: Date.now() }
        else if (Date.now() - stood.since >= timings.stall) end('it receives no events while the log grows')
      }
      const watching = setInterval(() => {
        watch().catch((error) => journal.warn({ err: error }, 'the head of the log could not be read'))
      }, timings.watch)

      const take = (bytes: Buffer): void => {
        const message = readMessage(bytes)
        if (message.kind === 'confirmation') clearTimeout(unconfirmed)
        else if (message.kind === 'checkpoint') passed(buffer, positionText(message))
        else if (message.kind === 'event' && !push(buffer, message.event)) {
          call?.pause()
          void buffer.untilRoom().then(() => over || call?.resume())
        }
        if (leader && canJoin(buffer)) end('another receives the same', join(leader, buffer, signal))
      }
      const listen = (made: ClientReadableStream<Buffer>): void => {
        call = made
        // All listeners in one tick, never removed: an unhandled error event ends the process.
        made.on('error', (error) => end(error.message || error.name))
        made.on('end', () => end('the server ended it'))
        made.on('close', () => end('it was closed'))
        made.on('data', (bytes: Buffer) => {
          if (over) return
          try {
            take(bytes)
          } catch (error) {
            fail(buffer, error)
            end('an event could not be decoded')
          }
        })
        if (over) made.cancel()
      }
      begin(from).then(listen, (error: Error) => end(error.message || error.name))
    })

  /**
   * Subscribes again whenever a subscription ends, unless another of this process receives the same, until the signal: the client itself does
   * not, and a server may end one at any time.
   */
  const supervise = async (buffer: ReadAhead, signal: AbortSignal): Promise<void> => {
    for (let fruitless = 0; !signal.aborted; ) {
      await buffer.untilRoom()
      if (signal.aborted) return
      if (leader && canJoin(buffer)) {
        await join(leader, buffer, signal)
        continue
      }
      leader ??= { buffer, led: new Map() }
      const { follow: begin, close } = connect()
      const { why, moved, joined } = await follow(begin, buffer, signal)
      await close().catch(() => undefined)
      if (signal.aborted) return
      if (joined) {
        await joined
        continue
      }
      fruitless = moved ? 1 : fruitless + 1
      journal.warn({ why, position: buffer.reached() }, 'the subscription to the log dropped; subscribing again')
      await pause(pauseBefore(timings, fruitless), undefined, { signal }).catch(() => undefined)
    }
  }

  return async function* subscribe(after: Position, signal: AbortSignal): AsyncGenerator<LogBatch, void, undefined> {
    if (signal.aborted) return
    const buffer = readAhead(after)
    const gone = new AbortController()
    const leave = (): void => {
      gone.abort()
      buffer.stop()
      if (leader?.buffer !== buffer) return
      const { led } = leader
      leader = undefined
      for (const release of led.values()) release()
    }
    signal.addEventListener('abort', leave)
    const supervised = supervise(buffer, gone.signal)
    try {
      for (let batch = await buffer.take(); batch; batch = await buffer.take()) yield batch
    } finally {
      signal.removeEventListener('abort', leave)
      leave()
      await supervised
    }
  }
}
