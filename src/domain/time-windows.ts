import { DAY, HOUR } from './time.ts'

/** The values of `t`: rolling windows on the time of creation. */
export const spans = ['hour', 'day', 'week', 'month', 'year', 'all'] as const
export type Span = (typeof spans)[number]

const shortSpans = { hour: HOUR, day: DAY, week: 7 * DAY }
/** The lengths of the windows, in milliseconds. Only a search takes the longest month and the longest year. */
const windows = {
  listing: { ...shortSpans, month: 30 * DAY, year: 365 * DAY },
  search: { ...shortSpans, month: 31 * DAY, year: 366 * DAY },
} satisfies Readonly<Record<string, Readonly<Record<Exclude<Span, 'all'>, number>>>>

/** Returns the start of a window that ends now; undefined if it is unbounded. */
export const startOfWindow = (windowed: keyof typeof windows, span: Span, now: number): number | undefined =>
  span === 'all' ? undefined : now - windows[windowed][span]
