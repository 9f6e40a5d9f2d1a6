// Decision 17.

import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type Koa from 'koa'
import { koaBody } from 'koa-body'
import { type Body, noBody, parseForm, parseJsonBody, parseUntyped, type WantedBody } from '../contract/incoming.ts'
import type { Refusal } from '../contract/refusals.ts'
import { parseMultipart } from './multipart.ts'

/** The most bytes of a body that is no upload. */
export const MAX_BODY_BYTES = 512 * 1024
/** The most bytes of a body with a long text, in which each byte may take three. */
export const MAX_LONG_BODY_BYTES = 1024 * 1024
/** The most bytes of a multipart body: a file of 500 KiB with the fields and separators around it. */
export const MAX_MULTIPART_BYTES = 1024 * 1024

const refusal = (code: Refusal['code'], text?: string): E.Either<Refusal, never> =>
  E.left(text === undefined ? { code, field: null } : { code, field: null, text })

const hasBody = ({ headers }: IncomingMessage) => headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Tells whether a body may be large: sent in chunks without a length, or longer than most requests may send. */
export const isPerhapsLarge = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES

/** Returns the most bytes that a body may have, by its head. Longer ones are refused. */
export const mostBytesOf = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Math.min(Number(headers['content-length'] ?? 0), MAX_MULTIPART_BYTES) : MAX_MULTIPART_BYTES

const parse = (type: string, text: string): E.Either<Refusal, Body> => {
  if (type.startsWith('application/x-www-form-urlencoded') && !/^\s*\{/.test(text))
    return E.map((fields: Body['fields']) => ({ fields, text }))(parseForm(text))
  return /^application\/(\w+\+)?json/.test(type) ? parseJsonBody(text) : parseUntyped(text)
}

/** Returns the refusal of a body before it is read. */
const refuseUnread = ({ headers }: IncomingMessage, isMultipart: boolean, limit: number): E.Either<Refusal, never> | undefined => {
  // compressed bytes can expand without limit
  if (!/^(identity)?$/i.test(headers['content-encoding']?.trim() ?? '')) return refusal('UNSUPPORTED_ENCODING')
  if (isMultipart && headers['content-length'] === undefined) return refusal('LENGTH_REQUIRED')
  return Number(headers['content-length'] ?? 0) > limit ? refusal('TOO_LARGE') : undefined
}

/**
 * Reads a body as text, whatever type it claims to have. The parsers of koa-body are not used:
 * - It chooses them by Content-Type, which clients get wrong: `curl -d '{"id":1}'` calls JSON a form.
 * - Its forms (qs) drop fields after the thousandth and keep bad percent-encoding without a word, and make lists of repeated names and
 *   objects of `a[b]`.
 * - Its multipart bodies (formidable) write files to disk, and would delay other requests by thousands of small parts. `latin1` makes one
 *   character of each byte, for `parseMultipart`.
 */
const reader = (limit: number, encoding: 'utf-8' | 'latin1' = 'utf-8') => {
  const read = koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textTypes: ['*/*'],
    textLimit: limit,
    encoding,
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
  })
  return async (ctx: Koa.Context): Promise<E.Either<Refusal, string>> => {
    const { headers } = ctx.req
    const type = headers['content-type']
    // it reads no body that claims no type
    headers['content-type'] = 'text/plain'
    try {
      await read(ctx, async () => {})
    } catch (error) {
      const isTooLarge = error instanceof Error && 'status' in error && error.status === 413
      return isTooLarge ? refusal('TOO_LARGE') : refusal('BAD_REQUEST', 'the body cannot be read')
    } finally {
      headers['content-type'] = type
    }
    const { body } = ctx.request as { readonly body?: unknown }
    return E.right(typeof body === 'string' ? body : '')
  }
}
const readText = reader(MAX_BODY_BYTES)
const readLongText = reader(MAX_LONG_BODY_BYTES)
const readBytes = reader(MAX_MULTIPART_BYTES, 'latin1')

/** Reads a request's body regardless of its Content-Type. Too large is 413, compressed 415, malformed 400. */
export const readBody = async (ctx: Koa.Context, { upload, longBody }: WantedBody = {}): Promise<E.Either<Refusal, Body>> => {
  const { req } = ctx
  if (!hasBody(req)) return req.method === 'POST' ? refusal('LENGTH_REQUIRED') : E.right(noBody)
  const type = req.headers['content-type'] ?? ''
  const isMultipart = /^multipart\/form-data/i.test(type)
  const limit = isMultipart ? MAX_MULTIPART_BYTES : longBody ? MAX_LONG_BODY_BYTES : MAX_BODY_BYTES
  const unread = refuseUnread(req, isMultipart, limit)
  if (unread) return unread
  if (req.headers['content-length'] === '0') return E.right(noBody)
  const text = await (isMultipart ? readBytes : longBody ? readLongText : readText)(ctx)
  if (E.isLeft(text)) return text
  if (!isMultipart) return parse(type.toLowerCase(), text.right)
  const body = await parseMultipart(type, Buffer.from(text.right, 'latin1'), upload, MAX_BODY_BYTES)
  if (body === 'too-large') return refusal('TOO_LARGE')
  return body === 'broken' ? refusal('BAD_REQUEST', 'the body cannot be read') : E.right(body)
}
