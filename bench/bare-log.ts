import {
  type AllStreamResolvedEvent,
  EventStoreDBClient,
  excludeSystemEvents,
  type JSONEventType,
  jsonEvent,
  NO_STREAM,
} from '@eventstore/db-client'
import { type Rate, ratedFromNow } from './in-flight.ts'
import type { VoteAppend } from './vote-appends.ts'

/** Milliseconds without an event after which a subscription counts as stopped. */
const STILL = 30_000

/** The client alone on an EventStoreDB. */
export type BareLog = {
  /** Ready to be sent: what turning text into the client's own form costs is not measured. */
  readonly appending: (append: VoteAppend) => () => Promise<unknown>
  /** Events of a subscription to the whole log from its beginning, nothing being done with them. */
  readonly catchUp: (events: number) => Promise<Rate>
  /** Receives every event from now on, doing nothing with it, until the function that it gives is called. */
  readonly follow: () => Promise<() => Promise<void>>
  readonly close: () => Promise<void>
}

export const openBareLog = (url: string): BareLog => {
  const client = EventStoreDBClient.connectionString(url)
  return {
    appending: ({ stream, expected, event: { id, type, data, meta } }) => {
      const event = jsonEvent({ id, type, data: JSON.parse(data), metadata: JSON.parse(meta) } as JSONEventType & { id: string })
      const expectedRevision = expected === 'none' ? NO_STREAM : BigInt(expected)
      return () => client.appendToStream(stream, event, { expectedRevision })
    },
    catchUp: (events) =>
      new Promise((resolve, reject) => {
        const rated = ratedFromNow()
        let seen = 0
        const subscription = client.subscribeToAll({ fromPosition: 'start', filter: excludeSystemEvents() })
        const still = setTimeout(() => reject(new Error(`the bare subscription stood still after ${seen} of ${events} events`)), STILL)
        subscription.on('error', reject)
        subscription.on('data', ({ event }: AllStreamResolvedEvent) => {
          if (!event) return
          seen += 1
          if (seen < events) return
          clearTimeout(still)
          resolve(rated(seen))
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
