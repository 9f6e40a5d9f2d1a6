/** True if everything is tried, as `npm run test:faults` does, and not the part of it that the usual run has time for. */
export const FULL = process.env.FULL_FAULTS === '1'

/** Returns all of these in a full run, else one in so many. */
export const sample = <T>(items: readonly T[], oneIn: number): readonly T[] => (FULL ? items : items.filter((_, n) => n % oneIn === 0))
