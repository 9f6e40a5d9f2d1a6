import { setTimeout as sleep } from 'node:timers/promises'
import { projections } from '../projections/all.ts'
import { SHARD_COUNT, shardCheckpoints } from '../projections/engine/shards.ts'
import type { DocumentStore } from '../src/ports/documents.ts'
import type { Position } from '../src/ports/event-store.ts'
import type { Environment } from './servers.ts'
import { type Service, start } from './service.ts'

const program = new URL('../src/worker.ts', import.meta.url).pathname

const POLL_MS = 50
/** Milliseconds without progress after which the read models count as stopped. */
const STALL_MS = 60_000

/** Starts projection workers together, each in a process of its own, as `npx rostra worker` starts them. */
export const startWorkers = (count: number, environment: Environment): Promise<readonly Service[]> =>
  Promise.all(Array.from({ length: count }, () => start(program, [], environment)))

/** Resolves when all shards have reached a position. */
export const caughtUp = async (documents: Pick<DocumentStore, 'checkpoints'>, position: Position): Promise<void> => {
  const names = shardCheckpoints(projections)
  let before = ''
  let moved = performance.now()
  for (;;) {
    const stand = [...(await documents.checkpoints(names)).values()]
    if (stand.length === SHARD_COUNT && stand.every((reached) => reached >= position)) return
    if (String(stand) !== before) moved = performance.now()
    else if (performance.now() - moved > STALL_MS) throw new Error('the read models stopped')
    before = String(stand)
    await sleep(POLL_MS)
  }
}
