import type { AnyEndpoint, Listed, Reply, Viewer } from './endpoint.ts'
import type { Outgoing } from './incoming.ts'
import { type Encoding, stringify } from './json.ts'

const JSON_TYPE = 'application/json; charset=UTF-8'
const noErrors = { errors: [] }

/** What every answer says to browsers: take it for what it is, run nothing in it, frame it nowhere. */
const security = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Pages of other sites may read every answer, errors included, except those to a session's cookie. */
const sharing = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-Ratelimit-Used, X-Ratelimit-Remaining, X-Ratelimit-Reset, X-Log-Position, X-Request-Id, X-Stale, ETag, Idempotent-Replayed, Location, Retry-After, WWW-Authenticate',
}

const vary = { Vary: 'Accept, Accept-Encoding, Authorization, Cookie' }

const keptByCaller = { 'Cache-Control': 'private, s-maxage=0, max-age=0, must-revalidate', Expires: '-1' }

const standing = {
  /** What everybody gets alike may be kept and shared by anybody. */
  public: { ...security, ...sharing, ...vary, 'Cache-Control': 'public, max-age=0, must-revalidate' },
  private: { ...security, ...sharing, ...vary, ...keptByCaller },
  session: { ...security, ...vary, ...keptByCaller },
}

/** The header fields that do not depend on the answer. */
export const standingHeaders = (via: Viewer['via'], read: boolean): Readonly<Record<string, string>> => {
  if (via === 'session') return standing.session
  return via === 'anonymous' && read ? standing.public : standing.private
}

/** What a browser asks before a page of another site may send a token or a write. */
export const preflight = (allow: readonly string[]): Outgoing => ({
  status: 204,
  headers: {
    ...security,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, If-None-Match',
    'Access-Control-Max-Age': '86400',
    Allow: allow.join(', '),
  },
  body: undefined,
})

/** How the body of one answer is written. */
export type Writing = { readonly encoding: Encoding; readonly callback: string | undefined; readonly modhash: string | null }

const json = (status: number, body: unknown, { encoding, callback }: Writing): Outgoing => {
  const text = stringify(body, encoding)
  return callback === undefined
    ? { status, headers: { 'Content-Type': JSON_TYPE }, body: text }
    : { status, headers: { 'Content-Type': 'application/javascript; charset=UTF-8' }, body: `/**/${callback}(${text})` }
}

const withHeaders = (outgoing: Outgoing, headers: Readonly<Record<string, string>> | undefined): Outgoing =>
  headers ? { ...outgoing, headers: { ...outgoing.headers, ...headers } } : outgoing

/** Titles in permalinks may hold any letters; a header field may not. */
const headerText = (address: string) => address.toWellFormed().replace(/[^!-~]/gu, encodeURIComponent)

/** The success of an endpoint that has nothing to say. */
const successOf = ({ errors, answers }: Pick<AnyEndpoint, 'errors' | 'answers'>): Reply => {
  const status = answers && Number(Object.keys(answers)[0])
  if (status === 201 || status === 202 || status === 204) return { kind: 'empty', status }
  return errors === 'form' ? { kind: 'form' } : { kind: 'json', body: {} }
}

const isReply = (result: unknown): result is Reply => typeof result === 'object' && result !== null && 'kind' in result

export const isListed = (result: unknown): result is Listed => isReply(result as Reply) && (result as Listed | Reply).kind === 'listed'

/** What a handler came to as a reply. */
export const replyOf = (endpoint: AnyEndpoint, result: unknown): Reply => (isReply(result) ? result : successOf(endpoint))

/** A reply as bytes, without the header fields that all answers share. */
export const write = (reply: Reply, writing: Writing): Outgoing => {
  switch (reply.kind) {
    case 'json':
      return withHeaders(json(reply.status ?? 200, reply.body, writing), reply.headers)
    case 'form': {
      const body = { json: reply.data === undefined ? noErrors : { errors: [], data: reply.data } }
      return withHeaders(json(200, body, writing), reply.headers)
    }
    case 'listing': {
      const { children, after, before, extra } = reply
      return json(200, { kind: 'Listing', data: { modhash: writing.modhash, children, after, before, ...extra } }, writing)
    }
    case 'redirect':
      return withHeaders({ status: reply.status ?? 302, headers: { Location: headerText(reply.location) }, body: '' }, reply.headers)
    case 'empty':
      return withHeaders({ status: reply.status, headers: {}, body: reply.status === 204 ? undefined : '' }, reply.headers)
    case 'text':
      return withHeaders({ status: reply.status ?? 200, headers: { 'Content-Type': reply.type }, body: reply.body }, reply.headers)
  }
}

export const writeError = (
  { status, body, headers }: { readonly status: number; readonly body: unknown; readonly headers: Readonly<Record<string, string>> },
  writing: Writing,
): Outgoing => withHeaders(json(status, body, writing), headers)
