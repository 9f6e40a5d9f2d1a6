import { Agent, request } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** A response, read to its end. */
export type HttpAnswer = { readonly status: number; readonly headers: Headers; readonly text: string }

type Request = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | URLSearchParams | undefined
}

const agent = new Agent({ keepAlive: true })
const utf8 = new TextDecoder()

/** The type that `fetch` gives a body, where the header fields name none. */
const typeOf = (body: Request['body']): string | undefined => {
  if (body instanceof URLSearchParams) return 'application/x-www-form-urlencoded;charset=UTF-8'
  return typeof body === 'string' ? 'text/plain;charset=UTF-8' : undefined
}

/** Sends a request and follows no redirect. `fetch` does the same in three times the processor time. */
export const send = (url: URL, { method, headers, body }: Request): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { Accept: '*/*', 'Accept-Language': '*', 'User-Agent': 'node' } }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const received = new Headers()
        const { rawHeaders, statusCode = 0 } = response
        for (let at = 0; at < rawHeaders.length; at += 2) received.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
        const bytes = Buffer.concat(parts)
        const text = utf8.decode(received.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes)
        resolve({ status: statusCode, headers: received, text })
      })
    })
    sent.on('error', reject)
    for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value)
    const type = typeOf(body)
    if (type !== undefined && !sent.hasHeader('Content-Type')) sent.setHeader('Content-Type', type)
    if (body === undefined) return void sent.end()
    const bytes = body instanceof Uint8Array ? body : Buffer.from(String(body))
    if (!sent.hasHeader('Content-Length') && !sent.hasHeader('Transfer-Encoding')) sent.setHeader('Content-Length', bytes.length)
    sent.end(bytes)
  })
