import type { Duplex } from 'node:stream'
import { STATUS_CODES } from '../../ports/node-http.ts'
import { answerRefusal } from '../contract/error-responses.ts'
import type { Refusal } from '../contract/refusals.ts'

const malformed: Refusal = { code: 'BAD_REQUEST', field: null, text: 'The request is not valid HTTP.' }
/** Refusals by the code of Node's error. */
const refusalOf: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { code: 'HEADERS_TOO_LARGE', field: null },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'REQUEST_TIMEOUT', field: null },
}

/** Tells whether a response to an earlier request of the connection has begun. Nothing may be written into it. */
const isResponding = (socket: Duplex): boolean =>
  (Reflect.get(socket, '_httpMessage') as { headersSent?: boolean } | null)?.headersSent === true

/**
 * Refuses bytes that Node could not read as a request, in the form of every other refusal, and closes the connection. There is no request
 * that the pipeline could respond to.
 */
export const refuseInvalidHttp = (error: Error & { readonly code?: string }, socket: Duplex, publicUrl: string): void => {
  if (!socket.writable || isResponding(socket)) {
    socket.destroy(error)
    return
  }
  const refused = answerRefusal('plain', refusalOf[error.code ?? ''] ?? malformed, publicUrl)
  const body = JSON.stringify(refused.body)
  const head = [
    `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`,
    'Access-Control-Allow-Origin: *',
    'Cache-Control: no-store',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
