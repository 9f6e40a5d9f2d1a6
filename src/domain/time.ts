/* Spans of time in milliseconds. */

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Returns the day of a time in UTC, such as `2026-03-01`. */
export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
