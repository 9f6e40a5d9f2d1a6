import type { EventStore, Position } from '../ports/event-store.ts'
import { type HistoryKey, successorOf } from './key.ts'
import { addKey } from './origins.ts'
import { PAGE_EVENTS } from './records.ts'
import { type TakingUpPorts, takeUp } from './taking-up.ts'

const countAfter = async ({ readAll }: Pick<EventStore, 'readAll'>, position: Position): Promise<number> => {
  let count = 0
  for (let after = position; ; ) {
    const page = await readAll(after, PAGE_EVENTS)
    count += page.length
    const final = page.at(-1)
    if (final === undefined) return count
    after = final.position
  }
}

/**
 * Put a new key in the place of one, which signs it, and heads of no larger log any more than this one: counted from the last head that was
 * signed, since whoever writes to the stores can write any size there. A process may be signing with the old key just now, of a few events more.
 */
export const rotateKey = async (ports: TakingUpPorts, keyFile: string, old: HistoryKey, at: number): Promise<void> => {
  const { origin, trees, position } = await takeUp(ports, old)
  const until = trees.log.size + (await countAfter(ports.events, position)) + PAGE_EVENTS
  const [next, putInPlace] = await successorOf(keyFile, old)
  await addKey(ports.history, origin, { old, next, at, until })
  await putInPlace()
}
