// Decision 99.

import type { Blobs } from '../ports/blobs.ts'
import type { Position } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Finding } from './finding.ts'
import type { Recount } from './recount.ts'

// Checks data that is stored beside the documents.

const storeFinding = (problem: string): Finding => ({ kind: 'store', problem })

const POSITION = /^\d{20}$/

/** Lists stored positions that are invalid, or that the log has not reached. `stored` maps their names to them. */
export const findMisplaced = (stored: ReadonlyMap<string, string>, end: Position): readonly Finding[] =>
  [...stored].flatMap(([name, position]) => {
    if (!POSITION.test(position)) return [storeFinding(`${name} is at ${position}, which is no position`)]
    return position > end ? [storeFinding(`${name} is at ${position}, beyond the end of the log, ${end}`)] : []
  })

const MISSING = 'is missing'

/** Returns the reason why a blob cannot be served; undefined if it can. */
const problemOf = async (blobs: Pick<Blobs, 'get'>, hash: string): Promise<string | undefined> => {
  try {
    return (await blobs.get(hash)) === undefined ? MISSING : undefined
  } catch (error) {
    if (error instanceof StoreFault && error.kind === 'damaged') return 'is not what was stored'
    throw error
  }
}

/** Yields images and stylesheets that subsites show and that cannot be served. A copy may lack those that its site no longer had. */
export async function* findUnservedBlobs(
  blobs: Pick<Blobs, 'get'>,
  recount: Pick<Recount, 'shown'>,
  isCopy: boolean,
): AsyncGenerator<Finding, void> {
  for await (const { id, hashes } of recount.shown()) {
    for (const hash of hashes) {
      const problem = await problemOf(blobs, hash)
      if (problem !== undefined && !(isCopy && problem === MISSING)) yield storeFinding(`the blob ${hash}, which ${id} shows, ${problem}`)
    }
  }
}
