// Decision 85.

import * as E from 'fp-ts/lib/Either.js'
import { isOverload, overloadCode } from '../../contract/overload.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { openLane } from '../../workers/worker-process.ts'
import type { MergeResult } from './line-merge.ts'
import type { MergeJob } from './merge-worker.ts'

const worker = new URL('./merge-worker.ts', import.meta.url)
const bounds = { limit: 2_000, heapMegabytes: 256 }

// Comparisons for readers have a queue of their own, of some twenty seconds at most, so that edits do not wait for them. In each queue callers take turns.
const editing = openLane<MergeJob, MergeResult | string>(worker, { ...bounds, mostWaiting: 100, mostWaitingOfOne: 16 })
const reading = openLane<MergeJob, MergeResult | string>(worker, { ...bounds, mostWaiting: 10, mostWaitingOfOne: 3 })

/**
 * Merges both changes of a text. Returns undefined if they change the same lines, or the merge takes too long. Refuses if the queue is
 * full.
 */
export const mergeTexts = async (base: string, theirs: string, mine: string): Promise<E.Either<Refusal, string | undefined>> => {
  if (theirs === base || mine === theirs) return E.right(mine)
  if (mine === base) return E.right(theirs)
  const merged = await editing({ kind: 'merge', base, theirs, mine })
  if (isOverload(merged)) return refuseRule(overloadCode[merged])
  return E.right(merged === 'too-slow' ? undefined : (merged.result as MergeResult).text)
}

/** Returns the difference of two texts as HTML; `TOO_COMPLEX` if it takes more than two seconds. */
export const compareTexts = async (before: string, after: string, whose: 'editor' | 'viewer'): Promise<E.Either<Refusal, string>> => {
  const compared = await (whose === 'editor' ? editing : reading)({ kind: 'compare', before, after })
  if (isOverload(compared)) return refuseRule(overloadCode[compared])
  if (compared === 'too-slow') return E.left({ code: 'TOO_COMPLEX', field: null, text: 'these texts take too long to compare' })
  return E.right(compared.result as string)
}
