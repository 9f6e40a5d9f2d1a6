/** The faults of the server. Tests change the fields while it runs. Counts are used up one by one. */
export type Faults = {
  /** Appends that are neither written nor answered. */
  hangAppends: number
  /** Appends that are written and never answered. */
  loseAnswers: number
  /** Appends that are written and answered with what is no message. */
  garbleAnswers: number
  /** Appends refused as `Server Is Busy`, not written. */
  busy: number
  /** Repeated appends that are answered with a wrong version although their events stand at that place. */
  denyKnown: number
  /** Appends that are written only after others that were sent behind them. */
  overtaken: number
  /** Milliseconds before an append is written; past 2 s the server gives up first, and writes all the same. */
  appendDelay: number
  /** Milliseconds between the write and the answer. */
  answerDelay: number
  /** Milliseconds before a read is begun. */
  readDelay: number
  /** The fraction of all appends that is answered after `stall` milliseconds. */
  stallRate: number
  stall: number
  /** Reads that are never answered. */
  hangReads: number
  /** Subscriptions that are open now hear nothing more, for good. */
  muteSubscriptions: boolean
  /** Set while this node is not the leader; says who is. */
  leader: { readonly host: string; readonly port: number } | undefined
  /** Milliseconds that a second try of ids still in flight hears nothing. */
  inFlightSilence: number
  /** Live events a subscriber may be behind before it is dropped as too slow. */
  slowAfter: number
  /** The server's clock runs this many milliseconds ahead of the client's. */
  clockAhead: number
}

export const noFaults = (): Faults => ({
  hangAppends: 0,
  loseAnswers: 0,
  garbleAnswers: 0,
  busy: 0,
  denyKnown: 0,
  overtaken: 0,
  appendDelay: 0,
  answerDelay: 0,
  readDelay: 0,
  stallRate: 0,
  stall: 0,
  hangReads: 0,
  muteSubscriptions: false,
  leader: undefined,
  inFlightSilence: 2_500,
  slowAfter: 100,
  clockAhead: 0,
})

export type CountedFault = 'hangAppends' | 'loseAnswers' | 'garbleAnswers' | 'busy' | 'denyKnown' | 'overtaken' | 'hangReads'

/** Tells whether the fault strikes this time. */
export const strikes = (faults: Faults, fault: CountedFault): boolean => {
  if (faults[fault] <= 0) return false
  faults[fault]--
  return true
}
