import { callerHere } from './exchange.ts'

type Options = {
  /** Pieces of work that are done at the same time, each of another caller. */
  readonly atOnce?: number
  /** Pieces of work that may wait for their turn: of all callers, and of one of them. */
  readonly mostWaiting: number
  readonly mostWaitingOfOne: number
}

/**
 * Does one piece of work after the other. Callers take turns, so that one with very much to do delays each of the others by one piece at
 * most. Refuses with `busy` if too many wait.
 */
export const openFairQueue = ({ atOnce = 1, mostWaiting, mostWaitingOfOne }: Options) => {
  /** Callers in the order of their turns, each with its waiting work in order of arrival. */
  const waiting = new Map<string, (() => void)[]>()
  const served = new Set<string>()
  let count = 0

  const beginNext = (): void => {
    for (const [caller, [next, ...others]] of waiting) {
      if (served.size >= atOnce) return
      if (next === undefined || served.has(caller)) continue
      waiting.delete(caller)
      if (others.length > 0) waiting.set(caller, others) // behind those that came meanwhile
      count -= 1
      served.add(caller)
      next()
    }
  }

  const myTurn = (caller: string): Promise<void> =>
    new Promise((begin) => {
      waiting.set(caller, [...(waiting.get(caller) ?? []), begin])
      count += 1
      beginNext()
    })

  return async <T>(work: () => Promise<T>): Promise<T | 'busy'> => {
    const caller = callerHere()
    if (count >= mostWaiting || (waiting.get(caller)?.length ?? 0) >= mostWaitingOfOne) return 'busy'
    await myTurn(caller)
    try {
      return await work()
    } finally {
      served.delete(caller)
      beginNext()
    }
  }
}
