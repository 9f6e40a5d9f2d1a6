import type { Blobs } from '../ports/blobs.ts'
import type { Position } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Finding } from './finding.ts'
import type { Recount } from './recount.ts'

// What is stored beside the documents.

const finding = (problem: string): Finding => ({ kind: 'store', problem })

const POSITION = /^\d{20}$/

/** Positions that are none, or that the log has not reached. `stored`: by what is there. */
export const misplaced = (stored: ReadonlyMap<string, string>, end: Position): readonly Finding[] =>
  [...stored].flatMap(([what, position]) => {
    if (!POSITION.test(position)) return [finding(`${what} is at ${position}, which is no position`)]
    return position > end ? [finding(`${what} is at ${position}, beyond the end of the log, ${end}`)] : []
  })

/** Why a blob cannot be served; undefined if it can. */
const problemOf = async (blobs: Pick<Blobs, 'get'>, hash: string): Promise<string | undefined> => {
  try {
    return (await blobs.get(hash)) === undefined ? 'is missing' : undefined
  } catch (error) {
    if (error instanceof StoreFault && error.kind === 'damaged') return 'is not what was stored'
    throw error
  }
}

/** Images and stylesheets that subsites show and that cannot be served. */
export async function* unservedBlobs(blobs: Pick<Blobs, 'get'>, recount: Pick<Recount, 'shown'>): AsyncGenerator<Finding, void> {
  for await (const { id, hashes } of recount.shown()) {
    for (const hash of hashes) {
      const problem = await problemOf(blobs, hash)
      if (problem !== undefined) yield finding(`the blob ${hash}, which ${id} shows, ${problem}`)
    }
  }
}
