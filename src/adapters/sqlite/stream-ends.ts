import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../ports/cache-bounds.ts'
import type { StreamPage } from '../../ports/event-store.ts'

/**
 * The ends of streams that were read lately. The process that owns the file makes all appends but those of a command beside it, so a stream
 * that it appended nothing to still ends where a read ended. Most reads of a stream's tail find nothing new; each commit empties the page
 * cache of the connection that reads, so that even those cost several reads of the file.
 */
export type StreamEnds = {
  /** Returns a page from a revision on: an empty one if the stream is known to end before it, otherwise the one that `read` returns. */
  readonly readFrom: (stream: string, from: number, read: () => StreamPage) => StreamPage
  /** Makes an append, during which and after which the end of its stream is unknown. */
  readonly around: <T>(stream: string, append: () => Promise<T>) => Promise<T>
  /** Called when another process appended something. */
  readonly forget: () => void
}

/** The bytes of a number. */
const END_BYTES = 16

const NOTHING: StreamPage = { events: [], more: false }

export const openStreamEnds = (): StreamEnds => {
  /** A revision of each stream from which on it had no events. */
  const ends = new LRUCache<string, number>(boundedBy('readEnds', () => END_BYTES))
  /** The number of appends to a stream that are not answered yet. */
  const appending = new Map<string, number>()

  return {
    readFrom: (stream, from, read) => {
      const end = ends.get(stream)
      if (end !== undefined && end <= from) return NOTHING
      const page = read()
      if (!page.more && !appending.has(stream)) ends.set(stream, (page.events.at(-1)?.revision ?? from - 1) + 1)
      return page
    },
    around: async (stream, append) => {
      appending.set(stream, (appending.get(stream) ?? 0) + 1)
      ends.delete(stream)
      try {
        return await append()
      } finally {
        const pending = (appending.get(stream) ?? 1) - 1
        if (pending > 0) appending.set(stream, pending)
        else appending.delete(stream)
      }
    },
    forget: () => ends.clear(),
  }
}
