// Decision 9.

import { isIPv4 } from 'node:net'
import { parseCookie } from 'cookie'
import * as E from 'fp-ts/lib/Either.js'
import ipaddr from 'ipaddr.js'
import { SESSION_COOKIE_NAME } from '../../auth/sessions.ts'
import { firstCharacters } from '../../domain/text-limits.ts'
import type { EndlessBody } from './followers.ts'
import { parseJson } from './parse-json.ts'
import type { Refusal } from './refusals.ts'

export type Fields = Readonly<Record<string, string>>

/**
 * A request's body: form fields, or the members of a JSON object as text. `text` is the body as it came, for endpoints that read JSON
 * themselves.
 */
export type Body = {
  readonly fields: Fields
  readonly text: string | undefined
  /** The file of an upload. */
  readonly file?: Buffer
}

/** The sources of parameters: body, then query, then path. The first value that is not empty counts. */
export type Sources = { readonly body: Body; readonly query: Fields; readonly path: Fields }

const valueSent = ({ body, query, path }: Sources, name: string): string | undefined =>
  body.fields[name] || query[name] || path[name] || (body.fields[name] ?? query[name] ?? path[name])

/** Returns the value sent under a name, or else under the first of its other names. */
export const sentUnder = (sources: Sources, name: string, aliases: readonly string[]): string | undefined => {
  const value = valueSent(sources, name)
  if (value || aliases.length === 0) return value
  for (const alias of aliases) {
    const other = valueSent(sources, alias)
    if (other) return other
  }
  return value
}

export const readField = (sources: Sources, name: string): string => valueSent(sources, name) ?? ''

/** The file that a multipart body may carry: its field, and its most bytes. */
export type Upload = { readonly field: string; readonly most: number }

/** The kinds of body that an endpoint takes beside ordinary fields. `longBody` allows up to 1 MiB of fields. */
export type WantedBody = { readonly upload?: Upload; readonly longBody?: true }

/** A request as it reaches the pipeline, independent of the server. */
export type IncomingRequest = {
  readonly method: string
  /** Path and query, as sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The address that requests are counted by: an IPv4 address, or the /64 of an IPv6 address. */
  readonly ip: string
  /** Reads the body. Files are dropped, except the one that the endpoint wants. */
  readonly readBody: (wanted?: WantedBody) => Promise<E.Either<Refusal, Body>>
  /** True for the form of a page that stands for a request which no form can send. Its session stands for a token. */
  readonly isPageAct?: true
  /** Returns a signal that aborts if the client closes the connection before it has the response. */
  readonly abandoned: () => AbortSignal
}

export type Coding = 'br' | 'gzip'

/** Values derived from a body at most once, however many responses share it: its digest, and the body in each coding. */
export type BodyForms = { digest?: string; readonly coded: Partial<Record<Coding, Promise<Buffer | undefined>>> }

export type OutgoingResponse = {
  readonly status: number
  readonly headers: Record<string, string | readonly string[]>
  readonly body: string | Buffer | undefined
  /** The digest of everything that the body is made of, for its tag; if it was made with one. */
  readonly digest?: string
  /** A body that is sent part by part as the client reads it, in place of `body`. It ends early if the client leaves. */
  readonly parts?: AsyncIterable<string>
  /** A body without end, in place of `body`. */
  readonly stream?: EndlessBody
  /** Present if the body is cached for further responses. */
  readonly derived?: BodyForms
}

const noFields: Fields = Object.freeze(Object.create(null) as Record<string, string>)
export const noBody: Body = { fields: noFields, text: undefined }

const badRequest = (text: string): Refusal => ({ code: 'BAD_REQUEST', field: null, text })

/** Replaces lone surrogates by U+FFFD, so that everything stored is well-formed Unicode. */
const wellFormed = (text: string) => (text.isWellFormed() ? text : text.toWellFormed())

/** Decodes percent-encoding as in forms. Returns undefined for invalid UTF-8 or bad escapes. */
const decodeField = (text: string): string | undefined => {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const MAX_FIELDS = 1000

/** Parses the fields of a query string or a urlencoded body. Of several with one name, the last that is not empty counts. */
export const parseForm = (text: string): E.Either<Refusal, Fields> => {
  if (text === '') return E.right(noFields)
  const fields = Object.create(null) as Record<string, string>
  const pairs = text.split('&', MAX_FIELDS + 1)
  if (pairs.length > MAX_FIELDS) return E.left(badRequest('too many parameters'))
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeField(equals < 0 ? pair : pair.slice(0, equals))
    const value = decodeField(equals < 0 ? '' : pair.slice(equals + 1))
    if (name === undefined || value === undefined) return E.left(badRequest('the parameters are not percent-encoded UTF-8'))
    if (value !== '' || !(name in fields)) fields[name] = wellFormed(value)
  }
  return E.right(fields)
}

