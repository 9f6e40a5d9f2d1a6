import { LRUCache } from 'lru-cache'
import { boundedBy } from '../ports/cache-bounds.ts'
import type { EventStore, Position, RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { firstIndexAsync } from '../ports/first-index.ts'
import type { HistoryStore } from '../ports/history.ts'
import { atMostEntries } from '../ports/size.ts'
import { EVENTS_PER_MILESTONE, eventAt, lastMilestone, milestoneIn, timeOf } from './milestones.ts'
import { lastOrigin } from './origins.ts'
import { logTree, rowAt } from './trees.ts'

/** Reads the log by the numbers of its events. */
export type NumberedEvents = {
  /** Returns the number of numbered events. An event gets its number once nothing can come before it any more. */
  readonly size: () => Promise<number>
  /**
   * Returns the numbered events from a number on, as many as a page of the log has and at most up to the next milestone, so that readers
   * who follow each other mostly ask for the same pages. Returns none at the end.
   */
  readonly page: (n: number) => Promise<readonly RecordedEvent[]>
  /**
   * Returns the number of the last milestone before which all events are earlier than a time (milliseconds since 1970); 0 if there is none.
   */
  readonly milestoneBefore: (time: number) => Promise<number>
  /**
   * Returns the number of the last milestone at a position of the log or before it. It reads no page, but one event for each milestone that
   * it compares.
   */
  readonly milestoneAt: (position: Position) => Promise<number>
  /** Returns the number of the first event of a time or later, or the size if there is none. */
  readonly firstAt: (time: number) => Promise<number>
}

type Ports = { readonly events: Pick<EventStore, 'read' | 'readAll'>; readonly history: Pick<HistoryStore, 'get' | 'list' | 'state'> }

/**
 * The most events that are passed to reach a number whose milestone is not made yet. There are a few after a start, and many while the
 * milestones of an older log are made.
 */
const MAX_PASSED_EVENTS = 10_000
/** The number of page ends that are kept. Reading goes on at these. */
const MAX_ENDS = 5_000
const MAX_MILESTONES = 5_000

const bytesIn = (page: readonly RecordedEvent[]): number =>
  page.reduce((sum, { data, meta }) => sum + 2 * (data.length + meta.length) + 200, 100)

const milestoneAfter = (n: number): number => (Math.floor(n / EVENTS_PER_MILESTONE) + 1) * EVENTS_PER_MILESTONE

export const openNumberedEvents = ({ events, history }: Ports): NumberedEvents => {
  /** Pages by the number that they begin with; incomplete ones also by the number of numbered events. */
  const pages = new LRUCache<string, readonly RecordedEvent[]>(boundedBy('historyPages', bytesIn))
  const reading = new Map<string, Promise<readonly RecordedEvent[]>>()
  /** Maps the number of an event to the position in the log before it. */
  const ends = new LRUCache<string, Position>(atMostEntries(MAX_ENDS))

  /** The positions of milestones, which never change. */
  const starts = new LRUCache<string, Position>(atMostEntries(MAX_MILESTONES))

  const treeName = async (): Promise<string> => logTree((await lastOrigin(history))?.number ?? 0)
  const sizeOf = async (tree: string): Promise<number> => (await history.state(tree))?.size ?? 0

  const readAfter = async (position: Position, n: number, end: number): Promise<readonly RecordedEvent[]> => {
    if (n >= end) return []
    const page = await events.readAll(position, Math.min(EVENTS_PER_MILESTONE, end - n))
    if (page.length === 0) throw new StoreFault('damaged', `the log lacks event ${n}, which is numbered`)
    return page
  }

  /** Reads from the last milestone before a number, if no end of a page is known. */
  const fromMilestone = async (tree: string, n: number, end: number): Promise<readonly RecordedEvent[]> => {
    const [row] = await history.list(tree, 'milestone', Math.floor(n / EVENTS_PER_MILESTONE), 1, 'down')
    const first = (row?.number ?? Number.NEGATIVE_INFINITY) * EVENTS_PER_MILESTONE
    if (row === undefined || n - first > MAX_PASSED_EVENTS)
      throw new StoreFault('unavailable', 'the index of event numbers is still being built: try again later')
    const start = await eventAt(events, milestoneIn(row))
    if (first === n) return [start, ...(await readAfter(start.position, n + 1, end))]
    let { position } = start
    for (let passed = first + 1; passed < n; ) {
      const page = await readAfter(position, passed, n)
      passed += page.length
      position = page.at(-1)?.position ?? position
    }
    return readAfter(position, n, end)
  }

  const read = async (tree: string, n: number, size: number): Promise<readonly RecordedEvent[]> => {
    const end = Math.min(size, milestoneAfter(n))
    const known = ends.get(`${tree} ${n}`)
    const page = await (known === undefined ? fromMilestone(tree, n, end) : readAfter(known, n, end))
    const next = n + page.length
    const final = page.at(-1)
    if (final) ends.set(`${tree} ${next}`, final.position)
    pages.set(next < size || next === milestoneAfter(n) ? `${tree} ${n}` : `${tree} ${n} ${size}`, page)
    return page
  }

  const page = async (tree: string, n: number, size: number): Promise<readonly RecordedEvent[]> => {
    if (n >= size) return []
    const key = `${tree} ${n} ${size}`
    const cached = pages.get(`${tree} ${n}`) ?? pages.get(key)
    if (cached) return cached
    const underWay = reading.get(key) ?? read(tree, n, size).finally(() => reading.delete(key))
    reading.set(key, underWay)
    return underWay
  }

  const milestoneBefore = async (tree: string, time: number): Promise<number> => {
    const last = (await lastMilestone(history, tree))?.number ?? 0
    const before = await firstIndexAsync(last, async (n) => {
      const row = await rowAt(history, tree, 'milestone', n + 1)
      return row === undefined || milestoneIn(row).latest >= time
    })
    return before * EVENTS_PER_MILESTONE
  }

  /** Returns the position of a milestone. One that is not made yet is found by its number. */
  const startOf = async (tree: string, number: number, size: number): Promise<Position | undefined> => {
    const key = `${tree} ${number}`
    const known = starts.get(key)
    if (known !== undefined) return known
    const row = await rowAt(history, tree, 'milestone', number)
    const start = row ? await eventAt(events, milestoneIn(row)) : (await page(tree, number * EVENTS_PER_MILESTONE, size))[0]
    if (start) starts.set(key, start.position)
    return start?.position
  }

  const milestoneAt = async (tree: string, position: Position): Promise<number> => {
    const size = await sizeOf(tree)
    const index = await firstIndexAsync(Math.floor((size - 1) / EVENTS_PER_MILESTONE), async (n) => {
      const start = await startOf(tree, n + 1, size)
      return start === undefined || start > position
    })
    return index * EVENTS_PER_MILESTONE
  }

  return {
    size: async () => sizeOf(await treeName()),
    page: async (n) => {
      const tree = await treeName()
      return page(tree, n, await sizeOf(tree))
    },
    milestoneBefore: async (time) => milestoneBefore(await treeName(), time),
    milestoneAt: async (position) => milestoneAt(await treeName(), position),
    firstAt: async (time) => {
      const tree = await treeName()
      const size = await sizeOf(tree)
      for (let n = await milestoneBefore(tree, time); n < size; ) {
        const events = await page(tree, n, size)
        const at = events.findIndex((event) => timeOf(event) >= time)
        if (at >= 0) return n + at
        n += events.length
      }
      return size
    },
  }
}
