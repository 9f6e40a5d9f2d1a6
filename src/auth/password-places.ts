import { firstCharacters } from '../domain/text-limits.ts'

const MAX_RESERVATIONS = 256
/** The most characters of a name that are kept; no account's name is longer. */
const MAX_NAME_CHARACTERS = 100
/** The time for which a place is kept beyond the time that its caller was told to wait. */
const RETURN_MS = 5_000

type Reservation = { readonly address: string; readonly arrival: number; readonly until: number }

const toAttemptKey = (address: string, name: string): string => `${address} ${firstCharacters(MAX_NAME_CHARACTERS, name.toLowerCase())}`

/**
 * The places of callers who were told to come again, in the order of their arrival. Their number is bounded, and each is kept for a few
 * seconds only.
 */
export const openReservations = (now: () => number = () => performance.now()) => {
  const reserved = new Map<string, Reservation>()

  const dropExpired = (): void => {
    const present = now()
    for (const [key, { until }] of reserved) if (until <= present) reserved.delete(key)
  }

  return {
    make: (address: string, name: string, { arrival, seconds }: { readonly arrival: number; readonly seconds: number }): void => {
      dropExpired()
      const key = toAttemptKey(address, name)
      if (reserved.size >= MAX_RESERVATIONS && !reserved.has(key)) return
      const earlier = reserved.get(key)?.arrival ?? arrival
      reserved.set(key, { address, arrival: Math.min(earlier, arrival), until: now() + seconds * 1_000 + RETURN_MS })
    },
    /** Returns the number of the first try; undefined without a reservation. */
    arrivalOf: (address: string, name: string): number | undefined => {
      dropExpired()
      return reserved.get(toAttemptKey(address, name))?.arrival
    },
    use: (address: string, name: string): void => {
      reserved.delete(toAttemptKey(address, name))
    },
    /** Counts the places of an address that are reserved for earlier callers. */
    before: (address: string, arrival: number): number =>
      [...reserved.values()].filter((one) => one.address === address && one.arrival < arrival).length,
  }
}
