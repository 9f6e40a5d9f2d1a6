import type { Refusal } from './refusal.ts'

const SHORTEST = 6
/** UTF-16 units. Unicode normalization may take quadratic time: negligible up to this length, half a minute for 500 kB. */
export const LONGEST_PASSWORD = 1_024

/** Why this cannot be a password. */
export const checkPassword = (password: string): Refusal | undefined => {
  if (password.length < SHORTEST) return { code: 'SHORT_PASSWORD', field: 'passwd' }
  if (password.length <= LONGEST_PASSWORD) return undefined
  return { code: 'TOO_LONG', field: 'passwd', text: `this is too long (max: ${LONGEST_PASSWORD})` }
}
