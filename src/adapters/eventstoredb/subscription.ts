import { setTimeout as pause } from 'node:timers/promises'
import { type AllStreamResolvedEvent, type EventStoreDBClient, excludeSystemEvents } from '@eventstore/db-client'
import { LOG_START, type LogBatch, type Position } from '../../ports/event-store.ts'
import type { LogClient } from './client.ts'
import type { Journal } from './client-handle.ts'
import { positionOf, positionText, recorded } from './event-text.ts'
import { type ReadAhead, readAhead } from './read-ahead.ts'
import type { Reads } from './reading.ts'
import { pauseBefore, type Timings } from './timings.ts'

const CHECKPOINT_EVERY = 8 // times the server's search window of 32 events

export type SubscriptionParts = {
  readonly connect: () => LogClient
  readonly reads: Reads
  readonly timings: Timings
  readonly journal: Journal
}

/** The result of one subscription: why it ended, and whether it received anything. */
type Course = { readonly why: string; readonly moved: boolean }

export const subscriber = ({ connect, reads, timings, journal }: SubscriptionParts) => {
  /** One subscription, from the position of the buffer until it ends for any reason. Never rejects. */
  const follow = (client: EventStoreDBClient, buffer: ReadAhead, signal: AbortSignal): Promise<Course> =>
    new Promise((resolve) => {
      const from = buffer.reached()
      const subscription = client.subscribeToAll({
        fromPosition: from === LOG_START ? 'start' : positionOf(from),
        filter: excludeSystemEvents({
          checkpointInterval: CHECKPOINT_EVERY,
          checkpointReached: async (_, position) => {
            // A checkpoint is ignored while received events before it have not been taken yet.
            if (!over && subscription.readableLength === 0) buffer.passed(positionText(position))
          },
        }),
      })
      let over = false
      const end = (why: string): void => {
        if (over) return
        over = true
        clearTimeout(unconfirmed)
        clearInterval(watching)
        signal.removeEventListener('abort', aborted)
        subscription.pause()
        resolve({ why, moved: buffer.reached() !== from })
        // Without this the call stays open and the server goes on sending; `unsubscribe` waits for a connection that may never be made.
        subscription.unsubscribe().catch(() => undefined)
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

      // All listeners in the tick of the call: an error before them would end the process.
      subscription.on('error', (error) => end(error.message || error.name))
      subscription.on('end', () => end('the server ended it'))
      subscription.on('close', () => end('it was closed'))
      subscription.on('confirmation', () => clearTimeout(unconfirmed))
      subscription.on('data', ({ event }: AllStreamResolvedEvent) => {
        if (over || !event) return
        try {
          if (buffer.push(recorded(event))) return
          subscription.pause()
          void buffer.untilRoom().then(() => over || subscription.resume())
        } catch (error) {
          buffer.fail(error)
          end('an event could not be decoded')
        }
      })
    })

  /** Subscribes again whenever a subscription ends, until the signal: the client itself does not, and a server may end one at any time. */
  const supervise = async (buffer: ReadAhead, signal: AbortSignal): Promise<void> => {
    for (let fruitless = 0; !signal.aborted; ) {
      await buffer.untilRoom()
      if (signal.aborted) return
      const { client, close } = connect()
      const { why, moved } = await follow(client, buffer, signal)
      await close().catch(() => undefined)
      if (signal.aborted) return
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
