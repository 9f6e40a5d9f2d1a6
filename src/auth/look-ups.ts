import { LRUCache } from 'lru-cache'
import { atMostEntries } from '../ports/size.ts'

/** Milliseconds that a session or token may still be accepted that another process has ended. */
const LOOK_UP_VALID_MS = 5_000
const MAX_LOOK_UPS = 50_000

export type LookUps<Found> = {
  readonly find: (id: string) => Promise<Found | undefined>
  /** What was found so far is not given to anybody who asks from now on. */
  readonly forget: (id: string) => void
  readonly forgetAll: () => void
}

/** Keeps what is found for a few seconds, and looks once for all who ask meanwhile. What is forgotten during its look-up is not kept. */
export const openLookUps = <Found extends object>(look: (id: string) => Promise<Found | undefined>): LookUps<Found> => {
  const kept = new LRUCache<string, Found>({ ...atMostEntries(MAX_LOOK_UPS), ttl: LOOK_UP_VALID_MS })
  const looking = new Map<string, Promise<Found | undefined>>()

  const begin = (id: string): Promise<Found | undefined> => {
    const found = look(id)
    looking.set(id, found)
    const done = (one?: Found): void => {
      if (looking.get(id) !== found) return
      looking.delete(id)
      if (one) kept.set(id, one)
    }
    found.then(done, () => done())
    return found
  }

  return {
    find: async (id) => kept.get(id) ?? looking.get(id) ?? begin(id),
    forget: (id) => {
      kept.delete(id)
      looking.delete(id)
    },
    forgetAll: () => {
      kept.clear()
      looking.clear()
    },
  }
}
