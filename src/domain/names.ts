import type { Refusal } from './refusal.ts'

/** Returns the refusal of a name that cannot be a username. Only claiming a name shows whether it is available. */
export const checkUsername = (name: string): Refusal | undefined => {
  if (name.length < 3 || name.length > 20) return { code: 'USERNAME_TOO_SHORT', field: 'user' }
  return /^[A-Za-z0-9_-]+$/.test(name) ? undefined : { code: 'USERNAME_INVALID_CHARACTERS', field: 'user' }
}

/** Names that mean something other than a subsite. */
const reserved = new Set(['all', 'subscribed', 'friends', 'mod', 'contrib', 'random', 'randnsfw', 'myrandom', 'popular'])

export const isReserved = (name: string): boolean => reserved.has(name.toLowerCase())

/** Returns the refusal of a name that no subsite can have. Only claiming a name shows whether it is available. */
export const checkSubsiteName = (name: string): Refusal | undefined => {
  if (!/^[A-Za-z0-9][A-Za-z0-9_]{2,20}$/.test(name)) return { code: 'BAD_SR_NAME', field: 'name' }
  return isReserved(name) ? { code: 'SUBSITE_EXISTS', field: 'name' } : undefined
}

/** Tells whether a name could be that of an account or subsite. An invalid one need not be looked up. */
export const mayBeUsername = (name: string): boolean => /^[A-Za-z0-9_-]{1,20}$/.test(name)
export const subsiteNames = /^[A-Za-z0-9][A-Za-z0-9_]{1,20}$/
export const mayBeSubsiteName = (name: string): boolean => subsiteNames.test(name)

/** Returns the name of a subsite that is addressed as `name`, `s/name` or `/s/name/`. */
export const bareSubsite = (address: string): string =>
  address
    .trim()
    .replace(/^\/?[sr]\//i, '')
    .replace(/\/$/, '')

/** Returns the id of the stream that claims a name. Names are unique regardless of case. */
export const claimOf = (name: string): string => name.toLowerCase()