const memberText = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number')) return value.join(',')
  return JSON.stringify(value)
}

/** Parses the members of a JSON object as parameters: numbers and booleans as text, plain lists joined by commas, the rest as JSON. */
export const parseJsonBody = (text: string): E.Either<Refusal, Body> => {
  if (text.trim() === '') return E.right({ fields: noFields, text })
  const parsed = parseJson(text)
  if (E.isLeft(parsed)) return E.left({ code: 'JSON_PARSE_ERROR', field: null })
  const value = parsed.right
  const fields = Object.create(null) as Record<string, string>
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const members = Object.entries(value)
    if (members.length > MAX_FIELDS) return E.left(badRequest('too many parameters'))
    for (const [name, member] of members) {
      const shown = memberText(member)
      if (shown !== undefined) fields[name] = shown
    }
  }
  return E.right({ fields, text })
}

/** Parses a body of unknown type: JSON if it is an object, otherwise a form. */
export const parseUntyped = (text: string): E.Either<Refusal, Body> => {
  if (/^\s*[{[]/.test(text)) return parseJsonBody(text)
  return E.map((fields: Fields): Body => ({ fields, text }))(parseForm(text))
}

/**
 * Returns a target with one slash in place of several at the start of its path, as a client sends that joins addresses. This form is
 * routed, cached, linked and logged. The metrics are left out: a proxy may hide them by the start of their path.
 */
export const withOneSlash = (target: string): string => target.replace(/^\/{2,}(?!\/|metrics\b)/, '/')

/**
 * Splits a request target into the decoded text of its path segments and its raw query. Returns undefined for a path that is no
 * percent-encoded UTF-8.
 */
export const splitTarget = (target: string): { readonly path: string; readonly search: string } | undefined => {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('//') + 2)
  const question = target.indexOf('?')
  const rawPath = target.slice(Math.max(start, 0), question < 0 ? undefined : question)
  const search = question < 0 ? '' : target.slice(question + 1)
  if (!rawPath.startsWith('/')) return undefined
  if (!rawPath.includes('%')) return { path: rawPath, search }
  try {
    decodeURIComponent(rawPath)
    return { path: rawPath, search }
  } catch {
    return undefined
  }
}

/** Returns the value of a cookie, as sent. */
export const cookieOf = (header: string | undefined, name: string): string | undefined =>
  header === undefined ? undefined : parseCookie(header, { decode: (value) => value })[name]

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** The characters of the longest address there is; a proxy may forward anything. */
const MAX_IP_CHARACTERS = 45

/** Removes the port that some proxies forward, too: `203.0.113.1:5678`, `[2001:db8::1]:5678`. */
const withoutPort = (address: string): string => /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address)?.slice(1).join('') ?? address

/**
 * Returns the network that requests are counted by. An IPv4 address counts itself, also written as IPv6 (`::ffff:203.0.113.1`). An IPv6
 * address counts for its /64, since the holder of one address holds all of them (`2001:db8:0:1::/64`).
 */
export const networkOf = (forwarded: string): string => {
  if (isIPv4(forwarded)) return forwarded
  const address = withoutPort(forwarded)
  if (!ipaddr.isValid(address)) return firstCharacters(MAX_IP_CHARACTERS, address)
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}

/** Returns the bearer token of a request, even if malformed; undefined if there is none. Other schemes are ignored. */
export const bearerOf = (header: string | undefined): string | undefined => {
  const match = /^bearer(?: +(.*))?$/i.exec(header?.trim() ?? '')
  return match ? (match[1] ?? '') : undefined
}

/** Tells whether a request carries any credentials. Without them it is certainly anonymous. */
export const hasCredentials = (headers: IncomingRequest['headers']): boolean =>
  headers.authorization !== undefined || (headers.cookie?.includes(SESSION_COOKIE_NAME) ?? false)

/** Returns the value of the session cookie of a request. */
export const sessionCookie = ({ cookie }: Readonly<Record<string, string | string[] | undefined>>): string | undefined =>
  typeof cookie === 'string' ? cookieOf(cookie, SESSION_COOKIE_NAME) : undefined

/**
 * The way in which `&`, `<` and `>` are written in a JSON body: as HTML entities (the interface's default), or, with `raw_json=1`, as
 * `\u0026`, `\u003C`, `\u003E`, which decode to themselves.
 */
export type Encoding = 'entities' | 'unicode'
