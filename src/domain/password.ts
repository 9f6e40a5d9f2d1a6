import type { Refusal } from './refusal.ts'

const MIN_PASSWORD_CHARACTERS = 6
/** The limit is in UTF-16 units. Unicode normalization may take quadratic time: negligible up to this length, half a minute for 500 kB. */
export const MAX_PASSWORD_CHARACTERS = 1_024

/** Returns the refusal of a text that cannot be a password. */
export const checkPassword = (password: string): Refusal | undefined => {
  if (password.length < MIN_PASSWORD_CHARACTERS) return { code: 'SHORT_PASSWORD', field: 'passwd' }
  if (password.length <= MAX_PASSWORD_CHARACTERS) return undefined
  return { code: 'TOO_LONG', field: 'passwd', text: `this is too long (max: ${MAX_PASSWORD_CHARACTERS})` }
}
