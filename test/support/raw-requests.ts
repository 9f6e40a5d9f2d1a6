import { request as rawRequest } from 'node:http'
import { connect } from 'node:net'
import type { TestSite } from './site.ts'

export type Raw = { readonly method: string; readonly path: string; readonly headers: Record<string, string>; readonly body: Buffer }

/** Sends to a site what fetch would not send. */
export const rawRequests = ({ url }: Pick<TestSite, 'url'>) => {
  const { port } = new URL(url)

  /** Sends a request and returns the status of the response; undefined if the server closed the connection instead. */
  const send = ({ method, path, headers, body }: Raw): Promise<number | undefined> =>
    new Promise((resolve) => {
      const sent = rawRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode))
        response.on('error', () => resolve(response.statusCode))
      })
      sent.on('error', () => resolve(undefined))
      sent.end(body)
    })

  /** Sends a text and nothing else. Returns everything that comes back until the connection is closed. */
  const exchange = (text: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
      let answer = ''
      socket.on('data', (data) => {
        answer += data.toString('latin1')
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', () => resolve(answer))
      socket.setTimeout(30_000, () => socket.destroy())
    })

  return { send, exchange }
}
