import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from './refusal.ts'

const bad: Either<Refusal, never> = E.left({ code: 'BAD_URL', field: 'url' })

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i
/** `javascript:`, `mailto:` and the like; `example.org:8080` is a host with its port. */
const schemeWithoutHost = /^[a-z][a-z0-9+.-]*:(?!\d)/i
const parts = /^([^/?#]*)([^?#]*)(.*)$/su
const label = /^[a-z0-9_-]{1,63}$/
const MAX_URL_CHARACTERS = 2048
const MAX_HOST_CHARACTERS = 255

/** The host in ASCII (international names as punycode), or undefined for what cannot be one. */
const hostOf = (raw: string): string | undefined => {
  const parsed = URL.parse(`http://${raw}`)
  if (parsed === null) return undefined
  const { hostname, host } = parsed
  // the parser turns a bare number into an IP address (1 becomes 0.0.0.1); a host counts as one only if it was written as one
  const isRewritten = /^[\d.]+$/.test(hostname) && !raw.startsWith(hostname)
  return hostname.length <= MAX_HOST_CHARACTERS && hostname.split('.').every((part) => label.test(part)) && !isRewritten ? host : undefined
}

/**
 * A submitted address, as it is stored: http, https or ftp (`http://` when none is written), a host in ASCII, no
 * credentials. Path, query and fragment stay as given. `NO_URL`, `BAD_URL`.
 */
export const parseUrl = (raw: string): Either<Refusal, string> => {
  if (raw.length > 2 * MAX_URL_CHARACTERS) return bad
  const trimmed = raw.trim().replace(/ /g, '%20')
  if (trimmed === '') return E.left({ code: 'NO_URL', field: 'url' })
  if (trimmed.length > MAX_URL_CHARACTERS || /[\s\p{Cc}]/u.test(trimmed) || !trimmed.isWellFormed()) return bad
  const named = scheme.exec(trimmed)?.[1]?.toLowerCase()
  if (named === undefined && schemeWithoutHost.test(trimmed)) return bad
  if (named !== undefined && !/^(https?|ftp)$/.test(named)) return bad
  const [, authority = '', path = '', rest = ''] = parts.exec(named === undefined ? trimmed : trimmed.slice(named.length + 3)) ?? []
  if (authority === '' || authority.includes('@') || path.includes('%00')) return bad
  const host = hostOf(authority)
  return host === undefined ? bad : E.right(`${named ?? 'http'}://${host}${path}${rest}`)
}

/** In place of a URL this word means a self-post. */
export const isSelfWord = (url: string): boolean => url.trim().toLowerCase() === 'self'
