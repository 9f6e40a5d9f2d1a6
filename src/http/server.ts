import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import type { Logger } from 'pino'
import type { Refusal } from '../domain/refusal.ts'
import { type Body, noBody, type Outgoing, parseForm, parseJsonBody, parseUntyped } from './incoming.ts'
import { networkOf } from './network.ts'
import type { Pipeline } from './pipeline.ts'

/** Bytes of a body that is no upload. */
const BODY_LIMIT = 512 * 1024
/** Milliseconds that requests in flight get when the server stops. */
const GRACE = 15_000

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

/** Reads a request's body, whatever it claims to be; too large is 413, broken is 400. */
const readBody = async (ctx: Koa.Context): Promise<Either<Refusal, Body>> => {
  const { req } = ctx
  if (!hasBody(req)) return req.method === 'POST' ? refusal('LENGTH_REQUIRED') : E.right(noBody)
  if (req.headers['content-length'] === '0') return E.right(noBody)
  const type = req.headers['content-type']?.toLowerCase() ?? ''
  const multipart = type.startsWith('multipart/form-data')
  if (!multipart) req.headers['content-type'] = 'text/plain'
  try {
    await (multipart ? readMultipart : readText)(ctx, nothing)
  } catch (error) {
    if (statusOf(error) === 413) return refusal('TOO_LARGE')
    return refusal('BAD_REQUEST', 'the body cannot be read')
  }
  const { body } = ctx.request as { readonly body?: unknown }
  return multipart ? E.right(fieldsOf(body)) : parse(type, typeof body === 'string' ? body : '')
}

const addressOf = (req: IncomingMessage, trustProxy: number): string => {
  const peer = req.socket.remoteAddress ?? ''
  if (trustProxy === 0) return peer
  const forwarded = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return [...forwarded, peer].at(-1 - trustProxy) ?? forwarded[0] ?? peer
}

const send = (res: ServerResponse, head: boolean, { status, headers, body }: Outgoing, closing: boolean): void => {
  if (res.headersSent || res.destroyed) return
  const length = body === undefined ? undefined : typeof body === 'string' ? Buffer.byteLength(body) : body.length
  if (length !== undefined) headers['Content-Length'] = String(length)
  if (closing) headers.Connection = 'close'
  res.writeHead(status, headers as Record<string, string | string[]>)
  if (head || body === undefined) res.end()
  // Pure ASCII is the same bytes in Latin-1, which is far cheaper to write.
  else if (typeof body === 'string' && length === body.length) res.end(body, 'latin1')
  else res.end(body)
}

/** The caller hung up, or sent bytes that are no HTTP. */
const isPeersFault = (code: unknown) => /^(HPE_|ECONNRESET$|EPIPE$|ECONNABORTED$|ERR_STREAM_)/.test(String(code))

export type Listening = {
  readonly port: number
  /** Start answering with this; until then requests wait. */
  readonly serve: (pipeline: Pipeline, options: { readonly trustProxy: number; readonly log: Logger }) => void
  /** Accept nothing more, finish what is in flight. */
  readonly close: () => Promise<void>
}

const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 20_000, requestTimeout: 60_000, keepAliveTimeout: 30_000 }

const bind = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Take the port. It is known from here on (0 asks for any free one), requests wait until `serve`. */
export const listen = async (host: string, port: number): Promise<Listening> => {
  const server = createServer(limits)
  const early: [IncomingMessage, ServerResponse][] = []
  const wait = (req: IncomingMessage, res: ServerResponse) => early.push([req, res])
  server.on('request', wait)
  const bound = await bind(server, host, port)
  let closing = false

  return {
    port: bound,
    serve: (pipeline, { trustProxy, log }) => {
      const koa = new Koa()
      koa.on('error', (err: Error & { readonly code?: unknown }) => {
        if (isPeersFault(err.code)) log.debug({ code: err.code }, 'a connection ended early')
        else log.error({ err }, 'an answer could not be sent')
      })
      koa.use(async (ctx) => {
        ctx.respond = false
        const { req, res } = ctx
        const outgoing = await pipeline({
          method: req.method ?? 'GET',
          target: req.url ?? '/',
          headers: req.headers,
          ip: networkOf(addressOf(req, trustProxy)),
          readBody: () => readBody(ctx),
        })
        send(res, req.method === 'HEAD', outgoing, closing)
      })
      const handle = koa.callback()
      server.off('request', wait)
      server.on('request', handle)
      for (const [req, res] of early) handle(req, res)
    },
    close: () =>
      new Promise((resolve) => {
        closing = true
        const give = setTimeout(() => server.closeAllConnections(), GRACE)
        server.close(() => {
          clearTimeout(give)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
