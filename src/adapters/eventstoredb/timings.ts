/** How long the adapter waits, in milliseconds; tests shorten them. */
export type Timings = {
  /** One append or one page of a read, over all its tries. */
  readonly call: number
  /** A try that heard nothing for so long is repeated: a little longer than the server's own limit for a write. */
  readonly silence: number
  /** The pause before a further try, doubled each time up to the longest. */
  readonly firstPause: number
  readonly longestPause: number
  /** A subscription that is not confirmed by then is given up. */
  readonly confirmation: number
  /** How often a subscription is compared with the head of the log, and how long it may receive nothing while behind it. */
  readonly watch: number
  readonly stall: number
  /** An append that comes so long after the log's head was last seen is held against what stands at its place. */
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

/** The pause before try `count` + 1, with jitter, so that many who lost a server at once do not come back at once. */
export const pauseBefore = (timings: Timings, count: number): number =>
  Math.min(timings.firstPause * 2 ** (count - 1), timings.longestPause) * (0.5 + Math.random() / 2)
