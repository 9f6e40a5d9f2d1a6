import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import type Koa from 'koa'
import { type IncomingRequest, networkOf, type OutgoingResponse, type WantedBody, withOneSlash } from '../contract/incoming.ts'
import { refuseInvalidHttp } from '../wire/invalid-http.ts'
import { isPerhapsLarge, mostBytesOf, readBody } from '../wire/request-body.ts'
import { MIN_COUNTED_BYTES, openHeldBytes, STREAMED_BYTES } from './held-bytes.ts'
import { sendStream } from './send-stream.ts'

/** The time for which the rest of a refused body is discarded, so that its sender can read the response. */
const DISCARD_BODY_MS = 2_000

/** Header fields in which a proxy names the address that it asks for. */
const FORWARDING_FIELDS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

export const isForwarded = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  FORWARDING_FIELDS.some((field) => headers[field] !== undefined)

const addressOf = (req: IncomingMessage, trustProxy: number): string => {
  const peer = req.socket.remoteAddress ?? ''
  if (trustProxy === 0) return peer
  const forwarded = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return [...forwarded, peer].at(-1 - trustProxy) ?? forwarded[0] ?? peer
}

/** Tells whether the field is missing that HTTP/1.1 requires. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean => headers.host === undefined && httpVersion === '1.1'

/** Makes the signal only for requests that ask for it. */
const toCloseSignal = (res: ServerResponse): (() => AbortSignal) => {
  let controller: AbortController | undefined
  return () => {
    if (controller) return controller.signal
    const created = new AbortController()
    controller = created
    if (res.destroyed) created.abort()
    else res.once('close', () => res.writableFinished || created.abort())
    return created.signal
  }
}

/** The facts about a request's connection that the guard passes to the middlewares after it. */
export type ConnectionState = {
  readonly incoming: IncomingRequest
  /** Counts bytes that are held for the caller until the client takes them. */
  readonly count: (bytes: number) => void
}

/** A middleware of the service. Middlewares pass facts on in `ctx.state`. */
export type Middleware<State extends ConnectionState = ConnectionState> = Koa.Middleware<State>

type Guard = {
  readonly publicUrl: string
  readonly trustProxy: number
  /** Tells whether the server ends. The connection then ends with the response. */
  readonly isClosing: () => boolean
  /** Called for every request that has a field of a proxy while no proxy is trusted. */
  readonly seeUntrusted?: () => void
}

/**
 * Sends the answer to a request whose body was refused, discards the rest of the body for a while, then closes the connection. Koa would
 * end the response at once and reset the connection while the client is still sending; the client might then not read the response.
 */
const sendAndClose = (ctx: Koa.Context): void => {
  ctx.respond = false
  const { req, res, body } = ctx
  if (res.headersSent || res.destroyed) return
  ctx.set('Connection', 'close')
  res.flushHeaders()
  if (typeof body === 'string' || Buffer.isBuffer(body)) res.write(body)
  const end = () => {
    clearTimeout(timer)
    res.end()
  }
  const timer = setTimeout(end, DISCARD_BODY_MS)
  if (req.complete) end()
  else req.once('end', end).once('close', end).resume()
}

/** Finds the caller, bounds the bytes held for each caller, and ends connections whose body nobody reads. */
export const guardConnection = ({ publicUrl, trustProxy, isClosing, seeUntrusted }: Guard): Middleware => {
  const hold = openHeldBytes()
  return async (ctx, next) => {
    const { req, res } = ctx
    if (lacksHost(req)) {
      ctx.respond = false
      return refuseInvalidHttp(new Error('no Host'), req.socket, publicUrl)
    }
    if (trustProxy === 0 && isForwarded(req)) seeUntrusted?.()
    const ip = networkOf(addressOf(req, trustProxy))
    const count = (bytes: number): void => {
      if (bytes >= MIN_COUNTED_BYTES) hold(ip, res, bytes)
    }
    let reading: ReturnType<typeof readBody> | undefined
    let wasRefused = false
    /** Reads the body once, however often it is asked for. */
    const body = (wanted?: WantedBody): ReturnType<typeof readBody> => {
      reading ??= readBody(ctx, wanted).then((read) => {
        wasRefused = E.isLeft(read)
        return read
      })
      return reading
    }
    ctx.state = {
      count,
      incoming: {
        method: req.method ?? 'GET',
        target: withOneSlash(req.url ?? '/'),
        headers: req.headers,
        ip,
        readBody: (wanted) => {
          count(mostBytesOf(req))
          return body(wanted)
        },
        abandoned: toCloseSignal(res),
      },
    }
    await next()
    if (isClosing()) ctx.set('Connection', 'close')
    if (wasRefused || (reading === undefined && isPerhapsLarge(req))) sendAndClose(ctx)
  }
}

/** Gives Koa the answer to a request. */
export const answerThrough = (ctx: Parameters<Middleware>[0], { status, headers, body, parts, stream }: OutgoingResponse): void => {
  const { res, state } = ctx
  if (!ctx.writable) return
  ctx.status = status
  // Koa's own `set` makes two lists for each field, which take a tenth of the memory of a write
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  if (stream) {
    // The connection of a stream ends with it, so that none outlasts a stop.
    ctx.set('Connection', 'close')
    if (ctx.method === 'HEAD') return
    // Koa waits for a client that does not read as long as it stays connected.
    ctx.respond = false
    sendStream(res, stream).catch((error) => ctx.onerror(error))
    return
  }
  if (parts) {
    if (ctx.method !== 'HEAD') state.count(STREAMED_BYTES)
    ctx.body = Readable.from(parts)
    return
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  // Koa writes texts as UTF-8. Pure ASCII is the same bytes in Latin-1, which is far cheaper to write.
  ctx.body = typeof body === 'string' && length === body.length ? Buffer.from(body, 'latin1') : (body ?? '')
  // Koa guesses a type where there is none.
  if (headers['Content-Type'] === undefined) ctx.remove('Content-Type')
  // bytes that the connection has taken at once are held for nobody
  if (length >= MIN_COUNTED_BYTES) setImmediate(() => res.writableLength > 0 && state.count(length))
}
