// Decision 56.

import type { Overload } from '../contract/overload.ts'
import { callerHere } from '../contract/request-state.ts'

type Options = {
  /** The pieces of work that are done at the same time, each of another caller. */
  readonly atOnce?: number
  /** The pieces of work that may wait for their turn: of all callers, and of one of them. */
  readonly mostWaiting: number
  readonly mostWaitingOfOne: number
}

/**
 * Does one piece of work after the other. Callers take turns, so a caller with very much to do delays each of the others by one piece at
 * most. Refuses with `busy` if too many wait, and with `too-many` if too many of the caller wait. Abandoned work leaves the queue.
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
      if (others.length > 0) waiting.set(caller, others) // moves behind those that came meanwhile
      count -= 1
      served.add(caller)
      next()
    }
  }

  const leave = (caller: string, begin: () => void): void => {
    const mine = waiting.get(caller) ?? []
    const others = mine.filter((one) => one !== begin)
    if (others.length === mine.length) return
    count -= 1
    if (others.length > 0) waiting.set(caller, others)
    else waiting.delete(caller)
  }

  /** Rejects if the work is abandoned before its turn. */
  const myTurn = (caller: string, abandoned: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const abandon = () => {
        leave(caller, begin)
        reject(abandoned?.reason)
      }
      const begin = () => {
        abandoned?.removeEventListener('abort', abandon)
        resolve()
      }
      if (abandoned?.aborted) return reject(abandoned.reason)
      abandoned?.addEventListener('abort', abandon, { once: true })
      waiting.set(caller, [...(waiting.get(caller) ?? []), begin])
      count += 1
      beginNext()
    })

  return async <T>(work: () => Promise<T>, abandoned?: AbortSignal): Promise<T | Overload> => {
    const caller = callerHere()
    if ((waiting.get(caller)?.length ?? 0) >= mostWaitingOfOne) return 'too-many'
    if (count >= mostWaiting) return 'busy'
    await myTurn(caller, abandoned)
    try {
      return await work()
    } finally {
      served.delete(caller)
      beginNext()
    }
  }
}
