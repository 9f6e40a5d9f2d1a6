import type { Refusal } from '../domain/refusal.ts'

/** `N minutes` or `N seconds`: the wording that clients parse to wait by themselves. */
const waitInWords = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds / 1000)
  return seconds >= 60 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
}

/** Refused for so many milliseconds. */
export const waitFirst = (milliseconds: number): Refusal => ({
  code: 'RATELIMIT',
  field: 'ratelimit',
  text: `you are doing that too much. try again in ${waitInWords(milliseconds)}.`,
  extra: { ratelimit: milliseconds / 1000 },
})
