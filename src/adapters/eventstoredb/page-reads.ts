import { setTimeout as pause } from 'node:timers/promises'
import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client'
import { StoreFault } from '../../ports/faults.ts'
import type { ClientHandle, ClientSession } from './client-handle.ts'
import { classify, mustReplaceClient } from './failures.ts'
import { pauseBefore, type Timings } from './timings.ts'

type Read<E> = (client: EventStoreDBClient) => StreamingRead<E>

const SILENT = 'no answer from the server'

/** Called with each event as it comes; false ends the read there, so that the rest is not sent. */
type Take<E> = (event: E) => boolean

/**
 * Reads to the end of a bounded read, or until `take` returns false. It fails once nothing came for `silence` milliseconds, since the
 * client itself would wait for ever. An error that `take` throws is returned apart, because it says nothing about the connection.
 */
const collect = <E>(session: ClientSession, open: Read<E>, take: Take<E>, silence: number): Promise<{ readonly broken?: unknown }> =>
  new Promise((resolve, reject) => {
    const stream = open(session.client)
    const leave = (end: { readonly broken?: unknown }): void => {
      clearTimeout(timer)
      session.heard = Date.now()
      stream.cancel().catch(() => undefined)
      hasEnded = true
      resolve(end)
    }
    let hasEnded = false
    const timer = setTimeout(() => {
      stream.cancel().catch(() => undefined)
      reject(new Error(SILENT))
    }, silence)
    // Listeners are added in the same tick and never removed: an unhandled error event ends the process.
    stream.on('error', (error) => {
      clearTimeout(timer)
      if (classify(error).kind !== 'unsent') session.heard = Date.now()
      reject(error)
    })
    stream.on('data', (event: E) => {
      if (hasEnded) return // the server sent this event before it received the cancellation
      timer.refresh()
      try {
        if (!take(event)) leave({})
      } catch (broken) {
        leave({ broken })
      }
    })
    stream.on('end', () => {
      clearTimeout(timer)
      session.heard = Date.now()
      resolve({})
    })
  })

/** Collects the result of one try of a read. It gets every event, and returns the result at the end. */
type PageCollector<E, Result> = { readonly take: Take<E>; readonly result: () => Result }

/** Runs a bounded read and retries it until it succeeds or its time is over. Returns undefined for a stream that does not exist. */
export type ReadPage = <E, Result>(open: Read<E>, begin: () => PageCollector<E, Result>, deadline?: number) => Promise<Result | undefined>

export const pageReads =
  (link: ClientHandle, timings: Timings): ReadPage =>
  async (open, begin, deadline = Date.now() + timings.call) => {
    for (let tries = 1; ; tries++) {
      const session = await link.session()
      const began = Date.now()
      const { take, result } = begin()
      let end: Awaited<ReturnType<typeof collect>>
      try {
        const silence = Math.max(1, Math.min(timings.silence, deadline - began))
        end = await collect(session, open, take, silence)
      } catch (thrown) {
        const failure = classify(thrown)
        if (failure.kind === 'absent') return undefined
        if (failure.kind === 'conflict') throw thrown
        const { kind, error } = failure
        if (kind === 'deleted')
          throw new StoreFault('damaged', 'a stream was deleted on the server; streams must never be deleted', { cause: error })
        if (kind === 'refused') throw new StoreFault('unavailable', `the event store denies reading: ${error.message}`, { cause: error })
        if (kind === 'invalid' || kind === 'too-large')
          throw new RangeError(`the event store rejected the read: ${error.message}`, { cause: error })
        if (mustReplaceClient(error) || (error.message === SILENT && session.heard < began)) link.replace(session, error.message)
        const wait = pauseBefore(timings, tries)
        if (Date.now() + wait >= deadline)
          throw new StoreFault('unavailable', `the event store cannot be read: ${error.message}`, { cause: error })
        await pause(wait)
        continue
      }
      if ('broken' in end) throw end.broken
      return result()
    }
  }
