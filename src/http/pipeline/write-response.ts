import * as E from 'fp-ts/lib/Either.js'
import type { RequestsUsed } from '../../limits/rate-limit.ts'
import type { Position } from '../../ports/event-store.ts'
import type { AnyEndpoint, ListingReply } from '../contract/endpoint.ts'
import { answerRefusal } from '../contract/error-responses.ts'
import type { Reply } from '../contract/handler-response.ts'
import { isRead, type OutgoingResponse } from '../contract/incoming.ts'
import type { Viewer } from '../contract/request.ts'
import type { BodyFormat, Exchange } from '../contract/request-state.ts'
import { closedListing, listingRecord } from '../present/listing.ts'
import { EVENT_STREAM } from '../wire/event-stream.ts'
import { type DigestedBody, writeCached, writeInSlices, writeUncached } from '../wire/json-bytes.ts'
import { Fragment, stringify, toPlain } from '../wire/json-writing.ts'
import { writtenInSlices } from '../wire/time-slices.ts'
import type { Stop } from './gates.ts'

const JSON_TYPE = 'application/json; charset=UTF-8'
const noErrors = { errors: [] }

/** Security header fields of every response: no sniffing, no scripts, no frames. */
const security = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Pages of other sites may read every response, errors included, except those to a session's cookie. */
const sharing = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-Ratelimit-Used, X-Ratelimit-Remaining, X-Ratelimit-Reset, X-Log-Position, X-Request-Id, X-Stale, ETag, Idempotent-Replayed, Location, Retry-After, X-Reason, WWW-Authenticate',
}

const vary = { Vary: 'Accept, Accept-Encoding, Authorization, Cookie' }

/** The header fields of a response that only its caller may keep. */
export const privateCacheHeaders = { 'Cache-Control': 'private, s-maxage=0, max-age=0, must-revalidate', Expires: '-1' }

const standing = {
  /** Public responses may be cached and shared. */
  public: { ...security, ...sharing, ...vary, 'Cache-Control': 'public, max-age=0, must-revalidate' },
  private: { ...security, ...sharing, ...vary, ...privateCacheHeaders },
  session: { ...security, ...vary, ...privateCacheHeaders },
}

/** The header fields that do not depend on the response. */
export const toStandingHeaders = (via: Viewer['via'], read: boolean): Readonly<Record<string, string>> => {
  if (via === 'session') return standing.session
  return via === 'anonymous' && read ? standing.public : standing.private
}

/**
 * The time for which a shared cache may send a page when the service does not answer. An erased text must not outlive its erasure by
 * longer.
 */
const STALE_IF_ERROR_SECONDS = 60

/**
 * Returns the header fields that let shared caches send a page of the site without asking for a time, and for as long again while they ask.
 * Only a page that is made for nobody in particular gets them.
 */
export const sharedHeaders = (via: Viewer['via'], read: boolean, seconds: number): Readonly<Record<string, string>> | undefined =>
  via === 'anonymous' && read && seconds > 0
    ? {
        'Cache-Control': `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=${seconds}, stale-if-error=${STALE_IF_ERROR_SECONDS}`,
      }
    : undefined

/** Returns the header fields for the quota, the position in the log, the request id and staleness. */
export const exchangeHeaders = (
  { id, written, read, stale }: Exchange,
  { used, remaining, reset }: RequestsUsed,
  position: Position,
): Readonly<Record<string, string>> => ({
  'X-Ratelimit-Used': String(used),
  'X-Ratelimit-Remaining': String(remaining),
  'X-Ratelimit-Reset': String(reset),
  'X-Log-Position': written ?? read ?? position,
  'X-Request-Id': id,
  ...(stale && { 'X-Stale': 'true' }),
})

