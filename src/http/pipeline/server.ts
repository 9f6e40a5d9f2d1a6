import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline as joined } from 'node:stream/promises'
import * as E from 'fp-ts/lib/Either.js'
import Koa from 'koa'
import type { Logger } from 'pino'
import { cannotListen } from '../../operations/cannot-listen.ts'
import { networkOf, type OutgoingResponse, withOneSlash } from '../contract/incoming.ts'
import { refuseInvalidHttp } from '../wire/invalid-http.ts'
import { isPerhapsLarge, mostBytesOf, readBody } from '../wire/request-body.ts'
import { MIN_COUNTED_BYTES, openHeldBytes, STREAMED_BYTES } from './held-bytes.ts'
import type { Pipeline } from './pipeline.ts'
import { sendStream } from './send-stream.ts'

/** Milliseconds that requests in flight have when the server stops. */
const STOP_GRACE_MS = 15_000

/** Milliseconds without a byte in either direction, in a request or before a response, after which a connection is closed: longer than anything is waited for. */
const IDLE_MS = 120_000

/** Milliseconds for which the rest of a refused body is discarded, so that its sender can read the response. */
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

const sendHead = (res: ServerResponse, { status, headers, body }: OutgoingResponse, closing: boolean): number | undefined => {
  const length = body === undefined ? undefined : typeof body === 'string' ? Buffer.byteLength(body) : body.length
  if (length !== undefined) headers['Content-Length'] = String(length)
  if (closing) headers.Connection = 'close'
  res.writeHead(status, headers as Record<string, string | string[]>)
  return length
}

type SendOptions = { readonly head: boolean; readonly closing: boolean; readonly count: (bytes: number) => void }

const send = async (res: ServerResponse, outgoing: OutgoingResponse, { head, closing, count }: SendOptions): Promise<void> => {
  if (res.headersSent || res.destroyed) return
  const { body, parts, stream } = outgoing
  // the connection of a stream ends with it, so that none outlasts a stop
  const length = sendHead(res, outgoing, closing || stream !== undefined)
  if (parts && !head) {
    count(STREAMED_BYTES)
    // a fault on the way breaks the response off, so that its client does not take it for whole
    return joined(Readable.from(parts), res)
  }
  if (stream && !head) return sendStream(res, stream)
  if (head || body === undefined) res.end()
  // Pure ASCII is the same bytes in Latin-1, which is far cheaper to write.
  else if (typeof body === 'string' && length === body.length) res.end(body, 'latin1')
  else res.end(body)
  // What the connection has taken at once is held for nobody.
  if (res.writableLength > 0) count(length ?? 0)
}

/**
 * Responds to a request whose body is refused, discards the rest of the body for a while, then closes the connection. Closed at once,
 * the connection would be reset while the client is still sending, which might then not read the response.
 */
const sendAndClose = (req: IncomingMessage, res: ServerResponse, outgoing: OutgoingResponse): void => {
  if (res.headersSent || res.destroyed) return
  sendHead(res, outgoing, true)
  if (outgoing.body !== undefined) res.write(outgoing.body)
  const end = () => {
    clearTimeout(timer)
    res.end()
  }
  const timer = setTimeout(end, DISCARD_BODY_MS)
  if (req.complete) end()
  else req.once('end', end).once('close', end).resume()
}

/** The client closed the connection, or sent invalid HTTP. */
const isPeersFault = (code: unknown) => /^(HPE_|ECONNRESET$|EPIPE$|ECONNABORTED$|ERR_STREAM_)/.test(String(code))

type ServerOptions = {
  readonly publicUrl: string
  readonly trustProxy: number
  readonly log: Logger
  /** Told of every request with a field of a proxy that comes while no proxy is trusted. */
  readonly seeUntrusted?: () => void
}

export type Listener = {
  readonly port: number
  /** Start handling requests; until then they wait. */
  readonly serve: (pipeline: Pipeline, options: ServerOptions) => void
  /**
   * Accept no more connections and finish requests in flight. Idle connections are closed after so many milliseconds (0); requests on
   * them until then are answered, with `Connection: close`.
   */
  readonly close: (drain?: number) => Promise<void>
}

/** Made only for requests that ask for it. */
const abandonedBy = (res: ServerResponse): (() => AbortSignal) => {
  let controller: AbortController | undefined
  return () => {
    if (controller) return controller.signal
    const made = new AbortController()
    controller = made
    if (res.destroyed) made.abort()
    else res.once('close', () => res.writableFinished || made.abort())
    return made.signal
  }
}

const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 20_000, requestTimeout: 60_000, keepAliveTimeout: 30_000 }
/** What Node would refuse without a body is left to `serve`. */
const options = { ...limits, requireHostHeader: false }

/** HTTP/1.1 requires the field. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean => headers.host === undefined && httpVersion === '1.1'

const bind = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(cannotListen(host, 'PORT', port, error))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Listen on the port. It is known from now on (0 asks for any free one); requests wait until `serve`. */
export const listen = async (host: string, port: number): Promise<Listener> => {
  const server = createServer(options).setTimeout(IDLE_MS)
  const early: [IncomingMessage, ServerResponse][] = []
  const wait = (req: IncomingMessage, res: ServerResponse) => early.push([req, res])
  server.on('request', wait)
  let base = ''
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  server.on('clientError', (error, socket) => refuseInvalidHttp(error, socket, base))
  const bound = await bind(server, host, port)
  let closing = false

  return {
    port: bound,
    serve: (pipeline, { publicUrl, trustProxy, log, seeUntrusted }) => {
      base = publicUrl
      const koa = new Koa()
      const hold = openHeldBytes()
      koa.on('error', (err: Error & { readonly code?: unknown }) => {
        if (isPeersFault(err.code)) log.debug({ code: err.code }, 'a connection was closed early')
        else log.error({ err }, 'a response could not be sent')
      })
      koa.use(async (ctx) => {
        ctx.respond = false
        const { req, res } = ctx
        if (lacksHost(req)) return refuseInvalidHttp(new Error('no Host'), req.socket, publicUrl)
        let wasRead = false
        let wasRefused = false
        if (trustProxy === 0 && isForwarded(req)) seeUntrusted?.()
        const ip = networkOf(addressOf(req, trustProxy))
        const count = (bytes: number) => {
          if (bytes >= MIN_COUNTED_BYTES) hold(ip, res, bytes)
        }
        const outgoing = await pipeline({
          method: req.method ?? 'GET',
          target: withOneSlash(req.url ?? '/'),
          headers: req.headers,
          ip,
          readBody: async (wanted) => {
            wasRead = true
            count(mostBytesOf(req))
            const body = await readBody(ctx, wanted)
            wasRefused = E.isLeft(body)
            return body
          },
          abandoned: abandonedBy(res),
        })
        if (wasRefused || (!wasRead && isPerhapsLarge(req))) sendAndClose(req, res, outgoing)
        else await send(res, outgoing, { head: req.method === 'HEAD', closing, count })
      })
      const handle = koa.callback()
      server.off('request', wait)
      server.on('request', handle)
      for (const [req, res] of early) handle(req, res)
    },
    close: (drain = 0) =>
      new Promise((resolve) => {
        closing = true
        const closeIdle = setTimeout(() => server.close(), drain)
        const giveUp = setTimeout(() => server.closeAllConnections(), drain + STOP_GRACE_MS)
        // Closing an HTTP server closes idle connections at once, even if a client is just sending a request.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(closeIdle)
          clearTimeout(giveUp)
          server.close() // its own timers
          resolve()
        })
      }),
  }
}
