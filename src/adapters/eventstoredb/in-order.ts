// Decision 60.

import type { Append, AppendResult, EventStore, ProposedEvent } from '../../ports/event-store.ts'
import { checkSize } from './append.ts'
import { tryOnce } from './append-tries.ts'
import type { ClientHandle, ClientSession } from './client-handle.ts'
import { toStoredEvent } from './event-text.ts'
import type { TryOutcome } from './own-calls/append-message.ts'
import type { Timings } from './timings.ts'

const MAX_APPENDS_IN_FLIGHT = 64
const MAX_BYTES_IN_FLIGHT = 8 * 1024 * 1024

/**
 * Appends that do not wait for each other, for a process that is the log's only writer. One stream carries them all, and the server takes
 * them in the order in which they were sent.
 */
export type OrderedAppends<About> = {
  /** Resolves once the next append may be sent. Throws an error of `settled`, and faults of earlier appends. */
  readonly put: (append: Append, about: About) => Promise<void>
  /** Resolves once every append has settled. */
  readonly end: () => Promise<void>
}

/** Called with the result of each append, in the order of sending. The caller must check that positions rise. */
export type OnSettled<About> = (result: AppendResult, about: About) => void

export type OpenOrderedAppends = <About>(settled: OnSettled<About>) => OrderedAppends<About>

type AppendParts = { readonly link: ClientHandle; readonly timings: Timings; readonly append: EventStore['append'] }

type PendingAppend<About> = {
  readonly append: Append
  readonly about: About
  readonly bytes: number
  readonly sent: Promise<TryOutcome | 'unanswered'>
}

/** Returns a success with its position. One without a position (the stream was truncated) is treated like a failure. */
const successOf = (sent: TryOutcome | 'unanswered'): AppendResult | undefined =>
  sent !== 'unanswered' && sent.kind === 'success' && sent.position !== undefined
    ? { outcome: 'appended', position: sent.position, revision: sent.revision }
    : undefined

export const appendInOrder =
  ({ link, timings, append }: AppendParts): OpenOrderedAppends =>
  <About>(settled: OnSettled<About>): OrderedAppends<About> => {
    const flying: PendingAppend<About>[] = []
    let bytesInFlight = 0
    let usual: ClientSession | undefined

    const sendInTime = async (
      session: ClientSession,
      append: Append,
      data: readonly ProposedEvent[],
    ): Promise<TryOutcome | 'unanswered'> => {
      const began = Date.now()
      const unanswered = Promise.withResolvers<'unanswered'>()
      const timer = setTimeout(unanswered.resolve, timings.silence, 'unanswered')
      const sent = await Promise.race([tryOnce(session, append, data), unanswered.promise]).finally(() => clearTimeout(timer))
      if (sent !== 'unanswered') session.heard = Date.now()
      else if (session.heard < began) link.replace(session, 'an append was not answered')
      if (!successOf(sent)) usual = undefined // nothing more is sent before this one was sent again
      return sent
    }

    const settleOldest = ({ about, bytes }: PendingAppend<About>, result: AppendResult): void => {
      flying.shift()
      bytesInFlight -= bytes
      settled(result, about)
    }

    /** Recovers from a failure in the right order: everything in flight settles first, then failed appends are sent again one by one. */
    const recover = async (): Promise<void> => {
      await Promise.all(flying.map(({ sent }) => sent))
      usual = undefined
      for (let next = flying[0]; next; next = flying[0]) {
        const sent = await next.sent
        const { stream, expected, events } = next.append
        settleOldest(next, successOf(sent) ?? (await append(stream, expected, events)))
      }
    }

    const settleFirst = async (): Promise<void> => {
      const [first] = flying
      if (!first) return
      const result = successOf(await first.sent)
      if (result) settleOldest(first, result)
      else await recover()
    }

    return {
      put: async (append, about) => {
        const bytes = checkSize(append)
        const data = append.events.map(toStoredEvent)
        while (flying.length > 0 && (flying.length >= MAX_APPENDS_IN_FLIGHT || bytesInFlight + bytes > MAX_BYTES_IN_FLIGHT))
          await settleFirst()
        const session = await link.session()
        // The append that makes a connection is sent alone; on an open connection, appends arrive in the order of sending.
        if (session !== usual) while (flying.length > 0) await settleFirst()
        const sent = sendInTime(session, append, data)
        flying.push({ append, about, bytes, sent })
        bytesInFlight += bytes
        if (session !== usual) {
          await settleFirst()
          usual = session
        }
      },
      end: async () => {
        while (flying.length > 0) await settleFirst()
      },
    }
  }
