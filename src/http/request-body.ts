import type { IncomingMessage } from 'node:http'
import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type Koa from 'koa'
import { koaBody } from 'koa-body'
import type { Refusal } from '../domain/refusal.ts'
import { type Body, noBody, parseForm, parseJsonBody, parseUntyped } from './incoming.ts'

/** Bytes of a body that is no upload. */
const BODY_LIMIT = 512 * 1024
/** Bytes of a multipart body: an upload of 500 KiB with the fields and separators around it. */
const MULTIPART_LIMIT = 1024 * 1024

/** Everything but multipart arrives as text and is understood here, so that a wrong Content-Type is never a fault. */
const readText = koaBody({
  json: false,
  urlencoded: false,
  text: true,
  textTypes: ['*/*'],
  textLimit: BODY_LIMIT,
  parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
})

const readMultipart = koaBody({
  json: false,
  urlencoded: false,
  text: false,
  multipart: true,
  formidable: { maxFieldsSize: BODY_LIMIT, maxFields: 1000, filter: () => false },
  parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
})

const refusal = (code: Refusal['code'], text?: string): Either<Refusal, never> =>
  E.left(text === undefined ? { code, field: null } : { code, field: null, text })

const statusOf = (error: unknown): unknown =>
  error !== null && typeof error === 'object' && 'status' in error
    ? error.status
    : error !== null && typeof error === 'object' && 'httpCode' in error
      ? error.httpCode
      : undefined

const nothing = async () => {}

const hasBody = ({ headers }: IncomingMessage) => headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Whether a body is, for all that is announced, larger than any that is read. */
export const isPerhapsLarge = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_LIMIT

const fieldsOf = (values: unknown): Body => {
  const fields = Object.create(null) as Record<string, string>
  if (values !== null && typeof values === 'object')
    for (const [name, value] of Object.entries(values)) {
      const last: unknown = Array.isArray(value) ? value.at(-1) : value
      if (typeof last === 'string') fields[name] = last.toWellFormed()
    }
  return { fields, text: undefined }
}

const parse = (type: string, text: string): Either<Refusal, Body> => {
  if (type.startsWith('application/x-www-form-urlencoded') && !/^\s*\{/.test(text))
    return E.map((fields: Body['fields']) => ({ fields, text }))(parseForm(text))
  return /^application\/(\w+\+)?json/.test(type) ? parseJsonBody(text) : parseUntyped(text)
}

/** Why a body is not even begun to be read. */
const refusedUnread = ({ headers }: IncomingMessage, isMultipart: boolean): Either<Refusal, never> | undefined => {
  // a few bytes may unpack to any number
  if (!/^(identity)?$/i.test(headers['content-encoding']?.trim() ?? '')) return refusal('UNSUPPORTED_ENCODING')
  if (isMultipart && headers['content-length'] === undefined) return refusal('LENGTH_REQUIRED')
  return Number(headers['content-length'] ?? 0) > (isMultipart ? MULTIPART_LIMIT : BODY_LIMIT) ? refusal('TOO_LARGE') : undefined
}

/** Reads a request's body, whatever it claims to be; too large is 413, compressed 415, broken 400. */
export const readBody = async (ctx: Koa.Context): Promise<Either<Refusal, Body>> => {
  const { req } = ctx
  if (!hasBody(req)) return req.method === 'POST' ? refusal('LENGTH_REQUIRED') : E.right(noBody)
  const type = req.headers['content-type']?.toLowerCase() ?? ''
  const isMultipart = type.startsWith('multipart/form-data')
  const unread = refusedUnread(req, isMultipart)
  if (unread) return unread
  if (req.headers['content-length'] === '0') return E.right(noBody)
  if (!isMultipart) req.headers['content-type'] = 'text/plain'
  try {
    await (isMultipart ? readMultipart : readText)(ctx, nothing)
  } catch (error) {
    if (statusOf(error) === 413) return refusal('TOO_LARGE')
    return refusal('BAD_REQUEST', 'the body cannot be read')
  }
  const { body } = ctx.request as { readonly body?: unknown }
  return isMultipart ? E.right(fieldsOf(body)) : parse(type, typeof body === 'string' ? body : '')
}
