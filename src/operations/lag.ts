import * as t from 'io-ts'
import type { EventStore, Position } from '../ports/event-store.ts'

const Stored = t.type({ at: t.number })

/** Returns the milliseconds that the first event after a position has been waiting; 0 if there is none. */
const lagAfter = async (events: Pick<EventStore, 'readAll'>, clock: () => number, position: Position, head: Position): Promise<number> => {
  if (position >= head) return 0
  const [next] = await events.readAll(position, 1)
  if (!next) return 0
  const meta: unknown = JSON.parse(next.meta)
  return Stored.is(meta) ? Math.max(0, clock() - meta.at) : 0
}

/** Returns the lags after many positions, most of which are equal. */
export const lagsAfter = async (
  events: Pick<EventStore, 'readAll'>,
  clock: () => number,
  positions: readonly Position[],
  head: Position,
): Promise<readonly number[]> => {
  const lags = new Map<Position, number>()
  for (const position of new Set(positions)) lags.set(position, await lagAfter(events, clock, position, head))
  return positions.map((position) => lags.get(position) ?? 0)
}
