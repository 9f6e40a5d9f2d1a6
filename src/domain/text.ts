import type { Refusal } from './refusal.ts'

/** The most characters of each kind of text; those of reports, settings, rules, flair and wiki pages stand with their aggregates. */
export const limits = {
  title: 300,
  selfText: 40_000,
  comment: 10_000,
  message: 10_000,
  subject: 100,
  /** Why a wiki page or a stylesheet was changed. */
  editReason: 256,
  /** Why a thing is erased. */
  erasureReason: 300,
  /** On a friend, on a ban or mute, on a suspension. */
  note: 300,
  banReason: 100,
  banMessage: 1_000,
  multiName: 50,
  multiDescription: 10_000,
  appName: 100,
  appDescription: 1_000,
  /** An address that mail can be sent to (RFC 5321). */
  email: 254,
  searchQuery: 512,
  /** Words of a search. */
  searchWords: 64,
} as const

/** Whether a text has more than `max` characters (code points, as people count them). */
export const isLongerThan = (max: number, text: string): boolean => text.length > max && (text.length > 2 * max || [...text].length > max)

/** The first characters of a text, which are never halves of one: a half cannot be encoded. */
export const firstCharacters = (max: number, text: string): string =>
  text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join('')

/** `NO_TEXT` for a blank text, `TOO_LONG` naming the limit. */
export const checkText = (text: string, max: number, field: string): Refusal | undefined => {
  if (text.trim() === '') return { code: 'NO_TEXT', field }
  return checkLength(text, max, field)
}

export const checkLength = (text: string, max: number, field: string): Refusal | undefined =>
  isLongerThan(max, text) ? { code: 'TOO_LONG', field, text: `this is too long (max: ${max})` } : undefined
