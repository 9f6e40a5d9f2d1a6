import { misused } from './command-line.ts'

/** A place in the log, as a program is told it: the number of an event, its position, or a time. */
export type Place = { readonly n: number } | { readonly position: string } | { readonly at: number }

const MAX_DIGITS_OF_N = 15

/** As it is written: an n, a position of 20 digits, or an ISO time. */
export const placeFrom = (usage: Parameters<typeof misused>[0], option: string, text: string): Place => {
  if (/^\d+$/.test(text)) {
    if (text.length === 20) return { position: text }
    if (text.length <= MAX_DIGITS_OF_N) return { n: Number(text) }
  }
  const at = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw misused(usage, `--${option} is '${text}'`)
  return { at }
}

/** An event with its place in the log, from 0. */
type Placed = { readonly n: number; readonly position: string; readonly at: number }

/** Whether an event comes after a place, which is part of what precedes it: an event that has just this n, position or time does not. */
export const isAfter = ({ n, position, at }: Placed, place: Place): boolean => {
  if ('n' in place) return n > place.n
  return 'position' in place ? position > place.position : at > place.at
}
