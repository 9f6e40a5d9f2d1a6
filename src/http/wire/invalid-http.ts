import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

type Reason = readonly [status: number, reason: string, explanation: string]

const malformed: Reason = [400, 'BAD_REQUEST', 'The request is not valid HTTP.']
/** By the code of Node's error. */
const reasons: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: [431, 'HEADERS_TOO_LARGE', 'The header fields are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'REQUEST_TIMEOUT', 'The request did not arrive in time.'],
}

/** Whether a response to an earlier request of the connection has begun: nothing may be written into it. */
const isResponding = (socket: Duplex): boolean =>
  (Reflect.get(socket, '_httpMessage') as { headersSent?: boolean } | null)?.headersSent === true

/**
 * Refuses what Node could not read as a request, in the form of every other refusal, and closes the connection. There is no request that the
 * pipeline could respond to.
 */
export const refuseInvalidHttp = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  if (!socket.writable || isResponding(socket)) {
    socket.destroy(error)
    return
  }
  const [status, reason, explanation] = reasons[error.code ?? ''] ?? malformed
  const message = STATUS_CODES[status] ?? 'Error'
  const body = JSON.stringify({ message, error: status, reason, explanation })
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    'Access-Control-Allow-Origin: *',
    'Cache-Control: no-store',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