/** Returns the response to a CORS preflight. */
export const preflight = (allow: readonly string[]): OutgoingResponse => ({
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

/** A response whose body is JSON and not written yet. */
type JsonResponse = Pick<OutgoingResponse, 'status' | 'headers'> & { readonly json: unknown }

const JSONP_TYPE = 'application/javascript; charset=UTF-8'

const withBody = (
  { status, headers }: JsonResponse,
  { callback }: BodyFormat,
  body: DigestedBody | { readonly body: string },
): OutgoingResponse => ({
  status,
  headers: { 'Content-Type': callback === undefined ? JSON_TYPE : JSONP_TYPE, ...headers },
  ...body,
})

const writeJson = (unwritten: JsonResponse, writing: BodyFormat): OutgoingResponse => {
  const { encoding, callback } = writing
  const text = stringify(unwritten.json, encoding)
  return withBody(unwritten, writing, { body: callback === undefined ? text : `/**/${callback}(${text})` })
}

/** Encodes an address for a header field: titles in permalinks, and pages that a form names, may contain any letters. */
export const headerText = (address: string) => address.toWellFormed().replace(/[^!-~]/gu, encodeURIComponent)

/** Returns the default success of an endpoint's error family. */
const successOf = ({ errors, answers }: Pick<AnyEndpoint, 'errors' | 'answers'>): Reply => {
  const status = answers && Number(Object.keys(answers)[0])
  if (status === 201 || status === 202 || status === 204) return { kind: 'empty', status }
  return errors === 'form' ? { kind: 'form' } : { kind: 'json', body: {} }
}

const isReply = (result: unknown): result is Reply => typeof result === 'object' && result !== null && 'kind' in result

export const isListed = (result: unknown): result is ListingReply =>
  isReply(result as Reply) && (result as ListingReply | Reply).kind === 'listed'

/** Returns the reply of a handler. */
export const replyOf = (endpoint: AnyEndpoint, result: unknown): Reply => (isReply(result) ? result : successOf(endpoint))

const shapeReply = (reply: Reply, modhash: string | null): OutgoingResponse | JsonResponse => {
  switch (reply.kind) {
    case 'json':
      return { status: reply.status ?? 200, headers: { ...reply.headers }, json: reply.body }
    case 'form': {
      const json = { json: reply.data === undefined ? noErrors : { errors: [], data: reply.data } }
      return { status: 200, headers: { ...reply.headers }, json }
    }
    case 'listing': {
      const { children, after, before, extra, lead } = reply
      // records that are no fragments yet are written one by one, each in its turn
      const listing =
        extra === undefined && children.every((child) => child instanceof Fragment)
          ? listingRecord(children, modhash, { after, before })
          : { kind: 'Listing', data: { modhash, dist: children.length, children, after, before, ...extra } }
      return { status: 200, headers: {}, json: lead ? [closedListing(lead, modhash), listing] : listing }
    }
    case 'redirect':
      return { status: reply.status ?? 302, headers: { Location: headerText(reply.location), ...reply.headers }, body: '' }
    case 'empty':
      return { status: reply.status, headers: { ...reply.headers }, body: reply.status === 204 ? undefined : '' }
    case 'parts':
      return { status: 200, headers: { 'Content-Type': reply.type, ...reply.headers }, body: undefined, parts: reply.parts }
    case 'stream':
      return {
        status: 200,
        headers: {
          'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
          'Cache-Control': 'no-store',
          'X-Accel-Buffering': 'no',
          ...reply.headers,
        },
        body: undefined,
        stream: reply.body,
      }
    case 'text':
      return { status: reply.status ?? 200, headers: { 'Content-Type': reply.type, ...reply.headers }, body: reply.body }
  }
}

/** Returns a reply as text, without the header fields that all responses share. */
export const write = (reply: Reply, writing: BodyFormat): OutgoingResponse => {
  const outgoing = shapeReply(reply, writing.modhash)
  return 'json' in outgoing ? writeJson(outgoing, writing) : outgoing
}

const writtenLong = async (unwritten: JsonResponse, writing: BodyFormat): Promise<OutgoingResponse> => {
  const { encoding, callback } = writing
  const json = await writtenInSlices(unwritten.json, encoding)
  return withBody(unwritten, writing, await writeInSlices(json, encoding, callback))
}

/**
 * Returns a reply as bytes. Those of a long body are written in parts, and other requests are handled in between. `isReadAgain` means that
 * the same body may be asked for again, as that of a GET.
 */
export const writeInTurn = (reply: Reply, writing: BodyFormat, isReadAgain: boolean): OutgoingResponse | Promise<OutgoingResponse> => {
  const outgoing = shapeReply(reply, writing.modhash)
  if (!('json' in outgoing)) return outgoing
  const body = (isReadAgain ? writeCached : writeUncached)(outgoing.json, writing.encoding, writing.callback)
  return body === undefined ? writtenLong(outgoing, writing) : withBody(outgoing, writing, body)
}

/** Returns a reply in JSON as clients with `raw_json=1` parse it. It is written in slices. */
export const readReply = async (reply: Reply, modhash: string | null): Promise<{ readonly status: number; readonly body: unknown }> => {
  const outgoing = shapeReply(reply, modhash)
  if (!('json' in outgoing)) throw new Error(`a reply of kind ${reply.kind} is no JSON`)
  return { status: outgoing.status, body: toPlain(await writtenInSlices(outgoing.json, 'entities')) }
}

export const writeError = (
  { status, body, headers }: { readonly status: number; readonly body: unknown; readonly headers: Readonly<Record<string, string>> },
  writing: BodyFormat,
): OutgoingResponse => writeJson({ status, headers: { ...headers }, json: body }, writing)

/** The result of a request: a reply, or a response that needs no writing; left: a refusal. */
export type EndpointResult = E.Either<Stop, Reply | OutgoingResponse>

/** Returns the response to a handled or refused request, without the header fields that all responses have. */
export const respond = ({ endpoint, publicUrl, writing }: Exchange, outcome: EndpointResult): OutgoingResponse => {
  if (E.isRight(outcome)) return 'kind' in outcome.right ? write(outcome.right, writing) : outcome.right
  const { refusal, headers } = outcome.left
  const error = answerRefusal(endpoint?.errors ?? 'plain', refusal, publicUrl)
  return writeError({ ...error, headers: { ...error.headers, ...headers } }, writing)
}

/** Returns the response, written by `writeInTurn`. */
export const respondInTurn = (exchange: Exchange, outcome: EndpointResult): OutgoingResponse | Promise<OutgoingResponse> =>
  E.isRight(outcome) && 'kind' in outcome.right
    ? writeInTurn(outcome.right, exchange.writing, isRead(exchange.incoming.method))
    : respond(exchange, outcome)
