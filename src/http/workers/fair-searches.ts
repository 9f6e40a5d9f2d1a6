import type { DocumentStore } from '../../ports/documents.ts'
import { StoreFault } from '../../ports/faults.ts'
import { isOverload, TooManyAtOnce } from '../contract/overload.ts'
import { thisAnswer } from '../contract/request-state.ts'
import { openFairQueue } from './fair-queue.ts'

/**
 * Returns a store that schedules searches by caller, in turns. A search may take some hundred milliseconds, and in one process all searches
 * share a thread. A search whose client has left is dropped.
 */
export const fairSearches = (documents: DocumentStore): DocumentStore => {
  const inTurn = openFairQueue({ atOnce: 4, mostWaiting: 400, mostWaitingOfOne: 32 })
  return {
    ...documents,
    search: async (collection, query) => {
      const abandoned = thisAnswer()?.abandoned()
      const matches = await inTurn(() => documents.search(collection, query, abandoned), abandoned)
      if (matches === 'too-many') throw new TooManyAtOnce('too many searches of one caller are waiting')
      if (isOverload(matches)) throw new StoreFault('unavailable', 'too many searches are waiting')
      return matches
    },
  }
}
