import * as E from 'fp-ts/lib/Either.js'
import type { Param } from './endpoint.ts'
import { param, refuseParam } from './params.ts'

export type { Place } from '../../history/places.ts'

/** A place in the log: the number of an event, or a time in milliseconds since 1970. */
export type LogPlace = { readonly n: number } | { readonly time: number }

/** Integers from here on are times: 1973, and more events than a log ever has. */
const FIRST_TIME_MS = 100_000_000_000

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[ +-]\d\d:\d\d)?)?$/

const parseLogPlace = (text: string): LogPlace | undefined => {
  if (/^(?:-1|\d{1,15})$/.test(text)) return Number(text) < FIRST_TIME_MS ? { n: Number(text) } : { time: Number(text) }
  if (!DATE.test(text)) return undefined
  // a plus comes as a space if it was not percent-encoded; without an offset the time is in UTC
  const full = text.replace(/^(.{10}) /, '$1T').replace(/ (\d\d:\d\d)$/, '+$1')
  const time = Date.parse(/T.*[Z+-]/.test(full) || full.length === 10 ? full : `${full}Z`)
  return Number.isNaN(time) ? undefined : { time }
}

/** A place as clients write it. */
export const logPlace: Param<LogPlace> = param({ type: 'string' }, 'BAD_REQUEST', (text, name) => {
  const place = parseLogPlace(text.trim())
  return place
    ? E.right(place)
    : refuseParam('BAD_REQUEST', name, 'the number of an event, a time like 2026-11-26T08:00:00Z, or milliseconds since 1970')
})
