import type { EventStore, Position } from '../ports/event-store.ts'
import { type HistoryKey, successorOf } from './key.ts'
import { addKey } from './origins.ts'
import { PAGE_EVENTS } from './records.ts'
import { resumeNumbering, type TakingUpPorts } from './resume-numbering.ts'

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
 * Replaces a key by a new one. The old key signs the new one, and then only heads of logs up to this size, which counts from the last
 * signed head: somebody who writes to the stores can write any size there. Another process may be signing a few more events with the old
 * key just now.
 */
export const rotateKey = async (ports: TakingUpPorts, keyFile: string, old: HistoryKey, at: number): Promise<void> => {
  const { origin, trees, position } = await resumeNumbering(ports, old)
  const until = trees.log.size + (await countAfter(ports.events, position)) + PAGE_EVENTS
  const [next, putInPlace] = await successorOf(keyFile, old)
  await addKey(ports.history, origin, { old, next, at, until })
  await putInPlace()
}
