// Decision 58.

import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from '../domain/refusal.ts'
import { openReservations } from './password-places.ts'

const MAX_WAITING_PASSWORDS = 64
const MAX_WAITING_PASSWORDS_PER_ADDRESS = 32
const MAX_WAIT_MS = 10_000
/** The expected time of a hash before one was made. */
const FIRST_HASH_MS = 250

/**
 * The one way to hash a password on behalf of a request. A hash keeps a thread of libuv's pool for a quarter of a second, and on the same
 * threads files are read, host names looked up and responses of servers unpacked.
 */
export type PasswordLane = {
  /**
   * Does work that hashes when its turn comes. Addresses take turns; work of one address is done one at a time, in order of arrival.
   * Refuses with `TOO_BUSY` at once if too many wait, or after ten seconds of waiting; the work was not begun then. A caller who tries
   * again from the same address for the same name, as soon as the refusal allows, keeps its place.
   */
  readonly enter: <T>(address: string, name: string, work: () => Promise<T>) => Promise<E.Either<Refusal, T>>
  readonly waiting: () => number
  /** Returns the number of refusals since the start. */
  readonly countRefusals: () => number
}

/** Returns the number of threads of libuv's pool, as it reads `UV_THREADPOOL_SIZE` itself. */
const poolSize = (text = '4'): number => Math.min(Math.max(Number.parseInt(text, 10) || 1, 1), 1_024)

/** Returns the number of hashes at once: half of the pool. */
export const hashesAtOnce = (threads: string | undefined): number => Math.max(1, Math.floor(poolSize(threads) / 2))

/** `arrival` is the number of its first try. */
type Waiter = { readonly address: string; readonly arrival: number; readonly since: number; readonly settle: (begins: boolean) => void }

export const openPasswordLane = (atOnce = hashesAtOnce(process.env.UV_THREADPOOL_SIZE), maxWait = MAX_WAIT_MS): PasswordLane => {
  const waiting = new Map<string, readonly Waiter[]>() // waiting callers by address, in the order of their turns
  const served = new Set<string>() // addresses whose work runs
  const reservations = openReservations()
  let count = 0
  let arrivals = 0
  let turnedAway = 0
  let hashMs = FIRST_HASH_MS

  const listWaiting = (address: string): readonly Waiter[] => waiting.get(address) ?? []

  const leave = (waiter: Waiter): void => {
    const others = listWaiting(waiter.address).filter((one) => one !== waiter)
    if (others.length > 0) waiting.set(waiter.address, others)
    else waiting.delete(waiter.address)
    count -= 1
  }

  const beginNext = (): void => {
    while (served.size < atOnce) {
      const next = waiting.entries().find(([address]) => !served.has(address))?.[1][0]
      if (next === undefined) return
      leave(next)
      const begins = performance.now() - next.since < maxWait
      if (begins) {
        served.add(next.address)
        const others = listWaiting(next.address)
        if (waiting.delete(next.address)) waiting.set(next.address, others) // moves the address behind the others
      }
      next.settle(begins)
    }
  }

  const myTurn = (address: string, arrival: number): Promise<boolean> =>
    new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        leave(mine)
        resolve(false)
      }, maxWait)
      const settle = (begins: boolean) => {
        clearTimeout(giveUp)
        resolve(begins)
      }
      const mine: Waiter = { address, arrival, since: performance.now(), settle }
      waiting.set(
        address,
        [...listWaiting(address), mine].sort((a, b) => a.arrival - b.arrival),
      )
      count += 1
      beginNext()
    })

  /**
   * Makes room for an address if everything is full: the last caller of the address with the most waiting callers gives way to one of an
   * address with fewer.
   */
  const makesRoom = (address: string): boolean => {
    const most = [...waiting.values()].reduce((longest, queue) => (queue.length > longest.length ? queue : longest), [])
    const last = most.at(-1)
    if (last === undefined || most.length <= listWaiting(address).length + 1) return false
    leave(last)
    last.settle(false)
    return true
  }

  /** Refuses for the time until enough places become free, and keeps the caller's place in the order. */
  const turnAway = (address: string, name: string, arrival: number): E.Either<Refusal, never> => {
    turnedAway += 1
    const missingOfAddress = reservations.before(address, arrival) + listWaiting(address).length - MAX_WAITING_PASSWORDS_PER_ADDRESS + 1
    const missing = Math.max(1, missingOfAddress, (count - MAX_WAITING_PASSWORDS + 1) / atOnce)
    const seconds = Math.ceil((missing * hashMs) / 1_000)
    reservations.make(address, name, { arrival, seconds })
    return E.left({ code: 'TOO_BUSY', field: null, extra: { ratelimit: seconds } })
  }

  const hasPlace = (address: string, arrival: number): boolean =>
    listWaiting(address).length + reservations.before(address, arrival) < MAX_WAITING_PASSWORDS_PER_ADDRESS &&
    (count < MAX_WAITING_PASSWORDS || makesRoom(address))

  const runTimed = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work()
    hashMs += (performance.now() - began - hashMs) / 8
    return result
  }

  return {
    enter: async (address, name, work) => {
      const arrival = reservations.arrivalOf(address, name) ?? ++arrivals
      if (!hasPlace(address, arrival)) return turnAway(address, name, arrival)
      reservations.use(address, name)
      if (!(await myTurn(address, arrival))) return turnAway(address, name, arrival)
      try {
        return E.right(await runTimed(work))
      } finally {
        served.delete(address)
        beginNext()
      }
    },
    waiting: () => count,
    countRefusals: () => turnedAway,
  }
}
