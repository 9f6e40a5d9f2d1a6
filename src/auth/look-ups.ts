import { LRUCache } from 'lru-cache'
import { boundedBy } from '../ports/cache-bounds.ts'
import { bytesOf } from '../ports/size.ts'

/** The time for which a session or token may still be accepted that another process has ended. */
const LOOK_UP_VALID_MS = 5_000

export type LookUps<Found> = {
  readonly find: (id: string) => Promise<Found | undefined>
  /** Withholds the present results from everybody who asks from now on. */
  readonly forget: (id: string) => void
  readonly forgetAll: () => void
}

/** Keeps results for a few seconds, and looks once for all who ask meanwhile. A result that is forgotten during its look-up is not kept. */
export const openLookUps = <Found extends object>(
  name: 'sessions' | 'tokens',
  look: (id: string) => Promise<Found | undefined>,
): LookUps<Found> => {
  const cache = new LRUCache<string, Found>({ ...boundedBy(name, bytesOf), ttl: LOOK_UP_VALID_MS })
  const looking = new Map<string, Promise<Found | undefined>>()

  const begin = (id: string): Promise<Found | undefined> => {
    const found = look(id)
    looking.set(id, found)
    const finish = (one?: Found): void => {
      if (looking.get(id) !== found) return
      looking.delete(id)
      if (one) cache.set(id, one)
    }
    found.then(finish, () => finish())
    return found
  }

  return {
    find: async (id) => cache.get(id) ?? looking.get(id) ?? begin(id),
    forget: (id) => {
      cache.delete(id)
      looking.delete(id)
    },
    forgetAll: () => {
      cache.clear()
      looking.clear()
    },
  }
}
