import * as E from 'fp-ts/lib/Either.js'
import type { EventStore, LeftOut } from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import { pause } from '../../ports/pause.ts'
import { appender } from './append.ts'
import { createClient } from './client.ts'
import { type Journal, openClientHandle } from './client-handle.ts'
import { type ConnectionSettings, readConnectionString } from './connection-string.ts'
import { appendInOrder, type OpenOrderedAppends } from './in-order.ts'
import { knownHead } from './known-head.ts'
import { reads } from './log-reads.ts'
import { describeStartFailure } from './start-failure.ts'
import { subscriber } from './subscription.ts'
import { pauseBefore, TIMINGS, type Timings } from './timings.ts'

export type EventStoreDb = EventStore & { readonly inOrder: OpenOrderedAppends }

export type EventStoreDbOptions = {
  /** `esdb://…`, `esdb+discover://…` or the same with a name of KurrentDB's; may hold credentials, which are never printed. */
  readonly url: string
  readonly journal?: Journal
  /** Gives up waiting for a server that is not there yet. */
  readonly signal?: AbortSignal
  readonly timings?: Partial<Timings>
}

const silent: Journal = { info: () => undefined, warn: () => undefined }
const REMIND_AFTER_MS = 10_000

/** Timings of a single try, so that an error at the start is reported at once. */
const toSingleTry = (timings: Timings): Timings => ({
  ...timings,
  call: timings.silence,
  firstPause: timings.call,
  longestPause: timings.call,
})

/** Returns the reason of a failed discovery, which the client does not report, by asking the first host directly. */
const reasonOf = async (thrown: unknown, connection: ConnectionSettings, timings: Timings): Promise<unknown> => {
  const message = thrown instanceof Error ? thrown.message : ''
  if (!message.includes('Failed to discover')) return thrown
  const [host] = connection.hosts
  const link = openClientHandle(() => createClient({ ...connection, hosts: [host], discover: false }, 'start'), silent)
  try {
    await reads(link, toSingleTry(timings), knownHead()).head()
    return thrown
  } catch (reason) {
    return reason
  } finally {
    await link.close()
  }
}

/** Parses an address. Throws an error of one line for a wrong one. */
export const connectionOf = (url: string): ConnectionSettings => {
  const understood = readConnectionString(url)
  if (E.isLeft(understood)) throw new StoreFault('unavailable', understood.left)
  return understood.right
}

/**
 * Opens the log on an EventStoreDB. Waits for a server that is not available yet, and logs that; throws an error of one
 * line if waiting cannot help: a wrong URL, an untrusted certificate, a refused user.
 */
export const openEventStoreDb = async (options: EventStoreDbOptions): Promise<EventStoreDb> => {
  const { url, journal = silent, signal } = options
  const timings = { ...TIMINGS, ...options.timings }
  const connection = connectionOf(url)

  const head = knownHead()
  const writing = openClientHandle(() => createClient(connection, 'appends'), journal) // no other client ever appends
  const reading = openClientHandle(() => createClient(connection, 'reads'), journal)
  const reader = reads(reading, timings, head)
  /** Subscriptions that leave out the same event types share their received events. */
  const subscribers = new Map<string, ReturnType<typeof subscriber>>()
  const subscriberOf = (leftOut: LeftOut | undefined) => {
    const types = leftOut && 'category' in leftOut ? undefined : String(leftOut?.types)
    const known = types === undefined ? undefined : subscribers.get(types)
    const opened =
      known ?? subscriber({ connect: () => createClient(connection, 'subscription'), reads: reader, timings, journal, leftOut })
    if (types !== undefined) subscribers.set(types, opened)
    return opened
  }
  const closing = new AbortController()

  const close = async (): Promise<void> => {
    closing.abort()
    await Promise.all([writing.close(), reading.close()])
  }

  const probe = reads(reading, toSingleTry(timings), head)
  let reported: { readonly line: string; readonly at: number } | undefined
  for (let tries = 1; ; tries++) {
    try {
      await probe.head()
      break
    } catch (thrown) {
      const { line, waits } = describeStartFailure(await reasonOf(thrown, connection, timings), connection)
      if (!waits || signal?.aborted) {
        await close()
        throw new StoreFault('unavailable', line, { cause: thrown })
      }
      if (reported?.line !== line || Date.now() - reported.at >= REMIND_AFTER_MS) {
        reported = { line, at: Date.now() }
        journal.warn({}, `${line}; waiting for it`)
      }
      await pause(pauseBefore(timings, tries), signal)
    }
  }

  const append = appender({ link: writing, reads: reader, timings, head })
  return {
    append,
    inOrder: appendInOrder({ link: writing, timings, append }),
    read: reader.read,
    readBackwards: reader.readBackwards,
    readAll: reader.readAll,
    subscribe: (after, until, leftOut) => subscriberOf(leftOut)(after, AbortSignal.any([until, closing.signal])),
    glance: reader.glance,
    head: reader.head,
    last: reader.last,
    close,
  }
}
