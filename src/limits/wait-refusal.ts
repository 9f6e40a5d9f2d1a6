import type { Refusal } from '../domain/refusal.ts'

/** Returns `1 minute`, `N minutes` or `N seconds`: the wording that clients parse to wait by themselves. */
const inWords = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds / 1000)
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Returns the refusal that asks a caller to wait so many milliseconds. */
export const askToWait = (milliseconds: number): Refusal => ({
  code: 'RATELIMIT',
  field: 'ratelimit',
  text: `you are doing that too much. try again in ${inWords(milliseconds)}.`,
  extra: { ratelimit: milliseconds / 1000 },
})
