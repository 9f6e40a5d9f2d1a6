import type { EventStore, RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryStore } from '../ports/history.ts'
import { EVENTS_PER_MILESTONE, eventAt, lastMilestone, type Milestone, milestoneIn, timeOf } from './milestones.ts'
import { lastOrigin } from './origins.ts'
import { logTree, rowAt } from './trees.ts'

/** The log by the numbers of its events. */
export type NumberedEvents = {
  /** How many events are numbered; a number is given once nothing can come before it any more. */
  readonly size: () => Promise<number>
  /** The events from a milestone on that are numbered, up to the next one: those with the numbers from `block * EVENTS_PER_MILESTONE` on. */
  readonly block: (block: number) => Promise<readonly RecordedEvent[]>
  /** The number of the first event of a time (milliseconds since 1970) or later; the size where there is none. */
  readonly firstAt: (time: number) => Promise<number>
}

type Ports = { readonly events: Pick<EventStore, 'read' | 'readAll'>; readonly history: Pick<HistoryStore, 'get' | 'list' | 'state'> }

/** Blocks that are read to reach one whose milestone is not made yet: a few after a start, many while those of an older log are made. */
const MAX_UNMARKED_BLOCKS = 40

const farFromMilestones = () => new StoreFault('unavailable', 'the milestones of the history are still being made: try again later')

export const openNumberedEvents = ({ events, history }: Ports): NumberedEvents => {
  const treeName = async (): Promise<string> => logTree((await lastOrigin(history))?.number ?? 0)

  const sizeOf = async (tree: string): Promise<number> => (await history.state(tree))?.size ?? 0

  /** The milestone of a block, or the last one before it. */
  const nearest = async (tree: string, block: number): Promise<readonly [number, Milestone] | undefined> => {
    const row = (await rowAt(history, tree, 'milestone', block)) ?? (await history.list(tree, 'milestone', block, 1, 'down'))[0]
    return row && [row.number, milestoneIn(row)]
  }

  const read = async (tree: string, size: number, block: number): Promise<readonly RecordedEvent[]> => {
    const first = block * EVENTS_PER_MILESTONE
    if (first >= size) return []
    const [number, milestone] = (await nearest(tree, block)) ?? []
    if (number === undefined || milestone === undefined || block - number > MAX_UNMARKED_BLOCKS) throw farFromMilestones()
    const start = await eventAt(events, milestone)
    const end = Math.min(size, first + EVENTS_PER_MILESTONE)
    const found: RecordedEvent[] = number === block ? [start] : []
    let { position } = start
    for (let n = number * EVENTS_PER_MILESTONE + 1; n < end; ) {
      const page = await events.readAll(position, Math.min(EVENTS_PER_MILESTONE, end - n))
      const final = page.at(-1)
      if (final === undefined) throw new StoreFault('damaged', `the log lacks event ${n}, which is numbered`)
      found.push(...page.slice(Math.max(0, first - n)))
      n += page.length
      position = final.position
    }
    return found
  }

  return {
    size: async () => sizeOf(await treeName()),
    block: async (block) => {
      const tree = await treeName()
      return read(tree, await sizeOf(tree), block)
    },
    firstAt: async (time) => {
      const tree = await treeName()
      const size = await sizeOf(tree)
      // everything before `low` is earlier, or `low` is the first block
      let low = 0
      let high = (await lastMilestone(history, tree))?.number ?? 0
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        const row = await rowAt(history, tree, 'milestone', middle)
        if (row !== undefined && milestoneIn(row).latest < time) low = middle
        else high = middle - 1
      }
      for (let block = low; block * EVENTS_PER_MILESTONE < size; block += 1) {
        const at = (await read(tree, size, block)).findIndex((event) => timeOf(event) >= time)
        if (at >= 0) return block * EVENTS_PER_MILESTONE + at
      }
      return size
    },
  }
}
