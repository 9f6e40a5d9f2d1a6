import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'

/**
 * The distance of milestones. A milestone's row has the place of its event, so that any event is found by its number with a row and a page
 * or two.
 */
export const EVENTS_PER_MILESTONE = 256

/** The place of such an event, and the greatest time of all events before it. Unlike the times of events, it never decreases. */
export type Milestone = { readonly stream: string; readonly revision: number; readonly latest: number }

export const milestoneIn = ({ value }: Pick<HistoryRow, 'value'>): Milestone => JSON.parse(Buffer.from(value).toString())

/** The progress of a log's milestones: the number of the next event, the position before it, and the greatest time up to there. */
export type Marked = { readonly n: number; readonly position: Position; readonly latest: number }

const unmarked: Marked = { n: 0, position: LOG_START, latest: 0 }

/** Matches the time at the beginning of metadata, which is canonical JSON. */
const leadingTime = /^\{"at":(\d{1,16}),/

export const timeOf = ({ meta }: Pick<RecordedEvent, 'meta'>): number =>
  Number(leadingTime.exec(meta)?.[1] ?? (JSON.parse(meta) as { readonly at?: unknown }).at ?? 0)

/** Returns the rows of the milestones among the next events, and the progress after them. */
export const milestonesAmong = (tree: string, marked: Marked, page: readonly RecordedEvent[]): readonly [Marked, readonly HistoryRow[]] => {
  const rows: HistoryRow[] = []
  let { n, position, latest } = marked
  for (const event of page) {
    const { stream, revision } = event
    const milestone: Milestone = { stream, revision, latest }
    if (n % EVENTS_PER_MILESTONE === 0)
      rows.push({ tree, kind: 'milestone', number: n / EVENTS_PER_MILESTONE, value: Buffer.from(JSON.stringify(milestone)) })
    n += 1
    position = event.position
    latest = Math.max(latest, timeOf(event))
  }
  return [{ n, position, latest }, rows]
}

export const lastMilestone = async (history: Pick<HistoryStore, 'list'>, tree: string): Promise<HistoryRow | undefined> =>
  (await history.list(tree, 'milestone', Number.MAX_SAFE_INTEGER, 1, 'down'))[0]

/** Returns the event at a milestone. */
export const eventAt = async (events: Pick<EventStore, 'read'>, { stream, revision }: Milestone): Promise<RecordedEvent> => {
  const [event] = (await events.read(stream, revision, 1)).events
  if (event?.revision !== revision) throw new StoreFault('damaged', `revision ${revision} of ${stream} is numbered, but is not in the log`)
  return event
}

type Ports = { readonly events: Pick<EventStore, 'readAll' | 'read'>; readonly history: HistoryStore }

/** Returns the progress of a tree's milestones, which are made in order, without a gap. */
export const readMarked = async ({ events, history }: Ports, tree: string): Promise<Marked> => {
  const row = await lastMilestone(history, tree)
  if (row === undefined) return unmarked
  const milestone = milestoneIn(row)
  const event = await eventAt(events, milestone)
  return { n: row.number * EVENTS_PER_MILESTONE + 1, position: event.position, latest: Math.max(milestone.latest, timeOf(event)) }
}

/** Makes the milestones among the next events up to a number, for a log that was numbered before there were milestones. */
export const addMilestones = async (
  { events, history }: Ports,
  tree: string,
  marked: Marked,
  upTo: number,
  limit: number,
): Promise<Marked> => {
  const page = await events.readAll(marked.position, Math.min(limit, upTo - marked.n))
  const [next, rows] = milestonesAmong(tree, marked, page)
  if (rows.length > 0) await history.add(rows)
  return next
}
