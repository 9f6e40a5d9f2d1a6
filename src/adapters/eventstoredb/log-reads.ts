import type { Direction, ResolvedEvent } from '@eventstore/db-client'
import { MAX_PAGE_BYTES, MAX_PAGE_EVENTS, type RecordedEvent, type StreamPage } from '../../ports/event-store.ts'
import type { ClientHandle } from './client-handle.ts'
import { charactersOf, toRecordedEvent } from './event-text.ts'
import type { KnownHead } from './known-head.ts'
import { pageReads } from './page-reads.ts'
import type { Timings } from './timings.ts'
import { wholeLog } from './whole-log.ts'

export type LogReads = ReturnType<typeof reads>

export const reads = (link: ClientHandle, timings: Timings, head: KnownHead) => {
  const page = pageReads(link, timings)

  /** Reads at most `limit` events, and at most a page of bytes. It requests one more, to know whether there are more. */
  const streamPage = async (
    stream: string,
    fromRevision: bigint | 'end',
    direction: Direction,
    limit: number,
    deadline?: number,
  ): Promise<StreamPage> => {
    const begin = () => {
      const events: RecordedEvent[] = []
      let bytes = 0
      let more = false
      return {
        take: ({ event }: ResolvedEvent) => {
          if (!event) return true
          more = events.length === limit || bytes >= MAX_PAGE_BYTES
          if (more) return false
          const one = toRecordedEvent(event)
          events.push(one)
          bytes += charactersOf(one)
          return true
        },
        result: (): StreamPage => ({ events, more }),
      }
    }
    const found = await page<ResolvedEvent, StreamPage>(
      (client) => client.readStream(stream, { fromRevision, direction, maxCount: limit + 1, requiresLeader: true }),
      begin,
      deadline,
    )
    return found ?? { events: [], more: false }
  }

  return {
    /** Reads at most `count` events of one stream from a revision on, by the deadline or not at all. */
    part: async (stream: string, from: number, count: number, deadline?: number): Promise<readonly RecordedEvent[]> =>
      (await streamPage(stream, BigInt(from), 'forwards', count, deadline)).events,

    read: (stream: string, from: number, limit = MAX_PAGE_EVENTS): Promise<StreamPage> =>
      streamPage(stream, BigInt(from), 'forwards', limit),

    readBackwards: (stream: string, from?: number, limit = MAX_PAGE_EVENTS): Promise<StreamPage> =>
      streamPage(stream, from === undefined ? 'end' : BigInt(from), 'backwards', limit),

    ...wholeLog(page, head),
  }
}
