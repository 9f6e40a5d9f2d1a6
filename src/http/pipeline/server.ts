import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import type Koa from 'koa'
import { cannotListen } from '../../operations/cannot-listen.ts'
import { createServer } from '../../ports/node-http.ts'
import { refuseInvalidHttp } from '../wire/invalid-http.ts'

/** The time that requests in flight have when the server stops. */
const STOP_GRACE_MS = 15_000

/**
 * The time without a byte in either direction, in a request or before a response, after which a connection is closed. It is longer than any
 * wait.
 */
const IDLE_MS = 120_000

export type Listener = {
  readonly port: number
  /** Tells whether `close` was called. */
  readonly isClosing: () => boolean
  /** Starts handling requests. Until then they wait. */
  readonly serve: (service: Koa, publicUrl: string) => void
  /**
   * Accepts no more connections and finishes requests in flight. Idle connections are closed after so many milliseconds (0). Requests on
   * them until then are answered, with `Connection: close`.
   */
  readonly close: (drain?: number) => Promise<void>
}

const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 20_000, requestTimeout: 60_000, keepAliveTimeout: 30_000 }
/** requests that Node would refuse without a body are left to `serve` */
const options = { ...limits, requireHostHeader: false }

const bind = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(cannotListen(host, 'PORT', port, error))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Listens on the port. It is known from now on (0 asks for any free one). Requests wait until `serve`. */
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
    isClosing: () => closing,
    serve: (service, publicUrl) => {
      base = publicUrl
      const handle = service.callback()
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
          server.close() // closes the server's own timers
          resolve()
        })
      }),
  }
}
