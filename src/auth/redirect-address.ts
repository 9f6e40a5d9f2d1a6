// Decision 59.

import type { Refusal } from '../domain/refusal.ts'
import type { Client } from './clients.ts'

const MAX_REDIRECT_CHARACTERS = 2_048
/** Matches printable text without characters that parsers of addresses read differently: spaces, control characters and backslashes. */
const plain = /^[^\s\p{Cc}\\]+$/u
/** Matches a name or a password before the host. With one, the text that looks like the host is none. */
const withUser = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
/** Matches the custom schemes of RFC 8252: reversed domain names, which contain a dot. No scheme known to browsers does. */
const privateUse = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

const refuseAddress = (text: string): Refusal => ({ code: 'BAD_URL', field: 'redirect_uri', text })

/**
 * Returns the refusal of an address that authorization responses may not go to. They may go to https, to http on the machine itself, and,
 * except for web apps, to a scheme of the app's own (`com.example.app:/back`).
 */
export const checkRedirect = (address: string, type: Client['type']): Refusal | undefined => {
  if (address.trim() === '') return { code: 'NO_URL', field: 'redirect_uri' }
  const parsed = address.length <= MAX_REDIRECT_CHARACTERS && plain.test(address) ? URL.parse(address) : null
  if (parsed === null) return refuseAddress('this is not an absolute address')
  if (address.includes('#')) return refuseAddress('the address must have no fragment')
  if (withUser.test(address)) return refuseAddress('the address must not contain a user name')
  const { protocol, hostname } = parsed
  const isWeb = protocol === 'https:' || protocol === 'http:'
  if (type === 'web' && !isWeb) return { code: 'INVALID_SCHEME', field: 'redirect_uri' }
  if (isWeb && !/^https?:\/\//i.test(address)) return refuseAddress('this is not an absolute address')
  if (protocol === 'http:' && !loopback.test(hostname))
    return refuseAddress('http is allowed for loopback addresses only (127.0.0.1, [::1], localhost): use https')
  return isWeb || privateUse.test(protocol) ? undefined : refuseAddress('the scheme must be https, or a private one that contains a dot')
}
