/** The times that the adapter waits, in milliseconds. Tests shorten them. */
export type Timings = {
  /** The time of one append or one page of a read, over all its tries. */
  readonly call: number
  /** A try without a response for so long is repeated: a little longer than the server's own limit for a write. */
  readonly silence: number
  /** The pause before a further try, doubled each time up to the longest. */
  readonly firstPause: number
  readonly longestPause: number
  /** A subscription that is not confirmed within this time is given up. */
  readonly confirmation: number
  /** The interval between comparisons of a subscription with the head of the log. */
  readonly watch: number
  /** The longest time without events while a subscription is behind the head of the log. */
  readonly stall: number
  /** If the log's head was last seen longer ago than this, an append's success is compared with the events at its place. */
  readonly freshHead: number
}

export const TIMINGS: Timings = {
  call: 5_000,
  silence: 2_300,
  firstPause: 50,
  longestPause: 1_000,
  confirmation: 5_000,
  watch: 15_000,
  stall: 30_000,
  freshHead: 20,
}

/**
 * Returns the pause before try `count` + 1, with jitter, so that clients that lost a server at the same time do not all return at the same
 * time.
 */
export const pauseBefore = (timings: Timings, count: number): number =>
  Math.min(timings.firstPause * 2 ** (count - 1), timings.longestPause) * (0.5 + Math.random() / 2)
