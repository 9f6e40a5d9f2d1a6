import {
  type AllStreamResolvedEvent,
  EventStoreDBClient,
  excludeSystemEvents,
  type JSONEventType,
  jsonEvent,
  NO_STREAM,
} from '@eventstore/db-client'
import { type Rate, startRate } from './in-flight.ts'
import type { VoteAppend } from './vote-appends.ts'

/** Milliseconds without an event after which a subscription counts as stopped. */
const STALL_MS = 30_000

/** The client alone on an EventStoreDB. */
export type BareLog = {
  /** Prepares an append, and returns the function that sends it. The cost of preparing is not measured. */
  readonly prepareAppend: (append: VoteAppend) => () => Promise<unknown>
  /** Measures how fast a subscription receives the whole log, without doing anything with the events. */
  readonly catchUp: (events: number) => Promise<Rate>
  /** Receives every event from now on and drops it. The returned function ends this. */
  readonly follow: () => Promise<() => Promise<void>>
  readonly close: () => Promise<void>
}

export const openBareLog = (url: string): BareLog => {
  const client = EventStoreDBClient.connectionString(url)
  return {
    prepareAppend: ({ stream, expected, event: { id, type, data, meta } }) => {
      const event = jsonEvent({ id, type, data: JSON.parse(data), metadata: JSON.parse(meta) } as JSONEventType & { id: string })
      const expectedRevision = expected === 'none' ? NO_STREAM : BigInt(expected)
      return () => client.appendToStream(stream, event, { expectedRevision })
    },
    catchUp: (events) =>
      new Promise((resolve, reject) => {
        const toRate = startRate()
        let seen = 0
        const subscription = client.subscribeToAll({ fromPosition: 'start', filter: excludeSystemEvents() })
        const still = setTimeout(() => reject(new Error(`the bare subscription stood still after ${seen} of ${events} events`)), STALL_MS)
        subscription.on('error', reject)
        subscription.on('data', ({ event }: AllStreamResolvedEvent) => {
          if (!event) return
          seen += 1
          if (seen < events) return
          clearTimeout(still)
          resolve(toRate(seen))
          subscription.unsubscribe().catch(() => undefined)
        })
      }),
    follow: () =>
      new Promise((resolve, reject) => {
        const subscription = client.subscribeToAll({ fromPosition: 'end', filter: excludeSystemEvents() })
        subscription.on('error', reject)
        subscription.on('data', () => undefined)
        subscription.on('confirmation', () => resolve(() => subscription.unsubscribe()))
      }),
    close: () => client.dispose(),
  }
}
