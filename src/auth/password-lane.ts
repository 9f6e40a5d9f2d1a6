import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { refuse } from '../domain/decision.ts'
import type { Refusal } from '../domain/refusal.ts'

const MOST_WAITING = 64
const MOST_WAITING_OF_ONE_ADDRESS = 4
const LONGEST_WAIT_MS = 10_000

/**
 * The one way to hash a password on behalf of a request. A hash keeps a thread of libuv's pool for a quarter of a second, and on the same
 * threads files are read, host names looked up and responses of servers unpacked.
 */
export type PasswordLane = {
  /**
   * Does work that hashes, when its turn comes: in order of arrival, one at a time of one address. Refused with `TOO_BUSY`, at once where
   * too many wait already, after ten seconds of waiting in any case; then the work was not begun.
   */
  readonly enter: <T>(address: string, work: () => Promise<T>) => Promise<Either<Refusal, T>>
  readonly waiting: () => number
  /** How many were refused since the start. */
  readonly turnedAway: () => number
}

/** Threads of libuv's pool, as it reads `UV_THREADPOOL_SIZE` itself. */
const poolSize = (text = '4'): number => Math.min(Math.max(Number.parseInt(text, 10) || 1, 1), 1_024)

/** Hashes at once: half of the pool. */
export const hashesAtOnce = (threads: string | undefined): number => Math.max(1, Math.floor(poolSize(threads) / 2))

type Waiter = { readonly address: string; readonly since: number; readonly settle: (begins: boolean) => void }

export const openPasswordLane = (atOnce = hashesAtOnce(process.env.UV_THREADPOOL_SIZE), longestWait = LONGEST_WAIT_MS): PasswordLane => {
  const waiting: Waiter[] = [] // in order of arrival
  const served = new Set<string>() // addresses whose work runs
  let turnedAway = 0

  const isOverdue = ({ since }: Waiter) => performance.now() - since >= longestWait

  const beginNext = (): void => {
    while (served.size < atOnce) {
      const index = waiting.findIndex(({ address }) => !served.has(address))
      const [next] = index < 0 ? [] : waiting.splice(index, 1)
      if (next === undefined) return
      const begins = !isOverdue(next)
      if (begins) served.add(next.address)
      next.settle(begins)
    }
  }

  const myTurn = (address: string): Promise<boolean> =>
    new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        waiting.splice(waiting.indexOf(mine), 1)
        resolve(false)
      }, longestWait)
      const settle = (begins: boolean) => {
        clearTimeout(giveUp)
        resolve(begins)
      }
      const mine: Waiter = { address, since: performance.now(), settle }
      waiting.push(mine)
      beginNext()
    })

  const hasPlace = (address: string): boolean =>
    waiting.length < MOST_WAITING && waiting.filter((one) => one.address === address).length < MOST_WAITING_OF_ONE_ADDRESS

  return {
    enter: async (address, work) => {
      if (!hasPlace(address) || !(await myTurn(address))) {
        turnedAway += 1
        return refuse('TOO_BUSY')
      }
      try {
        return E.right(await work())
      } finally {
        served.delete(address)
        beginNext()
      }
    },
    waiting: () => waiting.length,
    turnedAway: () => turnedAway,
  }
}
