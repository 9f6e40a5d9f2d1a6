const HOUR = 60 * 60 * 1000

/** How often one account may do something within one window of so many milliseconds. */
export type Quota = { readonly most: number; readonly window: number }

/**
 * What lengthens a stream that others read, or takes back what it did and so can go on for ever. Each is far beyond what anybody does by
 * hand, and allows a program an edit every fifteen seconds, day and night.
 */
export const quotas = {
  edit: { most: 240, window: HOUR },
  settings: { most: 120, window: HOUR },
  sticky: { most: 120, window: HOUR },
  report: { most: 120, window: HOUR },
  /** Reports ignored and heeded again. */
  ignore: { most: 240, window: HOUR },
  distinguish: { most: 240, window: HOUR },
  /** Votes retracted: changing a vote repeatedly retracts it every other time. */
  unvote: { most: 300, window: HOUR },
} as const satisfies Readonly<Record<string, Quota>>

export type QuotaName = keyof typeof quotas
