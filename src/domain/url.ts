import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from './refusal.ts'

const bad: E.Either<Refusal, never> = E.left({ code: 'BAD_URL', field: 'url' })

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i
/** Matches `javascript:`, `mailto:` and the like, but not `example.org:8080`, a host with its port. */
const schemeWithoutHost = /^[a-z][a-z0-9+.-]*:(?!\d)/i
const parts = /^([^/?#]*)([^?#]*)(.*)$/su
const label = /^[a-z0-9_-]{1,63}$/
const MAX_URL_CHARACTERS = 2048
const MAX_HOST_CHARACTERS = 255

/**
 * Returns the host in ASCII, with international names as punycode and without the default port of its scheme; undefined if it cannot be a
 * host.
 */
const hostOf = (named: string, raw: string): string | undefined => {
  const parsed = URL.parse(`${named}://${raw}`)
  if (parsed === null || raw.includes('\\')) return undefined // the parser reads `\` as the beginning of the path
  const { hostname, host } = parsed
  // the parser turns a bare number into an IP address (1 becomes 0.0.0.1); a host counts as one only if it was written as one
  const isRewritten = /^[\d.]+$/.test(hostname) && !raw.startsWith(hostname)
  return hostname.length <= MAX_HOST_CHARACTERS && hostname.split('.').every((part) => label.test(part)) && !isRewritten ? host : undefined
}

/**
 * Returns the stored form of a submitted address: http, https or ftp (`http://` if none is written), a host in ASCII, no credentials, no
 * port that is empty or the default of the scheme. Path, query and fragment stay as given. Refuses with `NO_URL` or `BAD_URL`.
 */
export const parseUrl = (raw: string): E.Either<Refusal, string> => {
  if (raw.length > 2 * MAX_URL_CHARACTERS) return bad
  const trimmed = raw.trim().replace(/ /g, '%20')
  if (trimmed === '') return E.left({ code: 'NO_URL', field: 'url' })
  if (trimmed.length > MAX_URL_CHARACTERS || /[\s\p{Cc}]/u.test(trimmed) || !trimmed.isWellFormed()) return bad
  const written = scheme.exec(trimmed)?.[1]
  if (written === undefined && schemeWithoutHost.test(trimmed)) return bad
  const named = written?.toLowerCase() ?? 'http'
  if (!/^(https?|ftp)$/.test(named)) return bad
  const [, authority = '', path = '', rest = ''] = parts.exec(written === undefined ? trimmed : trimmed.slice(written.length + 3)) ?? []
  if (authority === '' || authority.includes('@') || path.includes('%00')) return bad
  const host = hostOf(named, authority)
  return host === undefined ? bad : E.right(`${named}://${host}${path}${rest}`)
}

/** Tells whether a text is the word that means a self-post in place of a URL. */
export const isSelfWord = (url: string): boolean => url.trim().toLowerCase() === 'self'

/** Returns the stored form of an address that is written with its scheme; undefined for any other text. */
export const parseAddress = (text: string): string | undefined => {
  if (!scheme.test(text.trim())) return undefined
  const parsed = parseUrl(text)
  return E.isRight(parsed) ? parsed.right : undefined
}
