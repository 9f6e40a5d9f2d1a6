import {
  type AllStreamSubscription,
  type EventStoreDBClient,
  eventTypeFilter,
  type Position as StoredPosition,
  streamNameFilter,
} from '@eventstore/db-client'
import { type LeftOut, LOG_START, type LogBatch, type Position, type RecordedEvent } from '../../ports/event-store.ts'
import { pause } from '../../ports/pause.ts'
import type { LogClient } from './client.ts'
import type { Journal } from './client-handle.ts'
import { filterWithout, isSystemEvent, parsePosition, positionText, toRecordedEvent } from './event-text.ts'
import type { LogReads } from './log-reads.ts'
import { type ReadAhead, readAhead } from './read-ahead.ts'
import { pauseBefore, type Timings } from './timings.ts'

const CHECKPOINT_INTERVAL = 8 // times the server's search window of 32 events

export type SubscriptionParts = {
  readonly connect: () => LogClient
  readonly reads: LogReads
  readonly timings: Timings
  readonly journal: Journal
  readonly leftOut: LeftOut | undefined
}

/** The result of one subscription: the reason of its end, whether it received anything, and how long another receives its events. */
type Course = { readonly why: string; readonly moved: boolean; readonly joined: Promise<void> | undefined }

/** A subscription whose events also go into the buffers of others at the same position, which then need none of their own. */
type Leader = { readonly buffer: ReadAhead; readonly led: Map<ReadAhead, () => void> }

export const subscriber = ({ connect, reads, timings, journal, leftOut }: SubscriptionParts) => {
  const { by, regex } = filterWithout(leftOut)
  let leader: Leader | undefined

  const canJoin = (buffer: ReadAhead): boolean =>
    leader !== undefined && leader.buffer !== buffer && leader.buffer.reached() === buffer.reached() && !leader.buffer.full()

  /** Makes the leader fill this buffer, too. Resolves when it stops doing so, since it ended or one of the two is full. */
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

  /** Gives an event to a buffer, and to those that it leads. Returns false once the buffer is full. */
  const push = (buffer: ReadAhead, event: RecordedEvent): boolean => {
    const hasRoom = buffer.push(event)
    if (leader?.buffer !== buffer) return hasRoom
    for (const [one, leave] of leader.led) if (!one.push(event) || !hasRoom) leave()
    return hasRoom
  }

  const skipTo = (buffer: ReadAhead, position: Position): void => {
    buffer.notePassed(position)
    if (leader?.buffer === buffer) for (const one of leader.led.keys()) one.notePassed(position)
  }

  const fail = (buffer: ReadAhead, error: unknown): void => {
    buffer.fail(error)
    if (leader?.buffer === buffer) for (const one of leader.led.keys()) one.fail(error)
  }

  /** Runs one subscription from the position of the buffer until it ends for any reason. Never rejects. */
  const follow = (client: EventStoreDBClient, buffer: ReadAhead, signal: AbortSignal): Promise<Course> =>
    new Promise((resolve) => {
      const from = buffer.reached()
      let over = false
      let checkpoint = from

      /** Moves the buffer to the last checkpoint: the client reports it while events before it may still wait to be read, which would be lost. */
      const passCheckpoint = (): void => {
        if (!over && subscription.readableLength === 0) skipTo(buffer, checkpoint)
      }
      const checkpointReached = async (_: AllStreamSubscription, position: StoredPosition): Promise<void> => {
        checkpoint = positionText(position)
        passCheckpoint()
        joinLeader()
      }
      const subscription: AllStreamSubscription = client.subscribeToAll({
        fromPosition: from === LOG_START ? 'start' : parsePosition(from),
        filter: (by === 'type' ? eventTypeFilter : streamNameFilter)({ regex, checkpointInterval: CHECKPOINT_INTERVAL, checkpointReached }),
      })

      const end = (why: string, joined?: Promise<void>): void => {
        if (over) return
        over = true
        clearTimeout(unconfirmed)
        clearInterval(watching)
        signal.removeEventListener('abort', onAbort)
        resolve({ why, moved: buffer.reached() !== from, joined })
        subscription.unsubscribe().catch(() => undefined) // otherwise the call stays open and the server goes on sending
      }
      const onAbort = (): void => end('unsubscribed')
      const unconfirmed = setTimeout(() => end('the server did not confirm the subscription'), timings.confirmation)
      signal.addEventListener('abort', onAbort)

      let stood = { at: from, since: Date.now() }
      const watch = async (): Promise<void> => {
        const at = buffer.reached()
        const rest = at === stood.at && !buffer.full() ? await reads.glance(at, leftOut) : { last: undefined }
        if (rest?.last === undefined && rest !== undefined) stood = { at, since: Date.now() }
        else if (Date.now() - stood.since >= timings.stall) end('it receives no events while the log grows')
      }
      const watching = setInterval(() => {
        watch().catch((error) => journal.warn({ err: error }, 'the rest of the log could not be read'))
      }, timings.watch)

      const take = (event: RecordedEvent): void => {
        if (!push(buffer, event)) {
          subscription.pause()
          void buffer.untilRoom().then(() => over || subscription.resume())
        }
        passCheckpoint()
      }
      const joinLeader = (): void => {
        if (leader && canJoin(buffer)) end('another receives the same', join(leader, buffer, signal))
      }
      // All listeners are added in one tick and never removed: an unhandled error event ends the process.
      subscription.on('error', (error) => end(error.message || error.name))
      subscription.on('end', () => end('the server ended it'))
      subscription.on('close', () => end('it was closed'))
      subscription.on('confirmation', () => {
        clearTimeout(unconfirmed)
        joinLeader()
      })
      subscription.on('data', ({ event }) => {
        if (over || event === undefined || isSystemEvent(event.type)) return
        try {
          take(toRecordedEvent(event))
        } catch (error) {
          fail(buffer, error)
          end('an event could not be decoded')
        }
        joinLeader()
      })
    })

  /**
   * Subscribes again whenever a subscription ends, unless another one of this process receives the same, until the signal aborts. The
   * client itself does not, and a server may end a subscription at any time.
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
      const { client, close } = connect()
      const { why, moved, joined } = await follow(client, buffer, signal)
      await close().catch(() => undefined)
      if (signal.aborted) return
      if (joined) {
        await joined
        continue
      }
      fruitless = moved ? 1 : fruitless + 1
      journal.warn({ why, position: buffer.reached() }, 'the subscription to the log dropped; subscribing again')
      await pause(pauseBefore(timings, fruitless), signal)
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
